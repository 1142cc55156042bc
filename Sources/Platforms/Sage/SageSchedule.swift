// SPDX-License-Identifier: Apache-2.0
import Base
import PlatformKit
import Study

/// When a task is due, as `study.toml` says: at fixed times or at random ones within windows, on some days,
/// counted from an anchor; or after another task; or at any time. `SageDecoder` makes one for each task, and
/// `Planner` asks it for the occurrences.
struct SageSchedule: Schedule, Hashable {
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
    /// Random times, drawn each day.
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
    private var times: [Int] = []
    private var windows: [Window] = []
    /// ISO 8601: Monday is 1; empty = every day.
    private var weekdays: Set<Int> = []
    /// Due on every `interval`-th day.
    private var interval = 1
    /// Days after the anchor, whose own day is 0; both days are included. A year, where the file does not say
    /// when it ends.
    private var firstDay = 0
    private var lastDay = 365
    private(set) var anchor = Anchor.enrolment
    private(set) var after: After?
    /// Nil = until the next is due, for a day at most.
    private var expires: Duration?
    /// Counted from the time when a run is due.
    private var reminders: [Duration] = []
    /// The task can be done at any time, as often as the participant likes.
    private(set) var isOpenAlways = true

    init() {}

    // MARK: - From the table of a task in `study.toml`

    /// A faulty value is noted as a problem, and counts as absent.
    init(_ place: JSONPlace, _ findings: inout Findings) {
        self.init()
        for (text, holder) in findings.texts("times", in: place) {
            if let minute = Self.minute(text) {
                times.append(minute)
            } else {
                findings.expected("a time of the day such as \"08:30\"", at: holder)
            }
        }
        readWindows(place, &findings)
        after = Self.after(place, &findings)
        isOpenAlways = times.isEmpty && windows.isEmpty && after == nil && place.member("windows") == nil
        if isOpenAlways {
            for key in ["days", "every", "anchor", "first_day", "last_day", "expires"] where place.member(key) != nil {
                findings.expected("times, windows or after together with it", at: place.member(key) ?? place)
            }
        }
        readDays(place, &findings)
        readAnchor(place, &findings)
        expires = Self.duration("expires", place, &findings)
        reminders = findings.texts("reminders", in: place).compactMap {
            Self.duration($0.text, at: $0.place, &findings)
        }
    }

    private mutating func readWindows(_ place: JSONPlace, _ findings: inout Findings) {
        guard place.member("windows") != nil else { return }
        for window in findings.objects(findings.array("windows", of: "windows", in: place), "a table") {
            let start = findings.requiredText("start", in: window).flatMap(Self.minute)
            let end = findings.requiredText("end", in: window).flatMap(Self.minute)
            let prompts = window.member("prompts") == nil ? 1 : findings.integer("prompts", 1...24, in: window) ?? 1
            let apart = Self.duration("apart", window, &findings) ?? .zero
            let minutes = Int(apart.seconds / 60)
            guard let start, let end, start < end, (prompts - 1) * max(1, minutes) <= end - start else {
                findings.expected(
                    "start before end, such as \"09:00\" and \"12:00\", with room for its prompts", at: window)
                continue
            }
            windows.append(Window(start: start, end: end, prompts: prompts, apart: minutes))
        }
    }

    private static let dayNames = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]

    private mutating func readDays(_ place: JSONPlace, _ findings: inout Findings) {
        for (text, holder) in findings.texts("days", in: place) {
            if let index = Self.dayNames.firstIndex(of: String(text.lowercased().prefix(3))) {
                weekdays.insert(index + 1)
            } else {
                findings.expected("days of the week: mon, tue, wed, thu, fri, sat, sun", at: holder)
            }
        }
        if place.member("every") != nil { interval = findings.integer("every", 1...366, in: place) ?? 1 }
        if place.member("first_day") != nil { firstDay = findings.integer("first_day", -366...3_660, in: place) ?? 0 }
        lastDay = firstDay + 365
        if place.member("last_day") != nil {
            lastDay = findings.integer("last_day", -366...3_660, in: place) ?? lastDay
        }
        if lastDay < firstDay { findings.expected("last_day not before first_day", at: place, found: "\(lastDay)") }
    }

    private mutating func readAnchor(_ place: JSONPlace, _ findings: inout Findings) {
        guard let holder = place.member("anchor") else { return }
        let text = holder.text ?? ""
        if text == "enrolment" || text == "enrollment" { return }
        let parts = text.split(separator: "/", maxSplits: 1).map(String.init)
        if let date = Self.date(text) {
            anchor = .date(date)
        } else if parts.count == 2 {
            anchor = .answer(task: parts[0], question: parts[1])
        } else {
            findings.expected("enrolment, a day such as 2026-12-01, or task/question of a date", at: holder)
        }
    }

    private static func after(_ place: JSONPlace, _ findings: inout Findings) -> After? {
        guard let holder = place.member("after") else { return nil }
        guard let task = holder.text, !task.isEmpty else {
            findings.expected("the identifier of another task", at: holder)
            return nil
        }
        return After(task: task, delay: duration("delay", place, &findings) ?? .zero)
    }

    private static func duration(_ key: String, _ place: JSONPlace, _ findings: inout Findings) -> Duration? {
        place.member(key).flatMap { duration($0.text ?? "", at: $0, &findings) }
    }

    private static func duration(_ text: String, at place: JSONPlace, _ findings: inout Findings) -> Duration? {
        guard let duration = try? Duration(parsing: text), duration >= .zero, duration <= .seconds(86_400 * 366) else {
            findings.expected("a duration such as \"30m\" or \"2h\"", at: place)
            return nil
        }
        return duration
    }

    /// `18:30` or `18:30:00` as the minute of its day.
    static func minute(_ text: String) -> Int? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count >= 2, parts.count <= 3, parts.allSatisfy({ $0.utf8.count == 2 }), let hour = Int(parts[0]),
            let minute = Int(parts[1]), (0..<24).contains(hour), (0..<60).contains(minute)
        else { return nil }
        return hour * 60 + minute
    }

    // MARK: - When it is due

    /// Bounds memory; later prompts are left out.
    private static let maximum = 20_000

    /// A prompt that has come stays when an anchor moves.
    var keepsIssuedRuns: Bool { anchor != .enrolment }

    func occurrences(of task: StudyTask, in context: ScheduleContext) -> [Occurrence] {
        if isOpenAlways { return AlwaysOpen().occurrences(of: task, in: context) }
        guard after == nil, let first = anchorDay(context) else { return [] }
        var made: [(id: String, local: LocalDateTime)] = []
        for day in firstDay...max(firstDay, lastDay) where (day - firstDay) % interval == 0 && made.count < Self.maximum
        {
            let date = first.adding(days: day)
            guard weekdays.isEmpty || weekdays.contains(date.weekday), context.zone.has(date) else { continue }
            let minutes = times + windows.indices.flatMap { drawn($0, task, day, date, context) }
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
        var all = made.map { (id: $0.id, due: DueTime($0.local, in: context.zone)) }
            .filter {
                // In the zone of the enrolment, so that a change of zone takes nothing away.
                anchor != .enrolment
                    || context.enrolment.zone.resolve($0.due.local).instant >= context.enrolment.instant
            }
        // When clocks are put forward, times may fall together or change their order. Several at one
        // moment become one, because the first would end as it begins.
        all.sort { $0.due.instant < $1.due.instant }
        all = zip(all.indices, all).filter { $0 == 0 || all[$0 - 1].due.instant < $1.due.instant }.map(\.1)
        return all.enumerated().map { index, entry in
            let next = index + 1 < all.count ? all[index + 1].due.instant : nil
            return occurrence(entry.id, index + 1, entry.due, next, of: task)
        }
    }

    private func occurrence(
        _ id: String, _ number: Int, _ due: DueTime, _ next: Instant?, of task: StudyTask
    ) -> Occurrence {
        let day = due.instant + .seconds(86_400)
        let end = expires.map { due.instant + $0 } ?? next.map { min($0, day) } ?? day
        var result = Occurrence(
            id: "\(task.key)/\(id)", task: task.key, taskIndex: task.index, number: number, local: due.local,
            due: due.instant, expires: end, resolution: due.resolution)
        result.calls.reminders = reminders.map { due.instant + $0 }.filter { $0 < end }
        return result
    }

    /// Due a fixed time after the other task was submitted.
    func raised(by happening: StudyHappening, of task: StudyTask, in context: ScheduleContext) -> [Occurrence] {
        guard let after, happening.name == .submitted, happening.task == after.task else { return [] }
        let due = DueTime(happening.moment + after.delay, in: context.zone)
        return [occurrence("after@\(happening.moment.milliseconds)", 1, due, nil, of: task)]
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

    /// The random times of one window on one day, as minutes of the day.
    private func drawn(
        _ index: Int, _ task: StudyTask, _ day: Int, _ date: LocalDate, _ context: ScheduleContext
    ) -> [Int] {
        let window = windows[index]
        let minutes = Self.minutes(of: window, on: date, in: context.zone)
        var generator = context.chance.generator(for: "signal \(task.key)/\(index)/\(day)")
        let places = Self.drawn(window.prompts, of: minutes.count, apart: window.apart, &generator)
        // If two fall on one minute, they are drawn again at least a minute apart.
        let isClear = Set(places).count == places.count
        let all = isClear ? places : Self.drawn(window.prompts, of: minutes.count, apart: 1, &generator)
        return all.map { minutes[$0] }
    }

    /// The minutes of a window that wall clocks show on that day, so that what is drawn from them keeps its
    /// distance in a night in which clocks go forward. Where they skip the window's end, all: what is skipped
    /// moves on, and the distance stays.
    private static func minutes(of window: Window, on date: LocalDate, in zone: Zone) -> [Int] {
        func due(_ minute: Int) -> DueTime {
            DueTime(LocalDateTime(date, .midnight).adding(minutes: minute), in: zone)
        }
        let all = Array(window.start...window.end)
        let length = due(window.end).instant - due(window.start).instant
        if length == .seconds(60 * (window.end - window.start)) { return all }
        return all.filter { due($0).resolution != .skipped }
    }

    /// Draws places below `room` at least `apart` from each other: all such sets are equally likely. Fewer than
    /// `count` where there is no room for more.
    private static func drawn(_ count: Int, of room: Int, apart: Int, _ generator: inout SplitMix64) -> [Int] {
        let count = min(count, (room - 1) / max(1, apart) + 1)
        let spare = room - 1 - (count - 1) * apart
        let places = (0..<count).map { _ in generator.below(spare + 1) }.sorted()
        return places.enumerated().map { $1 + $0 * apart }
    }

    /// `2026-11-22`; nil where there is no such day.
    static func date(_ text: String) -> LocalDate? {
        let parts = text.split(separator: "-").map { Int($0) }
        guard parts.count == 3, let year = parts[0], let month = parts[1], let day = parts[2] else { return nil }
        return LocalDate(year: year, month: month, day: day)
    }
}
