// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// When a module of momenTUM's designer of 2025 is due: at a first moment, at further times of that day, and
/// all of it again after a number of days, weeks, months or years. `MomentumScheduleReader` makes it, and
/// `Planner` asks it for the occurrences.
///
/// Source: momenTUM-designer 513e871, `frontend/src/utils/scheduler.ts`. Two times that fall
/// together are one occurrence, as momenTUM-dashboard c2453ff counts them
/// (`backend/services/adherence_schedule.py`).
package struct MomentumSchedule: Schedule {
    /// What everything is counted from.
    enum Start: Sendable, Hashable {
        /// Calendar days after that of the enrolment.
        case enrolment(days: Int, ClockTime)
        /// On the participant's wall clock.
        case local(LocalDateTime)
        case instant(Instant)
    }

    /// How the first day comes again.
    struct Repetition: Sendable, Hashable {
        /// The designer's words.
        enum Period: String, Sendable, CaseIterable { case daily, weekly, monthly, yearly }

        let period: Period
        /// Periods from one to the next, from 1 on.
        let interval: Int
        /// Days in all at most, the first included.
        var count: Int
        /// The last day; nil = none.
        let until: LocalDate?
        /// A day that a month does not have: counted from the enrolment it is the month's last
        /// (dayjs), counted from a date it runs on into the next month (JavaScript's `Date`).
        let runsOn: Bool

        /// The day after this many turns; nil where the calendar has no such year.
        func date(_ turn: Int, after first: LocalDate) -> LocalDate? {
            let distance = turn * interval
            return switch period {
            case .daily: first.adding(days: distance)
            case .weekly: first.adding(days: 7 * distance)
            case .monthly: month(distance, after: first)
            case .yearly: month(12 * distance, after: first)
            }
        }

        private func month(_ distance: Int, after first: LocalDate) -> LocalDate? {
            let (year, month, day) = first.components
            let months = year * 12 + month - 1 + distance
            func begin(_ months: Int) -> LocalDate? { LocalDate(year: months / 12, month: months % 12 + 1, day: 1) }
            guard let date = begin(months)?.adding(days: day - 1), let next = begin(months + 1) else { return nil }
            return runsOn ? date : min(date, next.adding(days: -1))
        }
    }

    /// Later days, counted from the first, are not planned, so that every time fits an `Instant`.
    static let farthestDay = 36_500

    let start: Start
    /// nil = one day.
    let repetition: Repetition?
    /// The further times of each day.
    let times: [ClockTime]
    /// Each time is moved by a whole number of minutes from -n to n - 1, drawn evenly, as in the
    /// app; 0 = not moved.
    let randomInterval: Int
    /// How long a run stays open; nil = no limit.
    let timeout: Duration?
    /// Only the first occurrence is in the list; the others only signal. There is no time limit.
    let isSticky: Bool
    /// The running numbers taken by the modules before this one.
    let earlier: TaskNumbers

    /// How many running numbers the module takes: at least one for each occurrence, the same in every zone.
    var count: Int { (repetition?.count ?? 1) * (1 + times.count) }

    /// Sorted by time. Numbers follow day and place in the file, and leave out what falls
    /// together with another.
    package func occurrences(of task: StudyTask, in context: ScheduleContext) -> [Occurrence] {
        let first = earlier.next(in: context)
        var taken: Set<Instant> = []
        var moments: [(number: Int, moment: Moment)] = []
        for (turn, day) in days(context).enumerated() {
            for (place, moment) in ([day] + times.map { time($0, of: day, context) }).enumerated()
            where taken.insert(moment.due).inserted {
                let position = turn * (1 + times.count) + place
                moments.append((first + position, shifted(moment, of: task, position, context)))
            }
        }
        moments.sort { ($0.moment.due, $0.number) < ($1.moment.due, $1.number) }
        return moments.enumerated().map { index, entry in
            occurrence(of: task, entry.number, entry.moment, isFirst: index == 0, context)
        }
    }

    private struct Moment {
        let local: LocalDateTime
        let due: Instant
        var resolution = Zone.Resolution.unique
    }

    private func moment(_ local: LocalDateTime, _ context: ScheduleContext) -> Moment {
        let (due, resolution) = context.zone.resolve(local)
        return Moment(local: local, due: due, resolution: resolution)
    }

    private func first(_ context: ScheduleContext) -> Moment {
        switch start {
        case .enrolment(let days, let time):
            moment(LocalDateTime(context.enrolment.local.date.adding(days: days + time.day), time.time), context)
        case .local(let local): moment(local, context)
        case .instant(let instant): Moment(local: context.zone.local(instant), due: instant)
        }
    }

    /// The first time of each day.
    private func days(_ context: ScheduleContext) -> [Moment] {
        let first = first(context)
        guard let repetition else { return [first] }
        // The first time as a clock really shows it: if a change of clocks skips it, all later days move, too.
        let shown = context.zone.local(first.due)
        var days: [Moment] = []
        while days.count < repetition.count, let date = repetition.date(days.count, after: shown.date),
            date <= shown.date.adding(days: Self.farthestDay), repetition.until.map({ date <= $0 }) ?? true
        {
            days.append(moment(LocalDateTime(date, shown.time), context))
        }
        return days
    }

    private func time(_ time: ClockTime, of day: Moment, _ context: ScheduleContext) -> Moment {
        moment(LocalDateTime(context.zone.local(day.due).date.adding(days: time.day), time.time), context)
    }

    private func shifted(_ moment: Moment, of task: StudyTask, _ position: Int, _ context: ScheduleContext) -> Moment {
        guard randomInterval > 0 else { return moment }
        var generator = context.chance.generator(for: "module \(task.key)/occurrence \(position + 1)")
        return self.moment(
            moment.local.adding(minutes: generator.below(2 * randomInterval) - randomInterval), context)
    }

    private func occurrence(
        of task: StudyTask, _ number: Int, _ moment: Moment, isFirst: Bool, _ context: ScheduleContext
    ) -> Occurrence {
        Occurrence(
            id: "\(task.key)/\(number)", task: task.key, taskIndex: task.index, number: number, local: moment.local,
            due: moment.due, expires: isSticky ? nil : timeout.map { moment.due + $0 }, resolution: moment.resolution,
            isHidden: isSticky && !isFirst, isSignalled: moment.due > context.enrolment.instant)
    }
}
