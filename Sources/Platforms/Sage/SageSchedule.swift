// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// When a task is due, as `study.toml` says: at fixed times or at random ones within windows, on
/// some days, counted from an anchor; or after another task; or at any time.
struct SageSchedule: Schedule, Hashable {
    /// From which day days are counted.
    enum Anchor: Sendable, Hashable {
        case enrolment
        case date(LocalDate)
        /// The answer to a question that asks for a date.
        case answer(task: String, question: String)

        /// How the date gets to be known; nil where it is known.
        var rule: AnchorRule? {
            guard case .answer(let task, let question) = self else { return nil }
            return AnchorRule(task: task, question: question, variable: "sage/\(task)/\(question)")
        }
    }
    /// Random times, drawn anew each day.
    struct Window: Sendable, Hashable {
        /// Minutes of the day.
        let start: Int
        let end: Int
        let prompts: Int
        /// The least time between two of them, in minutes.
        let apart: Int
    }
    /// Due when another task was submitted.
    struct After: Sendable, Hashable {
        let task: String
        let delay: Duration
    }

    /// Minutes of the day.
    var times: [Int] = []
    var windows: [Window] = []
    /// ISO 8601: Monday is 1; empty = every day.
    var weekdays: Set<Int> = []
    /// Every so many days.
    var interval = 1
    /// Days after the anchor, the anchor's own being 0; both are part of it.
    var firstDay = 0
    var lastDay = 365
    var anchor = Anchor.enrolment
    var after: After?
    /// Nil = until the next is due, for a day at most.
    var expires: Duration?
    var reminders: [Duration] = []
    /// It can be done at any time, as often as one likes.
    var isOpenAlways = true

    init() {}

    /// More than a device should hold.
    private static let maximum = 20_000

    /// What was given out stays when an anchor moves.
    var keepsIssuedRuns: Bool { anchor != .enrolment }

    func occurrences(of task: StudyTask, in context: ScheduleContext) -> [Occurrence] {
        if isOpenAlways {
            let joined = context.enrolment
            return [
                Occurrence(
                    id: "\(task.key)/open", task: task.key, taskIndex: task.index, number: 1, local: joined.local,
                    due: joined.instant, expires: nil, isSignalled: false)
            ]
        }
        guard after == nil, let first = anchorDay(context) else { return [] }
        var made: [(id: String, local: LocalDateTime)] = []
        for day in firstDay...max(firstDay, lastDay) where (day - firstDay) % interval == 0 && made.count < Self.maximum
        {
            let date = first.adding(days: day)
            guard weekdays.isEmpty || weekdays.contains(date.weekday) else { continue }
            let minutes = times + windows.indices.flatMap { drawn($0, task, day, context) }
            for (index, minute) in minutes.sorted().enumerated() {
                guard let time = LocalTime(hour: minute / 60, minute: minute % 60) else { continue }
                made.append(("\(day).\(index)", LocalDateTime(date, time)))
            }
        }
        return occurrences(made, of: task, context)
    }

    private func occurrences(
        _ made: [(id: String, local: LocalDateTime)], of task: StudyTask, _ context: ScheduleContext
    ) -> [Occurrence] {
        let all = made.map { ($0.id, $0.local, context.zone.resolve($0.local)) }
            .filter {
                // Of the enrolment's own zone: no other one takes away what was planned.
                anchor != .enrolment || context.enrolment.zone.resolve($0.1).instant >= context.enrolment.instant
            }
        return all.enumerated().map { index, entry in
            let next = index + 1 < all.count ? all[index + 1].2.instant : nil
            return occurrence(entry.0, index + 1, entry.1, next, of: task, context)
        }
    }

    private func occurrence(
        _ id: String, _ number: Int, _ local: LocalDateTime, _ next: Instant?, of task: StudyTask,
        _ context: ScheduleContext
    ) -> Occurrence {
        let (due, resolution) = context.zone.resolve(local)
        let day = due + .seconds(86_400)
        let end = expires.map { due + $0 } ?? next.map { min($0, day) } ?? day
        var result = Occurrence(
            id: "\(task.key)/\(id)", task: task.key, taskIndex: task.index, number: number, local: local, due: due,
            expires: end, resolution: resolution)
        result.calls.reminders = reminders.map { due + $0 }.filter { $0 < end }
        return result
    }

    /// Due so long after the other task was submitted.
    func raised(by happening: StudyHappening, of task: StudyTask, in context: ScheduleContext) -> [Occurrence] {
        guard let after, happening.name == .submitted, happening.task == after.task else { return [] }
        let local = context.zone.local(happening.moment + after.delay)
        return [occurrence("after@\(happening.moment.milliseconds)", 1, local, nil, of: task, context)]
    }

    private func anchorDay(_ context: ScheduleContext) -> LocalDate? {
        switch anchor {
        case .enrolment: return context.enrolment.local.date
        case .date(let date): return date
        case .answer:
            guard let variable = anchor.rule?.variable, case .dateTime(let local)? = context.facts.variables[variable]
            else { return nil }
            return local.date
        }
    }

    /// Minutes of the day, evenly over all ways to lie so far apart.
    private func drawn(_ index: Int, _ task: StudyTask, _ day: Int, _ context: ScheduleContext) -> [Int] {
        let window = windows[index]
        var generator = context.chance.generator(for: "signal \(task.key)/\(index)/\(day)")
        let room = window.end - window.start - (window.prompts - 1) * window.apart
        guard room >= 0 else { return [] }
        let places = (0..<window.prompts).map { _ in generator.below(room + 1) }.sorted()
        return places.enumerated().map { window.start + $1 + $0 * window.apart }
    }

    /// `2026-11-22`; nil for what is no day.
    static func date(_ text: String) -> LocalDate? {
        let parts = text.split(separator: "-").map { Int($0) }
        guard parts.count == 3, let year = parts[0], let month = parts[1], let day = parts[2] else { return nil }
        return LocalDate(year: year, month: month, day: day)
    }
}
