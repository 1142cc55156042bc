// SPDX-License-Identifier: Apache-2.0
import Study

/// Which enrolment the next report is about, by what was received so far. `ReportService` chooses one for each
/// report; `LiveFeed` takes the enrolment in force. Pure.
///
/// The end of an enrolment, and outcomes that the lab has not heard of, come before the next one.
struct ReportSubject: Sendable, Hashable {
    let record: EnrolmentRecord
    /// The enrolment has ended; `reason` is then `end`.
    let isOver: Bool
    let reason: DeviceReport.Reason

    /// An hourly report about the enrolment in force.
    init(of record: EnrolmentRecord) { (self.record, isOver, reason) = (record, false, .hour) }

    /// `unreported` is the enrolment of the first outcome that was not received; `enrolments` are all, oldest
    /// first; `isChange`: the report was asked for because something changed. Nil where no enrolment is in force
    /// and everything was reported.
    init?(_ enrolments: [EnrolmentState], unreported: String?, memory: ReportMemory, isChange: Bool) {
        let present = enrolments.last
        // The last report that was received is about this enrolment, and its end was not received.
        let unended = memory.announced.flatMap { $0 == memory.ended ? nil : $0 }
        let wanted = [unended, unreported].compactMap(\.self).first { $0 != present?.record.id }
        let chosen = wanted.flatMap { id in enrolments.first { $0.record.id == id } } ?? present
        guard let chosen else { return nil }
        record = chosen.record
        isOver = chosen.withdrawn != nil || chosen.record.id != present?.record.id
        let isAllReported = unreported != record.id
        if isOver, memory.ended == record.id, isAllReported { return nil }
        reason = isOver ? .end : memory.announced != record.id ? .enrolment : isChange ? .change : .hour
    }
}
