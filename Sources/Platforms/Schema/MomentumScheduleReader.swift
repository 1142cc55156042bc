// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// Reads a module's alerts as momenTUM's designer of 2025 writes them (momenTUM-designer 513e871,
/// `frontend/schema/alerts.ts`, `frontend/src/utils/scheduler.ts` and `backend/models/study.py`).
/// `SchemaScheduleReader` asks `recognises`, then calls `schedule` once.
struct MomentumScheduleReader {
    /// The designer repeats no more often from a date (`for (let i = 0; i < 30; i++)`).
    private static let mostRepeats = 30
    private static let largestNumber = 36_500

    let alerts: JSONPlace
    let options: StudyOptions

    /// True for alerts of the designer of 2025; older ones have `start_offset` and `duration`.
    static func recognises(_ alerts: JSONPlace) -> Bool {
        ["scheduleMode", "startDateTime", "offsetDays", "offsetTime"].contains { alerts.member($0) != nil }
    }

    /// nil where the first time is missing, which has been noted.
    func schedule(
        isSticky: Bool, after earlier: TaskNumbers, _ findings: inout Findings
    ) -> MomentumSchedule? {
        let isRelative = isRelative(&findings)
        let start = isRelative ? relativeStart(&findings) : absoluteStart(&findings)
        let repetition = repetition(after: start, isRelative: isRelative, &findings)
        let times = furtherTimes(&findings)
        let randomInterval = findings.randomInterval("randomInterval", in: alerts)
        let timeout = timeout(isSticky: isSticky, &findings)
        return start.map {
            MomentumSchedule(
                start: $0, repetition: repetition, times: times, randomInterval: randomInterval, timeout: timeout,
                isSticky: isSticky, earlier: earlier)
        }
    }

    private func isRelative(_ findings: inout Findings) -> Bool {
        guard let mode = alerts.member("scheduleMode") else {
            findings.assume(
                "no scheduleMode: \"absolute\", as momenTUM's server has it", for: "scheduleMode", in: alerts)
            return false
        }
        if !["relative", "absolute"].contains(mode.text) {
            findings.expected("\"relative\" or \"absolute\"", at: mode)
        }
        return mode.text == "relative"
    }

    /// Days are counted from the enrolment; `expectedEnrollmentDate`, for the designer's own calendar, is not read.
    private func relativeStart(_ findings: inout Findings) -> MomentumSchedule.Start? {
        let days = findings.integer("offsetDays", 0...Self.largestNumber, in: alerts)
        guard let place = alerts.member("offsetTime") else {
            findings.missing("offsetTime", "a time of day such as \"09:30\"", in: alerts)
            return nil
        }
        guard let time = clockTime(place, &findings) else {
            findings.expected("a time of day such as \"09:30\"", at: place)
            return nil
        }
        return days.map { .enrolment(days: $0, time) }
    }

    /// As JavaScript reads a date: with `Z` or an offset a moment, without one the wall clock's, a
    /// day alone midnight in UTC.
    private func absoluteStart(_ findings: inout Findings) -> MomentumSchedule.Start? {
        let example = "a time such as \"2025-06-15T09:00:00Z\", of a year from 1970 to 2150"
        guard let place = alerts.member("startDateTime") else {
            findings.missing("startDateTime", example, in: alerts)
            return nil
        }
        guard let start = place.text.flatMap(Self.start), (1970...2150).contains(Self.date(of: start).components.year)
        else {
            findings.expected(example, at: place)
            return nil
        }
        return start
    }

    private static func start(_ text: String) -> MomentumSchedule.Start? {
        if let instant = instant(text) { return .instant(instant) }
        if let local = try? LocalDateTime(parsing: text) { return .local(local) }
        return (try? LocalDate(parsing: text)).map { .instant(LocalDateTime($0, .midnight).instant(offset: 0)) }
    }

    private static func instant(_ text: String) -> Instant? {
        // Seconds may be missing: "2025-06-15T09:00Z".
        let filled = text.count > 16 ? "\(text.prefix(16)):00\(text.dropFirst(16))" : text
        return (try? Instant(rfc3339: text)) ?? (try? Instant(rfc3339: filled))
    }

    /// The day on which it starts: of a moment, the day in UTC.
    private static func date(of start: MomentumSchedule.Start) -> LocalDate {
        switch start {
        case .enrolment: LocalDate(daysSinceEpoch: 0)
        case .local(let local): local.date
        case .instant(let instant): LocalDateTime(instant, offset: 0).date
        }
    }

    /// nil = it does not repeat.
    private func repetition(
        after start: MomentumSchedule.Start?, isRelative: Bool, _ findings: inout Findings
    ) -> MomentumSchedule.Repetition? {
        guard let place = alerts.member("repeat"), place.text != "never" else { return nil }
        guard let period = place.text.flatMap(MomentumSchedule.Repetition.Period.init) else {
            findings.expected("\"never\", \"daily\", \"weekly\", \"monthly\" or \"yearly\"", at: place)
            return nil
        }
        var repetition = MomentumSchedule.Repetition(
            period: period, interval: number("interval", 1...Self.largestNumber, or: 1, &findings),
            count: Self.mostRepeats,
            until: isRelative ? nil : until(&findings), runsOn: !isRelative)
        if isRelative {
            repetition.count = number("repeatCount", 0...Self.largestNumber, or: 0, &findings) + 1
        } else if let start {
            repetition.count = count(repetition, from: Self.date(of: start), &findings)
        }
        return repetition
    }

    /// Days up to `until`; without `--all-repeats` no more than the designer shows.
    private func count(
        _ repetition: MomentumSchedule.Repetition, from first: LocalDate, _ findings: inout Findings
    ) -> Int {
        guard let until = repetition.until else {
            findings.warn(
                "without `until` it is due \(Self.mostRepeats) times, as in momenTUM's designer", for: "until",
                in: alerts)
            return Self.mostRepeats
        }
        // In the participant's zone the first day may be another; `until` is compared again there.
        let all = (0..<Self.largestNumber).prefix {
            repetition.date($0, after: first).map { $0 <= until.adding(days: 3) } ?? false
        }.count
        if until < first { findings.warn("the last day is before the first: never due", for: "until", in: alerts) }
        if options.makesAllRepeats { return all }
        if all > Self.mostRepeats, let cut = repetition.date(Self.mostRepeats, after: first), cut <= until {
            let last = repetition.date(Self.mostRepeats - 1, after: first)?.description ?? ""
            findings.warn(
                "due \(Self.mostRepeats) times, the last on \(last), as in the calendar of momenTUM's designer; with --\(SchemaOptions.allRepeats.name) it goes on until \(until)",
                for: "until", in: alerts)
        }
        return min(all, Self.mostRepeats)
    }

    private func number(
        _ key: String, _ range: ClosedRange<Int>, or assumed: Int, _ findings: inout Findings
    ) -> Int {
        guard alerts.member(key) != nil else {
            findings.assume("\(assumed), as momenTUM's designer has it", for: key, in: alerts)
            return assumed
        }
        return findings.integer(key, range, in: alerts) ?? assumed
    }

    private func until(_ findings: inout Findings) -> LocalDate? {
        guard let place = alerts.member("until"), place.text != "" else { return nil }
        guard let text = place.text, let date = try? LocalDate(parsing: text) else {
            findings.expected("a day such as \"2025-12-31\"", at: place)
            return nil
        }
        return date
    }

    private func furtherTimes(_ findings: inout Findings) -> [ClockTime] {
        guard alerts.member("times") != nil else { return [] }
        return findings.array("times", of: "times", in: alerts).compactMap { place in
            let time = clockTime(place, &findings)
            if time == nil {
                findings.warn(
                    "no time of day such as \"09:30\": never due, as in the calendar of momenTUM's designer", at: place)
            }
            return time
        }
    }

    /// Hours and minutes count, as in the designer; `{"hours":9,"minutes":5}` of older files is
    /// `09:05`, as its server makes of it.
    private func clockTime(_ place: JSONPlace, _ findings: inout Findings) -> ClockTime? {
        let parts =
            place.isObject
            ? ["hours", "minutes"].map { place.member($0) == nil ? 0 : place.whole($0) }
            : (place.text ?? "").split(separator: ":", omittingEmptySubsequences: false).prefix(3).map { Int($0) }
        guard parts.count >= 2, let hours = parts[0], let minutes = parts[1], 0..<1_000 ~= hours, 0..<1_000 ~= minutes
        else { return nil }
        if parts.count > 2, parts[2] != 0 {
            findings.assume("seconds do not count, as in the calendar of momenTUM's designer", at: place)
        }
        return findings.clockTime(hours, minutes, at: place)
    }

    /// 0 is no limit, as the dashboard has it.
    private func timeout(isSticky: Bool, _ findings: inout Findings) -> Duration? {
        guard findings.flag("timeout", in: alerts) else { return nil }
        if let place = alerts.member("timeoutAfter"), place.number == 0 {
            findings.warn("0 is no time limit, as in momenTUM's dashboard", at: place)
            return nil
        }
        return findings.timeout("timeoutAfter", in: alerts, unit: options.timeouts, isSticky: isSticky)
    }
}
