// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// Reads when modules are due, for `SchemaModuleReader`, in the order of the file: a module's task numbers
/// follow those of the modules before it.
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
