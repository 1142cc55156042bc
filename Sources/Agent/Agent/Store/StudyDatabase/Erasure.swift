// SPDX-License-Identifier: Apache-2.0
import Database
import Study

/// Erases answers from the log, the projections and the stored requests: `erase` for a participant who has them deleted
/// (`StudyDatabase.eraseAnswers`, `Withdrawal.withdraw`), `eraseAll` for a hand-over (`Withdrawal.close`). Both run
/// within a transaction of the caller, who then removes the files of the recordings they return and compacts the
/// database.
struct Erasure {
    private let connection: Connection
    private let log: EventLog
    private let recordings: RecordingStore

    init(_ store: OpenStore, _ recordings: RecordingStore) {
        (connection, log, self.recordings) = (store.connection, store.log, recordings)
    }

    /// A server's words about a body may hold its values. They say also how far an item has come,
    /// so they stay while one is on its way.
    private static let refusalKinds = ["uploadRefused", "uploadFailed", "uploadUncertain"]

    /// Kinds of events that say only that something happened, and when: neither who the participant
    /// is nor what they answered.
    private static let namelessKinds = [
        "agentStarted", "agentStopped", "salvaged", "promptsSwitched", "withdrawn", "erased", "handedOver", "prompted",
        "presented", "promptPutOff", "listOpened", "listLeft", "graphsOpened", "graphsLeft", "menuOpened", "menuLeft",
        "runOpened", "runLeft", "concluded", "anchored", "enrolmentDated", "clockStepped", "sensorsPaused",
        "sensorsResumed", "gap", "recordingRemoved", "itemDropped", "itemDeleted", "itemRequeued", "uploadStarted",
        "uploadPaused", "headTold", "headConfirmed",
    ]

    /// Erases the answers of one enrolment, or of all (nil), and logs it. Recordings that are still to be
    /// sent stay.
    func erase(
        of enrolment: String?, reason: String, at stamp: EventStamp
    ) throws -> (rows: Int, removed: [RecordingView]) {
        let unsent = Set(
            try connection.rows(
                "SELECT recording FROM outbox WHERE recording IS NOT NULL AND \(OutboxProjection.isUnsent)"
            ) { try $0.string(0) })
        let removed = try recordings.recordingViews().filter {
            (enrolment == nil || $0.enrolment == enrolment) && $0.removed == nil && !unsent.contains($0.recording.id)
        }
        try log.append(removed.map { .recordingRemoved(recording: $0.recording.id, reason: .withdrawal) }, at: stamp)
        let isUnderWay = try connection.hasRow(
            """
            SELECT 1 FROM outbox WHERE (enrolment = ? OR ?)
            AND (state IN ('sending', 'refused') OR (state = 'waiting' AND attempts > 0))
            """, enrolment, enrolment == nil)
        let kinds = EncryptedBody.kinds.union(isUnderWay ? [] : Self.refusalKinds)
        let rows = try log.erase(of: enrolment) { kinds.contains($0) }
        // Requests that no item has to send any more.
        try connection.run(
            """
            DELETE FROM request WHERE NOT EXISTS (SELECT 1 FROM outbox WHERE request = digest
            AND (\(OutboxProjection.isUnsent) OR NOT (enrolment = ? OR ?)))
            """, enrolment, enrolment == nil)
        // Who knew the old secret could guess what was sent, and compare its digest with those that stay in the log.
        try connection.run("UPDATE secret SET bytes = randomblob(32)")
        if rows > 0 { try log.append([.erased(rows: rows, reason: reason)], at: stamp) }
        return (rows, removed)
    }

    /// For a log that ends: erases every answer, and of participants who had their answers erased before, also who they
    /// were. Deletes all requests and study files.
    func eraseAll(reason: String, at stamp: EventStamp) throws -> [RecordingView] {
        let deleters = try connection.rows(
            "SELECT DISTINCT enrolment FROM event WHERE kind = 'erased' AND enrolment <> ''"
        ) { try $0.string(0) }
        let removed = try erase(of: nil, reason: reason, at: stamp).removed
        // What belongs to no enrolment may name them too: a fault, an address.
        let nameless = deleters.isEmpty ? [] : deleters + [""]
        let rows = try nameless.reduce(0) { rows, enrolment in
            try rows + log.erase(of: enrolment) { !Self.namelessKinds.contains($0) }
        }
        if rows > 0 { try log.append([.erased(rows: rows, reason: reason)], at: stamp) }
        try connection.run("DELETE FROM request")
        try connection.run("DELETE FROM study_file")
        return removed
    }
}
