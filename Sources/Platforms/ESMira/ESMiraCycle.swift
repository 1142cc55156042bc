// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// On which days a schedule gives its prompts: `Scheduler.kt` of the app (ESMira-apps f750e58),
/// except that days are those of the local calendar; the app counts UTC days of 86 400 000 ms.
/// `ESMiraSchedule` asks for the days, then `ESMiraSignal` for the times of each day.
struct ESMiraCycle: Sendable, Hashable {
    /// Days from one prompt day to the next, at least 1.
    var rate = 1
    /// Bits: Sunday 1, Monday 2 … Saturday 64; 0 = every day.
    var weekdays = 0
    /// 0 = every day. A month that has no such day is passed over.
    var dayOfMonth = 0
    /// The first prompt comes `rate` days later.
    var skipsFirst = false
    /// The first prompt comes the day after joining at the earliest.
    var startsDayOne = true
    /// The delay until the first day, of `skipsFirst` and `startsDayOne`, is counted in stretches of 24
    /// hours from joining, at least a minute; else in calendar days.
    var countsHours = false

    /// The days on which a prompt at `millisecond` from midnight is due, at most `ESMiraSchedule.maximum`.
    /// `start` is the date from which the study has the questionnaire active; nil = it gives none.
    func days(
        at millisecond: Int, within limits: ClosedRange<Instant>, from start: Instant?, _ context: ScheduleContext
    ) -> [LocalDate] {
        func moment(_ day: LocalDate) -> Instant { context.zone.resolve(day.at(millisecond: millisecond)).instant }
        var day = first(moment, context)
        var days: [LocalDate] = []
        while days.count < ESMiraSchedule.maximum {
            let missing = limits.lowerBound - moment(day)
            // As in the app, a time that has already passed on the day of joining is due at once if there is
            // no delay and it is not before `start`. Any other passed time moves on to the lower limit.
            let isDueAtOnce =
                context.zone.local(limits.lowerBound).date <= day && limits.lowerBound <= context.enrolment.instant
                && start.map { moment(day) >= $0 } ?? true
            if missing > .zero, !isDueAtOnce {
                // Whole days at once, then one by one: a limit may be years away.
                day = day.adding(days: max(1, Int(missing.components.seconds / 86_400)))
                while moment(day) < limits.lowerBound { day = day.adding(days: 1) }
            }
            guard let fitting = fit(day), moment(fitting) <= limits.upperBound else { return days }
            // What falls on a day that a zone left out comes a day later, as in the app, which adds 24 hours.
            let isThere = context.zone.has(fitting)
            if isThere { days.append(fitting) }
            day = fitting.adding(days: isThere ? rate : 1)
        }
        return days
    }

    private func first(_ moment: (LocalDate) -> Instant, _ context: ScheduleContext) -> LocalDate {
        let delay = (skipsFirst ? rate : 0) + (startsDayOne ? 1 : 0)
        guard countsHours else {
            // Without a delay it is the day of the next minute (`Scheduler.MIN_SCHEDULE_DISTANCE`).
            guard delay == 0 else { return context.enrolment.local.date.adding(days: delay) }
            return context.zone.local(context.enrolment.instant + .seconds(60)).date
        }
        let least = context.enrolment.instant + .seconds(max(60, 86_400 * delay))
        var day = context.enrolment.local.date
        while moment(day) < least { day = day.adding(days: 1) }
        return day
    }

    /// `day`, or the next day that `dayOfMonth` and `weekdays` allow; nil where none ever does.
    private func fit(_ day: LocalDate) -> LocalDate? {
        var day = day
        if dayOfMonth > 0 {
            let today = day.components
            // In months from January of that year.
            let first = today.month - 1 + (today.day > dayOfMonth ? 1 : 0)
            let found = (first..<first + 12).lazy.compactMap {
                LocalDate(year: today.year + $0 / 12, month: $0 % 12 + 1, day: dayOfMonth)
            }.first
            guard let found else { return nil }
            day = found
        }
        guard weekdays & 127 != 0 else { return weekdays == 0 ? day : nil }
        // Our weekdays begin with Monday as 1.
        while weekdays & 1 << (day.weekday % 7) == 0 { day = day.adding(days: 1) }
        return day
    }
}
