// SPDX-License-Identifier: Apache-2.0
import Base
import Database
import Glibc
import Study
import SystemKit

/// Removes recordings to make room for others, also on a full disk: now and then (`MaintenanceService`), when a commit
/// finds the disk full (`StoreMaintenance.makeRoom`), and all of them at a hand-over.
struct RecordingRetention {
    private let recordings: RecordingStore
    private let connection: Connection
    private let log: EventLog
    private let outbox: Outbox
    private let delivered: DeliveredRequests
    /// The folder of the recordings; nil where there are none.
    private let folder: String?
    /// The files of a store that may use the reserve; else nil.
    private let files: StoreFiles?
    /// Disk space kept for commits on a full disk, and the note of removals that no commit has yet.
    private var reserve: StoreReserve? { files.map { StoreReserve($0.reserve) } }

    /// How many recordings one pass of the retention reads; of the others only the sum of their bytes is
    /// needed.
    private static let batch = 200
    private static let removedAtOnce = 50
    /// Fewer bytes than a commit and its pages take.
    private static let littleRoom: Int64 = 1 << 20
    private static let isDelivered = """
        (EXISTS (SELECT 1 FROM outbox WHERE recording = r.id)
        AND NOT EXISTS (SELECT 1 FROM outbox WHERE recording = r.id AND state <> 'delivered'))
        """

    init(_ store: OpenStore, _ recordings: RecordingStore, folder: String?) {
        (connection, log, self.recordings) = (store.connection, store.log, recordings)
        (outbox, delivered) = (Outbox(store), DeliveredRequests(store))
        (self.folder, files) = (folder, store.files)
    }

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
            try commitRemovals(removals, of: views, at: stamp)
            all += removals
            guard removals.count >= Self.batch else { return all }
        }
    }

    /// Removes every recording and the files that the log does not know, which belong to that enrolment, and logs each
    /// of them.
    func removeAll(_ unlogged: [UnloggedFile], of enrolment: String, at stamp: EventStamp) throws {
        let views = try recordings.views("removed IS NULL", [], order: "sequence")
        try commitRemovals(views.map(removal(of:)), of: views, at: stamp)
        var rest = unlogged[...]
        while !rest.isEmpty {
            let some = rest.prefix(Self.removedAtOnce)
            try log.append(some.flatMap(\.rows), at: stamp.of(enrolment))
            for path in some.flatMap({ [$0.path] + $0.beside }) { unlink(path) }
            rest = rest.dropFirst(some.count)
        }
    }

    private func removal(of view: RecordingView) -> RetentionPolicy.Removal {
        RetentionPolicy.Removal(recording: view.recording.id, reason: view.isDelivered ? .retention : .byHand)
    }

    /// A commit found the disk full: lets go of what the policy does not keep, and of the reserve.
    func makeRoom(_ policy: RetentionPolicy, at stamp: EventStamp, capFault: inout String?) {
        _ = try? applyRetention(policy, at: stamp, capFault: &capFault)
        guard let free = files.flatMap({ StoreReserve.room(of: $0.path) })?.free, free < Self.littleRoom else {
            return
        }
        reserve?.spend()
    }

    /// Finishes what a power cut interrupted: logs removals of files that went first, and removes files
    /// whose removal was logged. To be called at start; looks only at files that are there.
    func sweepRemovedRecordings(at stamp: EventStamp) throws {
        try logNotedRemovals(at: stamp)
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
            let views = try recordings.views(
                "id = ? AND removed IS NOT NULL", [String(number)], order: "sequence")
            recordings.removeFiles(of: views)
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
        let past = try recordings.views(
            "removed IS NULL AND sealed <= ? AND \(Self.isDelivered)",
            [(now - policy.keepDelivered).nanoseconds], order: "sealed", limit: Self.batch)
        guard policy.excess(of: present, on: disk) > past.reduce(0, { $0 + $1.recording.bytes }) else {
            return past
        }
        let delivered = try recordings.views(
            "removed IS NULL AND \(Self.isDelivered)", [], order: "sealed, id", limit: Self.batch)
        let others =
            delivered.count < Self.batch
            ? try recordings.views(
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

    /// Logs removals and then removes the files, however full the disk is: on a full disk it frees the reserve;
    /// where that is not enough, it removes the files first and logs that afterwards. A few at a time, so that
    /// no commit needs more than the reserve.
    private func commitRemovals(
        _ removals: [RetentionPolicy.Removal], of views: [RecordingView], at stamp: EventStamp
    ) throws {
        var rest = removals[...]
        while !rest.isEmpty {
            let some = Array(rest.prefix(Self.removedAtOnce))
            rest = rest.dropFirst(some.count)
            let ids = Set(some.map(\.recording))
            let files = views.filter { ids.contains($0.recording.id) }
            do { try commit(some, at: stamp) } catch let error as DatabaseError where error.kind == .diskFull {
                try commitOnFullDisk(some, files, after: error, at: stamp)
            }
            recordings.removeFiles(of: files)
        }
        reserve?.keep()
    }

    private func commitOnFullDisk(
        _ removals: [RetentionPolicy.Removal], _ files: [RecordingView], after error: DatabaseError,
        at stamp: EventStamp
    ) throws {
        guard let reserve else { throw error }
        reserve.spend()
        do { return try commit(removals, at: stamp) } catch let error as DatabaseError where error.kind == .diskFull {}
        try reserve.note(removals: removals.map { "\($0.recording) \($0.reason.rawValue)" })
        recordings.removeFiles(of: files)
        try commit(removals, at: stamp)
        reserve.clearNotedRemovals()
    }

    private func commit(_ removals: [RetentionPolicy.Removal], at stamp: EventStamp) throws {
        try log.transaction { for removal in removals { try remove(removal, at: stamp) } }
    }

    private func remove(_ removal: RetentionPolicy.Removal, at stamp: EventStamp) throws {
        try log.append([.recordingRemoved(recording: removal.recording, reason: removal.reason)], at: stamp)
        guard [.diskCap, .byHand].contains(removal.reason) else { return }
        let items = try connection.rows(
            """
            SELECT \(OutboxItem.columns) FROM outbox
            WHERE recording = ? AND \(OutboxProjection.isUnsent) ORDER BY sequence
            """, removal.recording, read: OutboxItem.init)
        for item in items {
            let id = item.item.id
            try outbox.finish(
                item,
                removal.reason == .diskCap
                    ? .itemDropped(item: id, reason: "disk cap")
                    : .itemDeleted(item: id, reason: removal.reason.rawValue), at: stamp)
        }
    }

    /// Logs what was removed before a power cut while the full disk took no commit. To be called at start.
    private func logNotedRemovals(at stamp: EventStamp) throws {
        guard let reserve, !reserve.notedRemovals().isEmpty else { return }
        for line in reserve.notedRemovals() {
            let words = line.split(separator: " ")
            guard words.count == 2, let reason = RemovalReason(rawValue: String(words[1])) else { continue }
            let removal = RetentionPolicy.Removal(recording: String(words[0]), reason: reason)
            if try connection.hasRow("SELECT 1 FROM recording WHERE id = ? AND removed IS NULL", removal.recording) {
                try commit([removal], at: stamp)
            }
        }
        reserve.clearNotedRemovals()
    }
}
