// SPDX-License-Identifier: Apache-2.0
import Base

/// A plan for people, as `studyd plan` prints it: what is due under a heading for each day (`text`) or as a
/// grid of months (`calendar`), without seconds, and the totals.
package struct PlanPage: Sendable {
    private let lines: [PlanLine]
    private let zone: Zone
    private let names: [String: String]

    /// A page of these lines, which are in time order; tasks are called as their study calls them.
    package init(_ lines: [PlanLine], of study: StudyProtocol, zone: Zone) {
        self.lines = lines
        self.zone = zone
        names = Dictionary(study.tasks.map { ($0.key, $0.name) }) { first, _ in first }
    }

    /// The days, and the totals.
    package var text: String {
        guard !lines.isEmpty else { return "nothing is due\n" }
        var (text, day): (String, LocalDate?) = ("", nil)
        let width = lines.map { span($0).count }.max() ?? 0
        for line in lines {
            let date = local(line).date
            if date != day { text += (day == nil ? "" : "\n") + "\(Self.heading(date))\n" }
            day = date
            text += entry(line, width)
        }
        return text + "\n" + totals + explanation
    }

    private var explanation: String {
        lines.contains { $0.isBeforeEnrolment }
            ? "[before enrolment]: due before the participant joined, so it is not prompted; it may still be open to do.\n"
            : ""
    }

    /// A grid of weeks for each month: how many tasks are due on each day.
    package var calendar: String {
        guard let first = lines.first.map({ local($0).date }), let last = lines.last.map({ local($0).date }) else {
            return "nothing is due\n"
        }
        let counts = counts
        var text = ""
        var month = LocalDate(year: first.components.year, month: first.components.month, day: 1)
        while let start = month, start <= last {
            let next = Self.following(start)
            text += grid(start, until: next, counts)
            month = next
        }
        return text + totals
    }

    private var counts: [LocalDate: Int] {
        lines.reduce(into: [:]) { $0[local($1).date, default: 0] += 1 }
    }

    /// One month, with nine characters for each day: `19: 3` where three tasks are due on the 19th.
    private func grid(_ start: LocalDate, until end: LocalDate?, _ counts: [LocalDate: Int]) -> String {
        let (year, month, _) = start.components
        var text =
            "\(Self.name(ofMonth: month)) \(year)\n"
            + Self.days.map { " " + Self.padded(String($0.prefix(3)), 8) }.joined() + "\n"
        text += String(repeating: String(repeating: " ", count: 9), count: start.weekday - 1)
        var day = start
        while end.map({ day < $0 }) ?? false {
            let count = counts[day].map { ": \($0)" } ?? ""
            text += " " + Self.padded(Self.number(day.components.day) + count, 8)
            if day.weekday == 7 { text += "\n" }
            day = day.adding(days: 1)
        }
        return text.split(separator: "\n", omittingEmptySubsequences: false).map(Self.trimmed).joined(separator: "\n")
            + (day.weekday == 1 ? "\n" : "\n\n")
    }

    /// `  09:00–10:00  Morning (morning/102)`, then the line's remark in square brackets.
    private func entry(_ line: PlanLine, _ width: Int) -> String {
        let name = names[line.occurrence.task].flatMap { $0.isEmpty ? nil : $0 }
        let title = name.map { "\($0) (\(line.occurrence.id))" } ?? line.occurrence.id
        let remark = line.remark.map { "  [\($0)]" } ?? ""
        return "  \(Self.padded(span(line), width))  \(title.shown)\(remark)\n"
    }

    /// `09:00–10:00`, with the day where it ends on another, and its year where that is another, with offsets where
    /// the clock is put back in between.
    private func span(_ line: PlanLine) -> String {
        let start = local(line)
        guard let expires = line.occurrence.expires, !line.isJumpedOver else { return Self.minutes(start.time) }
        let end = zone.local(expires)
        let year = end.date.components.year
        let ofYear = year == start.date.components.year ? "" : "\(year) "
        let day = end.date == start.date ? "" : Self.short(end.date) + " " + ofYear
        let isPutBack = end <= start && line.occurrence.due < expires
        func shown(_ instant: Instant) -> String {
            Self.minutes(zone.local(instant).time)
                + (isPutBack ? Zone.text(offset: zone.period(at: instant).offset) : "")
        }
        return "\(shown(line.occurrence.due))–\(day)\(shown(expires))"
    }

    private var totals: String {
        let tasks = lines.reduce(into: [(key: String, count: Int)]()) { tasks, line in
            if let place = tasks.firstIndex(where: { $0.key == line.occurrence.task }) {
                tasks[place].count += 1
            } else {
                tasks.append((line.occurrence.task, 1))
            }
        }
        let rows = tasks.map { task in
            let name = names[task.key] ?? ""
            return "  \(Self.padded(String(task.count), 5))  \((name.isEmpty ? task.key : name).shown)\n"
        }
        let perDay = counts.values  // of the days that have something due
        let (least, most) = (perDay.min() ?? 0, perDay.max() ?? 0)
        let range = least == most ? "\(most)" : "\(least) to \(most)"
        return "Total: \(lines.count) on \(perDay.count) \(perDay.count == 1 ? "day" : "days"), \(range) a day\n"
            + rows.joined()
    }

    private func local(_ line: PlanLine) -> LocalDateTime { zone.local(line.occurrence.due) }

    private static let days = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
    private static func name(ofMonth month: Int) -> String { CalendarPhrases.months[month - 1].text(in: .english) }

    private static func heading(_ date: LocalDate) -> String {
        let (year, month, day) = date.components
        return "\(days[date.weekday - 1]) \(day) \(name(ofMonth: month)) \(year)"
    }

    private static func short(_ date: LocalDate) -> String {
        "\(date.components.day) \(name(ofMonth: date.components.month).prefix(3))"
    }

    private static func following(_ month: LocalDate) -> LocalDate? {
        let (year, number, _) = month.components
        return LocalDate(year: number == 12 ? year + 1 : year, month: number == 12 ? 1 : number + 1, day: 1)
    }

    private static func minutes(_ time: LocalTime) -> String { "\(time.hour.padded(2)):\(time.minute.padded(2))" }
    private static func number(_ value: Int) -> String { value < 10 ? " \(value)" : String(value) }
    private static func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }
    private static func trimmed(_ line: Substring) -> Substring {
        line.last == " " ? trimmed(line.dropLast()) : line
    }
}
