// SPDX-License-Identifier: Apache-2.0
import Study

/// Writes what happened into the log and queues what is to be sent: `StudyDatabase.append` calls `add`. An entry that
/// had to wait for the disk may come when its participant has left already; then only a part of it counts.
struct EntryWriter {
    private let log: EventLog
    private let outbox: Outbox
    private let withdrawal: Withdrawal
    private let history: EnrolmentHistory

    init(_ store: OpenStore, _ withdrawal: Withdrawal) {
        (log, outbox, self.withdrawal, history) = (store.log, Outbox(store), withdrawal, EnrolmentHistory(store))
    }

    /// Returns the last row, and the recordings with files to be removed once this is committed.
    func add(_ entry: StoreEntry) throws -> (last: Int64, removed: [RecordingView]) {
        let stamp = entry.stamp
        // What was queued before this entry stays, such as the notice to the server.
        let unsentBefore = try isTooLate(entry) ? outbox.unsentItems(of: stamp.enrolment) : nil
        let last = try log.append(inForce(entry.events, of: stamp.enrolment), at: stamp)
        let queued = try outbox.queue(entry.drafts, at: stamp)
        let removed = try unsentBefore.map { try withdrawal.deleteUnsent(at: stamp, except: Set($0.map(\.item.id))) }
        return (queued ?? last, removed ?? [])
    }

    /// Whether the entry has something to be sent, although the participant has left and unsent data were deleted:
    /// what it queues is then deleted at once.
    private func isTooLate(_ entry: StoreEntry) throws -> Bool {
        let isToBeSent =
            !entry.drafts.isEmpty || entry.events.contains { if case .recordingSealed = $0 { true } else { false } }
        return try isToBeSent && history.isWithdrawn(entry.stamp.enrolment)
            && withdrawal.hasDeletedUnsent(of: entry.stamp.enrolment)
    }

    /// The events without those of prompts and rules, where the participant has left: the withdrawal has ended
    /// all prompts and outcomes already. Answers are kept.
    private func inForce(_ events: [StudyEvent], of enrolment: String) throws -> [StudyEvent] {
        let isEnded = { (event: StudyEvent) in
            switch event {
            case .prompted, .presented, .concluded, .occurrencesReturned, .decided, .raised, .outcomeMeasured: true
            default: false
            }
        }
        guard events.contains(where: isEnded), try history.isWithdrawn(enrolment) else { return events }
        return events.filter { !isEnded($0) }
    }
}

/// What is written of one moment; `CommitService` makes it of what the study loop decided.
package struct StoreEntry: Sendable {
    /// Rows of the log, in order.
    package let events: [StudyEvent]
    /// Items to be sent; one that is in the outbox already is not queued again.
    package var drafts: [OutboxDraft] = []
    package let stamp: EventStamp
}
