// SPDX-License-Identifier: Apache-2.0
import Base
import Database
import Glibc
import Study
import SystemKit

/// Sealed (finished) recordings as the log knows them, and their files. For `StudyDatabase`, and for its parts that
/// remove recordings or name them to the lab.
struct RecordingStore {
    private let connection: Connection
    private let log: EventLog
    /// The folder to which the paths of recordings are relative; nil where there are none.
    private let folder: String?

    init(_ store: OpenStore, folder: String?) {
        (connection, log, self.folder) = (store.connection, store.log, folder)
    }

    /// The highest number that a recording ever had, 0 before the first. Ids of 15 digits or more are ignored
    /// as implausible.
    func highestRecordingNumber() throws -> Int {
        let known = try connection.first(
            "SELECT coalesce(max(CAST(id AS INTEGER)), 0) FROM recording WHERE length(id) < 15"
        ) { Int(try $0.int(0)) }
        // While the table is being rebuilt it is behind the log: the newest rows of the log count too.
        let newest = try connection.newestEvents("recordingSealed", limit: log.isCurrent ? 0 : 1000)
        let numbers = newest.compactMap { row -> Int? in
            guard case .recordingSealed(let recording) = row.event, recording.id.utf8.count < 15 else { return nil }
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
    func views(
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
                    enrolment: try row.string(1), sealed: try row.instant(2),
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
        return try log.requeue(items, at: stamp)
    }

    /// Where recordings go, or went.
    func destinations() throws -> [String] {
        try connection.rows(
            """
            SELECT DISTINCT destination FROM outbox WHERE recording IS NOT NULL ORDER BY destination
            """
        ) { try $0.string(0) }
    }

    /// Unlinks the files of recordings; what is gone already is fine.
    func removeFiles(of views: [RecordingView]) {
        for file in views.flatMap(files) { unlink(file) }
    }

    /// A path that leaves the directory is not among them.
    private func files(of view: RecordingView) -> [String] {
        guard let folder else { return [] }
        let paths = [view.recording.path, view.recording.descriptionPath].filter {
            !$0.isEmpty && !$0.hasPrefix("/") && !$0.split(separator: "/").contains("..")
        }
        // And the compressed copy of an upload that did not come to its end.
        return paths.flatMap { ["\(folder)/\($0)", "\(folder)/\($0).zst.tmp"] }
    }
}
