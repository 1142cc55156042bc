// SPDX-License-Identifier: Apache-2.0
import Database
import Study

/// Ends enrolments, and the log, for `StudyDatabase.withdraw` and `close`. Returns the recordings whose files are to be
/// removed once that is committed.
struct Withdrawal {
    private let connection: Connection
    private let log: EventLog
    private let outbox: Outbox
    private let delivered: DeliveredRequests
    private let recordings: RecordingStore
    private let erasure: Erasure
    private let history: EnrolmentHistory
    private let decisions: DecisionHistory

    /// Why answers are erased: the participant has them deleted.
    static let reason = "withdrawal"
    private static let handOver = "hand-over"

    init(_ store: OpenStore, _ recordings: RecordingStore) {
        (connection, log, self.recordings) = (store.connection, store.log, recordings)
        (outbox, delivered) = (Outbox(store), DeliveredRequests(store))
        (erasure, history) = (Erasure(store, recordings), EnrolmentHistory(store))
        decisions = DecisionHistory(store)
    }

    /// Ends an enrolment, and with it every occurrence and every outcome that is open. With `deletesUnsent`
    /// everything that has no receipt is deleted and counted, recordings too; with `erasesAnswers`
    /// what was answered is erased (see `StudyDatabase.eraseAnswers`). `drafts` (the notice to the server) are
    /// queued afterwards and sent in any case. With `closesLog` no one may be enrolled in this log any more.
    func withdraw(
        deletesUnsent: Bool, erasesAnswers: Bool, deletesData: Bool, closesLog: Bool, sending drafts: [OutboxDraft],
        at stamp: EventStamp
    ) throws -> [RecordingView] {
        try log.transaction {
            let open = try history.occurrences(of: stamp.enrolment, onlyOpen: true).map {
                StudyEvent.concluded(occurrence: OccurrenceRecord($0.occurrence), outcome: .interrupted)
            }
            let outcomes = try decisions.outcomesLeft(of: stamp.enrolment, at: stamp.wall)
            let end = StudyEvent.withdrawn(deletesUnsent: deletesUnsent, deletesData: deletesData ? true : nil)
            try log.append([end] + open + outcomes, at: stamp)
            var removed = deletesUnsent ? try deleteUnsent(at: stamp) : []
            // While the log is read again it is not known what was delivered.
            if deletesUnsent, log.isCurrent { try delivered.forgetDelivered(of: stamp.enrolment) }
            if erasesAnswers {
                removed += try erasure.erase(of: stamp.enrolment, reason: Self.reason, at: stamp).removed
            }
            _ = try outbox.queue(drafts, at: stamp)
            if closesLog { try noteHandOver(at: stamp) }
            return removed
        }
    }

    /// True when the participant has left and what was unsent was deleted.
    func hasDeletedUnsent(of enrolment: String) throws -> Bool {
        try connection.hasRow(
            "SELECT 1 FROM event WHERE kind = 'withdrawn' AND enrolment = ? AND json_extract(body, '$.deletesUnsent')",
            enrolment)
    }

    /// True when the participant has left and asked for the deletion of what the lab has.
    func hasAskedForDeletion(of enrolment: String) throws -> Bool {
        try connection.hasRow(
            "SELECT 1 FROM event WHERE kind = 'withdrawn' AND enrolment = ? AND json_extract(body, '$.deletesData')",
            enrolment)
    }

    /// Deletes what has no receipt, of the enrolment at that stamp. `ids` stay: what was queued before
    /// a late entry (`EntryWriter`), such as the notice to the server. Returns the recordings with files
    /// to be removed once that is committed.
    func deleteUnsent(at stamp: EventStamp, except ids: Set<String> = []) throws -> [RecordingView] {
        for item in try outbox.unsentItems(of: stamp.enrolment) where !ids.contains(item.item.id) {
            try outbox.finish(item, .itemDeleted(item: item.item.id, reason: Self.reason), at: stamp)
        }
        let removed = try recordings.recordingViews().filter {
            $0.enrolment == stamp.enrolment && $0.removed == nil && !$0.isDelivered
        }
        try log.append(removed.map { .recordingRemoved(recording: $0.recording.id, reason: .withdrawal) }, at: stamp)
        return removed
    }

    /// What keeps the device from going to another person: items that have no receipt, and
    /// recordings that are nowhere else.
    func undelivered() throws -> (items: Int, recordings: Int) {
        let items = try connection.first(
            "SELECT count(*) FROM outbox WHERE \(OutboxProjection.isUnsent)"
        ) { Int(try $0.int(0)) }
        return (items ?? 0, try recordings.recordingViews().count { $0.removed == nil && !$0.isDelivered })
    }

    /// Ends the log for good; see `StudyDatabase.close`.
    func close(at stamp: EventStamp) throws -> [RecordingView] {
        try log.transaction {
            for item in try outbox.unsentItems(of: nil) {
                try outbox.finish(item, .itemDeleted(item: item.item.id, reason: Self.handOver), at: stamp)
            }
            let removed = try erasure.eraseAll(reason: Self.handOver, at: stamp)
            try noteHandOver(at: stamp)
            return removed
        }
    }

    private func noteHandOver(at stamp: EventStamp) throws {
        if try !log.isHandedOver() { try log.append([.handedOver], at: stamp.of("")) }
    }
}
