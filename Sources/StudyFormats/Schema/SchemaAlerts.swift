// SPDX-License-Identifier: Apache-2.0
import StudyModel
import Times

extension SchemaDecoder {
    private static let farthestDay = 36_500

    /// A module's `alerts`.
    mutating func schedule(_ alerts: JSONPlace?, arm: Arm) -> SchemaSchedule {
        guard let alerts else { return SchemaSchedule(startOffset: 0, duration: 0, times: []) }
        let times = self.times(alerts)
        let duration = findings.integer("duration", 0...Self.farthestDay, in: alerts) ?? 0
        let isSticky = findings.flag("sticky", in: alerts)
        let schedule = SchemaSchedule(
            startOffset: startOffset(alerts), duration: duration, times: isNobody(arm) ? [] : times,
            randomInterval: randomInterval(alerts), timeout: timeout(alerts, isSticky: isSticky), isSticky: isSticky,
            earlier: earlier)
        earlier.append(.init(condition: arm.name, count: schedule.count))
        return schedule
    }

    private func isNobody(_ arm: Arm) -> Bool { if case .nobody = arm { true } else { false } }

    private mutating func times(_ alerts: JSONPlace) -> [LocalTime] {
        findings.objects(findings.array("times", of: "times", in: alerts), "an object with `hours` and `minutes`")
            .compactMap { place in
                let hours = findings.integer("hours", 0...23, in: place)
                let minutes = findings.integer("minutes", 0...59, in: place)
                guard let hours, let minutes else { return nil }
                return LocalTime(hour: hours, minute: minutes)
            }
    }

    private mutating func startOffset(_ alerts: JSONPlace) -> Int {
        guard alerts.member("start_offset") != nil else {
            findings.assume("the first day is the day of enrolment", for: "start_offset", in: alerts)
            return 0
        }
        return findings.integer("start_offset", -Self.farthestDay...Self.farthestDay, in: alerts) ?? 0
    }

    private mutating func randomInterval(_ alerts: JSONPlace) -> Int {
        guard findings.flag("random", in: alerts) else { return 0 }
        return findings.integer("random_interval", 0...14_400, in: alerts) ?? 0
    }

    /// The app adds the number as milliseconds, the README says minutes, and real files differ.
    private mutating func timeout(_ alerts: JSONPlace, isSticky: Bool) -> Duration? {
        guard findings.flag("timeout", in: alerts) else { return nil }
        guard let number = findings.integer("timeout_after", 0...315_360_000_000, in: alerts) else { return nil }
        let isMinutes = number < 60_000
        if let place = alerts.member("timeout_after") {
            findings.assume(
                isSticky
                    ? "a sticky module has no time limit, as in the app"
                    : "\(number) is taken as \(isMinutes ? "minutes" : "milliseconds"): below 60000 it is minutes, as the README says, from 60000 on milliseconds, as the app reckons",
                at: place)
        }
        return isMinutes ? .seconds(number * 60) : .milliseconds(number)
    }
}
