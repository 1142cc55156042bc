// SPDX-License-Identifier: Apache-2.0
import Base

/// Decides for `ReportService` which day's manifest (list of what the device produced) is sent next, and for
/// `DayRecordService` which day's record is made next: each day of each enrolment in order, once the day is over. The
/// last day of an enrolment is sent when the enrolment has ended and the log has all its recordings. Pure.
struct ManifestPlan: Sendable {
    let zone: Zone
    /// Of the participant's wall clock, which is trusted.
    let today: LocalDate
    /// Ids of enrolments with recordings that the log does not have yet: their last day waits for these, at
    /// most until that day is over.
    var unlogged: Set<String> = []

    /// Nil where no manifest is due. `enrolments` are all, oldest first; `memory` is the first day of which no
    /// manifest was received. With nil, on a device that begins to report, earlier enrolments are skipped.
    func next(_ enrolments: [EnrolmentState], after memory: ReportMemory.Day?) -> ReportMemory.Day? {
        guard let latest = enrolments.indices.last else { return nil }
        let place = memory.flatMap { day in enrolments.firstIndex { $0.record.id == day.enrolment } }
        for index in (place ?? latest)...latest {
            let state = enrolments[index]
            guard state.record.undated == nil else {
                // Its date is not certain yet (`undated`); an enrolment that was left before never gets one.
                if state.withdrawn != nil { continue }
                return nil
            }
            let first = zone.local(state.record.instant).date.daysSinceEpoch
            let day = index == place ? max(memory?.day ?? first, first) : first
            guard day <= lastDay(of: state) else { continue }
            // Stops here: the day of a later enrolment would become the memory, and this one would be skipped.
            if day == today.daysSinceEpoch, unlogged.contains(state.record.id) { return nil }
            return ReportMemory.Day(enrolment: state.record.id, day: day)
        }
        return nil
    }

    private func lastDay(of state: EnrolmentState) -> Int {
        guard let end = state.withdrawn else { return today.daysSinceEpoch - 1 }
        return min(zone.local(end).date.daysSinceEpoch, today.daysSinceEpoch)
    }

    func endsToday(_ state: EnrolmentState) -> Bool { state.withdrawn.map { zone.local($0).date == today } ?? false }

    /// The time that a day's manifest covers; the last one of an enrolment has all that came later.
    func span(of day: LocalDate, in state: EnrolmentState) -> (start: Instant, end: Instant) {
        let (start, end) = span(of: day)
        let isLast = state.withdrawn.map { zone.local($0).date <= day } ?? false
        return (start, isLast ? Instant(nanoseconds: .max) : end)
    }

    /// From the first moment of the day to that of the next day.
    func span(of day: LocalDate) -> (start: Instant, end: Instant) {
        func beginning(_ day: LocalDate) -> Instant { zone.resolve(LocalDateTime(day, .midnight)).instant }
        return (beginning(day), beginning(day.adding(days: 1)))
    }
}
