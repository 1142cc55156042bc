// SPDX-License-Identifier: Apache-2.0
import Base
import Study

@testable import PlatformSchema

/// Alerts as momenTUM's designer of 2025 could write them, drawn from a seed.
struct MomentumStudies {
    struct Drawn {
        let zone: String
        /// Its day is the day of enrolment.
        let enrolled: LocalDateTime
        /// The members of `alerts`.
        let alerts: String
        let isRelative: Bool
        let repeats: String
        let isSticky: Bool
        let hasTimeout: Bool

        /// For the programs that made the table.
        var line: String {
            #"{"zone":"\#(zone)","enrolled":"\#(enrolled.date)","alerts":{\#(alerts)}}"#
        }
    }

    private static let zones = ["UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata"]

    private var generator: SplitMix64

    init(seed: UInt64) { generator = SplitMix64(seed: seed) }

    mutating func draw() -> Drawn {
        let isRelative = generator.below(3) > 0
        let zone = pick(Self.zones)
        let enrolled = LocalDateTime(day(), time())
        let repeats = pick(isRelative ? Self.relative : Self.absolute)
        let isSticky = generator.below(4) == 0
        let hasTimeout = generator.below(2) == 0
        let first = clock()
        var times = (0..<generator.below(4)).map { _ in clock() }
        if generator.below(8) == 0 { times.append(first) }
        let when = isRelative ? relative(first, repeats) : absolute(repeats)
        let alerts = """
            "title":"t","message":"m",\(when),"repeat":"\(repeats)","interval":\(1 + generator.below(3)),\
            "times":[\(times.map { "\"\($0)\"" }.joined(separator: ","))],"random":false,"randomInterval":30,\
            "sticky":\(isSticky),"stickyLabel":"s","timeout":\(hasTimeout),"timeoutAfter":\(60_000 * (5 + generator.below(1_440)))
            """
        return Drawn(
            zone: zone, enrolled: enrolled, alerts: alerts, isRelative: isRelative, repeats: repeats,
            isSticky: isSticky, hasTimeout: hasTimeout)
    }

    private static let relative = [
        "daily", "daily", "daily", "daily", "never", "never", "never", "weekly", "monthly", "yearly",
    ]
    private static let absolute = ["never", "daily", "daily", "weekly", "monthly", "yearly"]

    private mutating func pick(_ texts: [String]) -> String { texts[generator.below(texts.count)] }

    /// From 2026-01-01 on, for three years: one is a leap year.
    private mutating func day() -> LocalDate { LocalDate(daysSinceEpoch: 20_454 + generator.below(1_096)) }

    /// One in six in the hours in which clocks are changed.
    private mutating func time() -> LocalTime {
        let minutes = generator.below(6) == 0 ? 60 + 5 * generator.below(24) : 5 * generator.below(288)
        return LocalTime(hour: minutes / 60, minute: minutes % 60) ?? .midnight
    }

    private mutating func clock() -> String {
        String(time().description.prefix(generator.below(2) == 0 ? 5 : 8))
    }

    private mutating func relative(_ first: String, _ repeats: String) -> String {
        let days = generator.below(3) == 0 ? generator.below(365) : generator.below(15)
        return """
            "scheduleMode":"relative","offsetDays":\(days),"offsetTime":"\(first)","repeatCount":\(repeats == "never" ? 0 : generator.below(12))
            """
    }

    private mutating func absolute(_ repeats: String) -> String {
        let day = day()
        let start = LocalDateTime(day, time()).description
        let mode = generator.below(4) == 0 ? "" : "\"scheduleMode\":\"absolute\","
        let forms = [start, start + ".000Z", start + "Z", start + "+02:00", "\(day)"]
        let longest = ["daily": 70, "weekly": 120, "monthly": 800, "yearly": 3_000][repeats] ?? 10
        let until = day.adding(days: generator.below(longest))
        return "\(mode)\"startDateTime\":\"\(pick(forms))\""
            + (generator.below(10) == 0 ? "" : ",\"until\":\"\(until)\"")
    }
}
