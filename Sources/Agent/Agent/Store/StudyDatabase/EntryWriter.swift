// SPDX-License-Identifier: Apache-2.0
import Study

/// Writes what happened into the log and queues what is to be sent. Entries may come after their
/// enrolment was left: they were on their way to the disk.
struct EntryWriter {
    private let log: EventLog
    private let outbox: Outbox
    private let withdrawal: Withdrawal
    private let history: EnrolmentHistory

    init(_ store: OpenStore, _ withdrawal: Withdrawal) {
        (log, outbox, self.withdrawal, history) = (store.log, Outbox(store), withdrawal, EnrolmentHistory(store))
    }

    func add(_ entry: StoreEntry) throws -> (last: Int64, removed: [RecordingView]) {
        let stamp = entry.stamp
        let before = try isTooLate(entry) ? outbox.unsentItems(of: stamp.enrolment) : nil
        let last = try log.append(inForce(entry.events, of: stamp.enrolment), at: stamp)
        let queued = try outbox.queue(entry.drafts, at: stamp)
        let removed = try before.map { try withdrawal.deleteUnsent(at: stamp, except: Set($0.map(\.item.id))) }
        return (queued ?? last, removed ?? [])
    }

    /// Whether it was on its way to the disk, with something to be sent, when its enrolment was
    /// left and what was unsent deleted.
    private func isTooLate(_ entry: StoreEntry) throws -> Bool {
        let isToBeSent =
            !entry.drafts.isEmpty || entry.events.contains { if case .recordingSealed = $0 { true } else { false } }
        return try isToBeSent && history.isLeft(entry.stamp.enrolment)
            && withdrawal.hasDeletedUnsent(of: entry.stamp.enrolment)
    }

    /// Without what became of prompts and of rules' points after their enrolment was left: the leave
    /// ended them, whatever was on its way to the disk then. An answer on its way is kept, and sent
    /// unless what was unsent was deleted.
    private func inForce(_ events: [StudyEvent], of enrolment: String) throws -> [StudyEvent] {
        let isEnded = { (event: StudyEvent) in
            switch event {
            case .prompted, .presented, .concluded, .occurrencesReturned, .decided, .raised, .outcomeMeasured: true
            default: false
            }
        }
        guard events.contains(where: isEnded), try history.isLeft(enrolment) else { return events }
        return events.filter { !isEnded($0) }
    }
}
