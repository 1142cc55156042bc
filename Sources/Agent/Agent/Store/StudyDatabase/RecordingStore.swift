// SPDX-License-Identifier: Apache-2.0
import Base
import Database
import Glibc
import Study
import SystemKit

/// Sealed recordings as the log knows them, and their files: which are kept, and which make room
/// for others.
struct RecordingStore {
    private let connection: Connection
    private let log: EventLog
    private let outbox: Outbox
    private let delivered: DeliveredRequests
    /// The folder to which the paths of recordings are relative; nil where there are none.
    private let folder: String?
    /// The files of the agent's own store; nil where it is only read.
    private let files: StoreFiles?
    /// Disk space kept for commits on a full disk, and the note of removals that no commit has yet.
    private var reserve: StoreReserve? { files.map { StoreReserve($0.reserve) } }

    init(_ store: OpenStore, folder: String?) {
        (connection, log) = (store.connection, store.log)
        (outbox, delivered) = (Outbox(store), DeliveredRequests(store))
        (self.folder, files) = (folder, store.files)
    }

    /// The highest number that a recording ever had, 0 before the first. Ids of 15 digits or more are ignored
    /// as implausible.
    func highestRecordingNumber() throws -> Int {
        let known = try connection.first(
            "SELECT coalesce(max(CAST(id AS INTEGER)), 0) FROM recording WHERE length(id) < 15"
        ) { Int(try $0.int(0)) }
        // While the table is being rebuilt it is behind the log: the newest rows of the log count too.
        let newest = try connection.rows(
            "SELECT body FROM event WHERE kind = 'recordingSealed' ORDER BY sequence DESC LIMIT ?",
            log.isCurrent ? 0 : 1000
        ) { try? StudyEvent(kind: "recordingSealed", body: $0.string(0)) }
        let numbers = newest.compactMap { event -> Int? in
            guard case .recordingSealed(let recording)? = event, recording.id.utf8.count < 15 else { return nil }
            return Int(recording.id)
        }
        return max(known ?? 0, numbers.max() ?? 0)
    }

    func recordingNumbers() throws -> Set<Int> {
        Set(try connection.rows("SELECT id FROM recording") { Int(try $0.string(0)) }.compactMap(\.self))
    }

    /// Every recording that was ever sealed, oldest first.
    func recordingViews() throws -> [RecordingView] { try views("TRUE", [], order: "sequence") }

    /// Recordings of an enrolment that were sealed in a span of the wall clock, and those that went
    /// undelivered, or were refused, within it; each with a server's reason for refusing it.
    func produced(
        of enrolment: String, from start: Instant, to end: Instant, limit: Int
    ) throws -> [(view: RecordingView, refusal: String?)] {
        let span: [any DatabaseBindable] = [start.nanoseconds, end.nanoseconds]
        let found = try views(
            """
            enrolment = ? AND (sealed >= ? AND sealed < ? OR id IN (
            SELECT json_extract(body, '$.recording') FROM event
            WHERE kind = 'recordingRemoved' AND wall >= ? AND wall < ? AND json_extract(body, '$.reason') <> 'retention') OR id IN (
            SELECT o.recording FROM event AS e JOIN outbox AS o ON o.id = json_extract(e.body, '$.item')
            WHERE e.kind = 'uploadRefused' AND e.wall >= ? AND e.wall < ?))
            """, [enrolment] + span + span + span, order: "sequence", limit: limit)
        return try found.map { view in
            let refusal = try connection.first(
                "SELECT coalesce(note, '') FROM outbox WHERE recording = ? AND state = 'refused' LIMIT 1",
                view.recording.id
            ) { try $0.string(0) }
            return (view, refusal)
        }
    }

    /// Ids of the recordings that submitted answers of an enrolment name.
    func spokenAnswers(in enrolment: String) throws -> Set<String> {
        var named: Set<String> = []
        try log.replay(from: 1, kind: "submitted", limit: -1) { logged in
            guard logged.stamp.enrolment == enrolment, case .submitted(_, _, let record) = logged.event else { return }
            for case .recording(let id) in record.answers.values { named.insert(id) }
        }
        return named
    }

    /// Recordings that were registered after that row.
    func recordings(after sequence: Int64) throws -> [RecordingRecord] {
        try connection.rows("SELECT record FROM recording WHERE sequence > ? ORDER BY sequence", sequence) {
            try StoredJSON.value(RecordingRecord.self, from: $0.string(0))
        }
    }

    /// The recordings for which the SQL `condition` holds, in that order.
    private func views(
        _ condition: String, _ values: [any DatabaseBindable], order: String, limit: Int = -1
    ) throws -> [RecordingView] {
        var views: [RecordingView] = []
        let sql = """
            SELECT record, enrolment, sealed, removed,
                (SELECT count(*) FROM outbox WHERE recording = r.id),
                (SELECT count(*) FROM outbox WHERE recording = r.id AND state <> 'delivered')
            FROM recording AS r WHERE \(condition) ORDER BY \(order) LIMIT ?
            """
        try connection.forEach(sql, values: values + [limit]) { row in
            let items = try row.int(4)
            let undelivered = try row.int(5)
            views.append(
                RecordingView(
                    recording: try StoredJSON.value(RecordingRecord.self, from: row.string(0)),
                    enrolment: try row.string(1), sealed: Instant(nanoseconds: try row.int(2)),
                    removed: try row.stringOrNil(3).flatMap { RemovalReason(rawValue: $0) },
                    isDelivered: items > 0 && undelivered == 0))
        }
        return views
    }

    /// Has recordings sent to a destination again, with their descriptions, whose last delivery there began in that
    /// time and whose files are still here. Returns how many items that are. While they wait, retention takes them
    /// for undelivered.
    func resend(to destination: String, from start: Instant, until end: Instant, at stamp: EventStamp) throws -> Int {
        let items = try connection.rows(
            """
            SELECT o.id, o.enrolment FROM outbox AS o JOIN recording AS r ON r.id = o.recording
            WHERE o.state = 'delivered' AND o.destination = ? AND r.removed IS NULL
            AND coalesce(o.last_tried, o.queued) >= ? AND coalesce(o.last_tried, o.queued) < ? ORDER BY o.sequence
            """, destination, start.nanoseconds, end.nanoseconds
        ) { (id: try $0.string(0), enrolment: try $0.string(1)) }
        try log.transaction {
            for item in items { try log.append([.itemRequeued(item: item.id)], at: stamp.of(item.enrolment)) }
        }
        return items.count
    }

    /// Where recordings go, or went.
    func destinations() throws -> [String] {
        try connection.rows(
            """
            SELECT DISTINCT destination FROM outbox WHERE recording IS NOT NULL ORDER BY destination
            """
        ) { try $0.string(0) }
    }

    private static let isDelivered = """
        (EXISTS (SELECT 1 FROM outbox WHERE recording = r.id)
        AND NOT EXISTS (SELECT 1 FROM outbox WHERE recording = r.id AND state <> 'delivered'))
        """

    /// How many recordings one pass of the retention reads; of the others only the sum of their bytes is
    /// needed.
    private static let batch = 200

    /// Removes what `policy` does not keep, after recording it in the log. Returns what was
    /// removed.
    func applyRetention(
        _ policy: RetentionPolicy, at stamp: EventStamp, capFault: inout String?
    ) throws -> [RetentionPolicy.Removal] {
        guard log.isCurrent else { return [] }
        try delivered.forgetDelivered(before: stamp.wall - policy.keepAnswers, beyond: policy.diskCap / 20)
        var all: [RetentionPolicy.Removal] = []
        while true {
            let present = try presentBytes(below: policy.diskCap, &capFault)
            let views = try candidates(policy, present, at: stamp.wall)
            let removals = policy.removals(of: views, at: stamp.wall, on: disk, present: present)
            try commitRemovals(removals, of: views) { some in
                try log.transaction { for removal in some { try remove(removal, at: stamp) } }
            }
            all += removals
            guard removals.count >= Self.batch else { return all }
        }
    }

    /// Bytes of the whole state folder, recordings with at least what the log says. Sets `capFault`.
    private func presentBytes(below cap: Int64, _ capFault: inout String?) throws -> Int64 {
        let sealed =
            try connection.first("SELECT coalesce(sum(bytes), 0) FROM recording WHERE removed IS NULL") {
                try $0.int(0)
            } ?? 0
        guard let files, let folder else { return sealed }
        let size = StateSize(of: files.folder, recordings: folder)
        capFault =
            size.others < cap
            ? nil
            : "the store and the rest of the state folder take \(ByteText.of(size.others)), and cap_gib allows \(ByteText.of(cap)) with the recordings: "
                + "none is kept; raise [disk] cap_gib"
        return max(sealed, size.recordings) + size.others
    }

    /// Recordings that may have to go: delivered ones past their time, and while there are too many bytes,
    /// the next ones in the policy's order.
    private func candidates(_ policy: RetentionPolicy, _ present: Int64, at now: Instant) throws -> [RecordingView] {
        let past = try views(
            "removed IS NULL AND sealed <= ? AND \(Self.isDelivered)",
            [(now - policy.keepDelivered).nanoseconds], order: "sealed", limit: Self.batch)
        guard policy.excess(of: present, on: disk) > past.reduce(0, { $0 + $1.recording.bytes }) else {
            return past
        }
        let delivered = try views(
            "removed IS NULL AND \(Self.isDelivered)", [], order: "sealed, id", limit: Self.batch)
        let others =
            delivered.count < Self.batch
            ? try views(
                "removed IS NULL AND NOT \(Self.isDelivered)", [], order: "class DESC, sealed, id", limit: Self.batch)
            : []
        let known = Set(past.map(\.recording.id))
        return past + (delivered + others).filter { !known.contains($0.recording.id) }
    }

    /// The disk under the recordings; nil where there are none, or the kernel does not tell.
    private var disk: RetentionPolicy.Disk? {
        guard let space = folder.flatMap(DiskSpace.init(at:)) else { return nil }
        return RetentionPolicy.Disk(free: space.free, size: space.total)
    }

    /// Finishes what a power cut interrupted: logs removals of files that went first, and removes files
    /// whose removal was logged. To be called at start; looks only at files that are there.
    func sweepRemovedRecordings(at stamp: EventStamp) throws {
        try logNotedRemovals(at: stamp) { removal in try log.transaction { try remove(removal, at: stamp) } }
        reserve?.keep()
        guard log.isCurrent, let folder else { return }
        let present = Set(
            try connection.rows("SELECT id FROM recording WHERE removed IS NULL") { Int(try $0.string(0)) }
                .compactMap(\.self))
        var gone: Set<Int> = []
        _ = try? FolderListing.forEach(in: folder) { name in
            let digits = name.utf8.prefix { (48...57).contains($0) }
            if let number = Int(String(decoding: digits, as: UTF8.self)), !present.contains(number) {
                gone.insert(number)
            }
            return true
        }
        for number in gone {
            removeFiles(of: try views("id = ? AND removed IS NOT NULL", [String(number)], order: "sequence"))
        }
    }

    private func remove(_ removal: RetentionPolicy.Removal, at stamp: EventStamp) throws {
        try log.append([.recordingRemoved(recording: removal.recording, reason: removal.reason)], at: stamp)
        guard removal.reason == .diskCap else { return }
        let items = try connection.rows(
            """
            SELECT \(OutboxItem.columns) FROM outbox
            WHERE recording = ? AND state IN ('waiting', 'sending', 'refused') ORDER BY sequence
            """, removal.recording, read: OutboxItem.init)
        for item in items { try outbox.finish(item, .itemDropped(item: item.item.id, reason: "disk cap"), at: stamp) }
    }

    /// Logs removals by `commit` and then removes the files, however full the disk is: on a full disk it
    /// frees the reserve; where that is not enough, it removes the files first and logs that afterwards. A
    /// few at a time, so that no commit needs more than the reserve.
    func commitRemovals(
        _ removals: [RetentionPolicy.Removal], of views: [RecordingView],
        _ commit: ([RetentionPolicy.Removal]) throws -> Void
    ) throws {
        var rest = removals[...]
        while !rest.isEmpty {
            let some = Array(rest.prefix(Self.removedAtOnce))
            rest = rest.dropFirst(some.count)
            let ids = Set(some.map(\.recording))
            let files = views.filter { ids.contains($0.recording.id) }
            do { try commit(some) } catch let error as DatabaseError where error.kind == .diskFull {
                try commitOnFullDisk(some, files, after: error, commit)
            }
            removeFiles(of: files)
        }
        reserve?.keep()
    }

    private static let removedAtOnce = 50

    private func commitOnFullDisk(
        _ removals: [RetentionPolicy.Removal], _ files: [RecordingView], after error: DatabaseError,
        _ commit: ([RetentionPolicy.Removal]) throws -> Void
    ) throws {
        guard let reserve else { throw error }
        reserve.spend()
        do { return try commit(removals) } catch let error as DatabaseError where error.kind == .diskFull {}
        try reserve.record(removals.map { "\($0.recording) \($0.reason.rawValue)" })
        removeFiles(of: files)
        try commit(removals)
        reserve.clearNote()
    }

    /// Logs what was removed before a power cut while the full disk took no commit. To be called at start.
    func logNotedRemovals(at stamp: EventStamp, _ commit: (RetentionPolicy.Removal) throws -> Void) throws {
        guard let reserve, !reserve.noted().isEmpty else { return }
        for line in reserve.noted() {
            let words = line.split(separator: " ")
            guard words.count == 2, let reason = RemovalReason(rawValue: String(words[1])) else { continue }
            let removal = RetentionPolicy.Removal(recording: String(words[0]), reason: reason)
            let isPresent = try connection.first(
                "SELECT 1 FROM recording WHERE id = ? AND removed IS NULL", removal.recording
            ) { try $0.int(0) }
            if isPresent != nil { try commit(removal) }
        }
        reserve.clearNote()
    }

    /// A commit found the disk full: lets go of what the policy does not keep, and of the reserve.
    func makeRoom(_ policy: RetentionPolicy, at stamp: EventStamp, capFault: inout String?) {
        _ = try? applyRetention(policy, at: stamp, capFault: &capFault)
        guard let free = files.flatMap({ StoreReserve.room(of: $0.path) })?.free, free < Self.littleRoom else {
            return
        }
        reserve?.spend()
    }

    /// Fewer bytes than a commit and its pages take.
    private static let littleRoom: Int64 = 1 << 20

    /// Unlinks the files of recordings; what is gone already is fine. A path that leaves the
    /// directory is not touched.
    func removeFiles(of views: [RecordingView]) {
        guard let folder else { return }
        for path in views.flatMap({ [$0.recording.path, $0.recording.descriptionPath] })
        where !path.isEmpty && !path.hasPrefix("/") && !path.split(separator: "/").contains("..") {
            unlink("\(folder)/\(path)")
            // The compressed copy of an upload that did not come to its end.
            unlink("\(folder)/\(path).zst.tmp")
        }
    }
}
