// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// Read from the table of a task in `study.toml`.
extension SageSchedule {
    /// What has been wrong is noted, and read as nothing.
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
            guard let start, let end, start < end, (prompts - 1) * minutes <= end - start else {
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

    private static func minute(_ text: String) -> Int? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count >= 2, parts.count <= 3, parts.allSatisfy({ $0.utf8.count == 2 }), let hour = Int(parts[0]),
            let minute = Int(parts[1]), (0..<24).contains(hour), (0..<60).contains(minute)
        else { return nil }
        return hour * 60 + minute
    }
}
