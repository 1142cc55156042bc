// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// Reads when modules are due, in the order of the file: a module's task numbers follow those of
/// the modules before it.
struct SchemaScheduleReader {
    /// Bounds the days counted from the enrolment, so that every time fits an `Instant`.
    private static let farthestDay = 36_500

    let options: StudyOptions
    /// The task numbers taken so far.
    private(set) var numbers = TaskNumbers()

    /// A module that belongs to no arm is never due and takes no numbers.
    mutating func schedule(
        _ alerts: JSONPlace?, for arm: SchemaArms.Arm, isSticky: Bool, _ findings: inout Findings
    ) -> any Schedule {
        guard let alerts else { return SchemaSchedule.never }
        if MomentumScheduleReader.recognises(alerts) {
            let reader = MomentumScheduleReader(alerts: alerts, options: options)
            let schedule = reader.schedule(isSticky: isSticky, after: numbers, &findings)
            guard let schedule, !arm.isUnknown else { return SchemaSchedule.never }
            numbers.take(schedule.count, for: arm.name)
            return schedule
        }
        let duration = duration(alerts, &findings)
        let times = duration > 0 || alerts.member("times") != nil ? times(alerts, &findings) : []
        let schedule = SchemaSchedule(
            startOffset: startOffset(alerts, &findings), duration: duration, times: times,
            randomInterval: findings.randomInterval("random_interval", in: alerts),
            timeout: findings.timeout("timeout_after", in: alerts, unit: options.timeouts, isSticky: isSticky),
            isSticky: isSticky, earlier: numbers)
        guard !arm.isUnknown else { return SchemaSchedule.never }
        numbers.take(schedule.count, for: arm.name)
        return schedule
    }

    /// The app counts days while they are below the number: two and a half are three.
    private func duration(_ alerts: JSONPlace, _ findings: inout Findings) -> Int {
        guard let days = alerts.whole("duration", rounding: .up) else {
            findings.warn(
                "not a number of days, so the module is never due, as in the app", for: "duration", in: alerts)
            return 0
        }
        guard days <= Self.farthestDay else {
            findings.expected(
                "at most \(Self.farthestDay) days", at: alerts.member("duration") ?? alerts, found: "\(days)")
            return 0
        }
        if days <= 0 { findings.warn("on no day, so the module is never due", for: "duration", in: alerts) }
        return max(0, days)
    }

    /// Hours beyond the day and minutes beyond the hour run on, as in JavaScript's dates.
    private func times(_ alerts: JSONPlace, _ findings: inout Findings) -> [ClockTime] {
        let places = findings.array("times", of: "times", in: alerts)
        if places.isEmpty, alerts.member("times")?.elements != nil {
            findings.warn("no time, so the module is never due, as in the app", for: "times", in: alerts)
        }
        return places.compactMap { place in
            guard let hours = place.whole("hours"), let minutes = place.whole("minutes"),
                abs(hours) < 100_000, abs(minutes) < 1_000_000
            else {
                findings.warn("no time of day with `hours` and `minutes`: never due, as in the app", at: place)
                return nil
            }
            return findings.clockTime(hours, minutes, at: place)
        }
    }

    private func startOffset(_ alerts: JSONPlace, _ findings: inout Findings) -> Int {
        guard let offset = alerts.whole("start_offset", rounding: .down) else {
            findings.assume("the first day is the day of enrolment", for: "start_offset", in: alerts)
            return 0
        }
        guard abs(offset) <= Self.farthestDay else {
            findings.expected(
                "a whole number from \(-Self.farthestDay) to \(Self.farthestDay)",
                at: alerts.member("start_offset") ?? alerts, found: "\(offset)")
            return 0
        }
        return offset
    }
}

/// What schema's alerts and momenTUM's have in common, under other keys.
extension Findings {
    mutating func clockTime(_ hours: Int, _ minutes: Int, at place: JSONPlace) -> ClockTime? {
        let time = ClockTime(minutes: hours * 60 + minutes)
        if let time, !(0...23 ~= hours && 0...59 ~= minutes) {
            warn("not a time of day; it is counted on to \(time.time) of day \(time.day) from there", at: place)
        }
        return time
    }

    mutating func randomInterval(_ key: String, in alerts: JSONPlace) -> Int {
        guard flag("random", in: alerts) else { return 0 }
        return integer(key, 0...14_400, in: alerts) ?? 0
    }

    mutating func timeout(
        _ key: String, in alerts: JSONPlace, unit: StudyOptions.TimeoutUnit?, isSticky: Bool
    ) -> Duration? {
        guard flag("timeout", in: alerts) else { return nil }
        guard !isSticky else {
            assume("a sticky module has no time limit, as in the app", for: "timeout", in: alerts)
            return nil
        }
        guard let number = integer(key, 0...315_360_000_000, in: alerts), let place = alerts.member(key) else {
            return nil
        }
        let timeout = SchemaTimeout(number, unit: unit)
        if timeout.isDoubtful { warn(timeout.message, at: place) } else { assume(timeout.message, at: place) }
        return timeout.duration
    }
}
