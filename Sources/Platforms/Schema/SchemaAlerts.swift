// SPDX-License-Identifier: Apache-2.0
import Base
import Study

extension SchemaDecoder {
    private static let farthestDay = 36_500

    mutating func schedule(_ alerts: JSONPlace?, arm: Arm, isSticky: Bool) -> any Schedule {
        guard let alerts else { return SchemaSchedule(startOffset: 0, duration: 0, times: []) }
        if Self.isOfLaterDesigner(alerts) { return momentumSchedule(alerts, arm: arm, isSticky: isSticky) }
        let duration = duration(alerts)
        let times = duration > 0 || alerts.member("times") != nil ? self.times(alerts) : []
        let schedule = SchemaSchedule(
            startOffset: startOffset(alerts), duration: duration, times: isNobody(arm) ? [] : times.map(\.time),
            dayShifts: isNobody(arm) ? [] : times.map(\.day),
            randomInterval: randomInterval("random_interval", alerts),
            timeout: timeout("timeout_after", alerts, isSticky: isSticky), isSticky: isSticky,
            earlier: earlier)
        earlier.append(.init(condition: arm.name, count: schedule.count))
        return schedule
    }

    func isNobody(_ arm: Arm) -> Bool { if case .nobody = arm { true } else { false } }

    /// The app counts days while they are below the number: two and a half are three,
    /// none and fewer none.
    private mutating func duration(_ alerts: JSONPlace) -> Int {
        guard let days = whole("duration", in: alerts, rounding: .up) else {
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
    private mutating func times(_ alerts: JSONPlace) -> [(day: Int, time: LocalTime)] {
        findings.array("times", of: "times", in: alerts).compactMap { place in
            guard let hours = whole("hours", in: place), let minutes = whole("minutes", in: place),
                abs(hours) < 100_000, abs(minutes) < 1_000_000
            else {
                findings.warn("no time of day with `hours` and `minutes`: never due, as in the app", at: place)
                return nil
            }
            return time(hours * 60 + minutes, isPlain: 0...23 ~= hours && 0...59 ~= minutes, at: place)
        }
    }

    mutating func time(_ minutes: Int, isPlain: Bool, at place: JSONPlace) -> (day: Int, time: LocalTime)? {
        let day = minutes >= 0 ? minutes / 1_440 : -((1_439 - minutes) / 1_440)
        let rest = minutes - day * 1_440
        guard let time = LocalTime(hour: rest / 60, minute: rest % 60) else { return nil }
        if !isPlain {
            findings.warn("not a time of day; it is counted on to \(time) of day \(day) from there", at: place)
        }
        return (day, time)
    }

    private mutating func startOffset(_ alerts: JSONPlace) -> Int {
        guard let offset = whole("start_offset", in: alerts, rounding: .down) else {
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

    mutating func randomInterval(_ key: String, _ alerts: JSONPlace) -> Int {
        guard findings.flag("random", in: alerts) else { return 0 }
        return findings.integer(key, 0...14_400, in: alerts) ?? 0
    }

    mutating func timeout(_ key: String, _ alerts: JSONPlace, isSticky: Bool) -> Duration? {
        guard findings.flag("timeout", in: alerts) else { return nil }
        guard !isSticky else {
            findings.assume("a sticky module has no time limit, as in the app", for: "timeout", in: alerts)
            return nil
        }
        guard let number = findings.integer(key, 0...315_360_000_000, in: alerts) else { return nil }
        let limit = SchemaTimeout(number, unit: timeouts)
        if let place = alerts.member(key) {
            if limit.isDoubtful {
                findings.warn(limit.words, at: place)
            } else {
                findings.assume(limit.words, at: place)
            }
        }
        return limit.duration
    }
}
