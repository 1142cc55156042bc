// SPDX-License-Identifier: Apache-2.0
import Base

/// Which day's manifest goes next: every day of every enrolment once it is over, the last one when
/// the enrolment is, and its recordings are in the log. Pure.
struct ManifestPlan: Sendable {
    let zone: Zone
    /// Of the participant's wall clock, which is trusted.
    let today: LocalDate
    /// Enrolments of which recordings are not in the log yet: their last day waits for these, until it is over.
    var unlogged: Set<String> = []

    /// Nil where none is due. `memory` is the first day of which none was received; nil = a device
    /// that begins to report, and tells nothing of earlier enrolments.
    func next(_ enrolments: [EnrolmentState], after memory: ReportMemory.Day?) -> ReportMemory.Day? {
        guard let latest = enrolments.indices.last else { return nil }
        let place = memory.flatMap { day in enrolments.firstIndex { $0.record.id == day.enrolment } }
        for index in (place ?? latest)...latest {
            let state = enrolments[index]
            guard state.record.undated == nil else {
                // One that was left before it had a date never gets one.
                if state.withdrawn != nil { continue }
                return nil
            }
            let first = zone.local(state.record.instant).date.daysSinceEpoch
            let day = index == place ? max(memory?.day ?? first, first) : first
            guard day <= lastDay(of: state) else { continue }
            // The next enrolment's day would pass over it.
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

    /// What its manifest has: the last one of an enrolment has everything that came since.
    func span(of day: LocalDate, in state: EnrolmentState) -> (start: Instant, end: Instant) {
        let (start, end) = span(of: day)
        let isLast = state.withdrawn.map { zone.local($0).date <= day } ?? false
        return (start, isLast ? Instant(nanoseconds: .max) : end)
    }

    /// From its first moment to the first of the next.
    func span(of day: LocalDate) -> (start: Instant, end: Instant) {
        func beginning(_ day: LocalDate) -> Instant { zone.resolve(LocalDateTime(day, .midnight)).instant }
        return (beginning(day), beginning(day.adding(days: 1)))
    }
}
