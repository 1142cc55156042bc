// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// When a questionnaire is active: between two dates, and between two days counted from joining. Both ends
/// included. `ESMiraSchedule` and `ESMiraClosing` look at it.
///
/// Days are calendar days: with a period of 14 it is active on the day of joining and on 14 days
/// after it. A study with `legacyScheduling` counts spans of 24 hours from the moment of joining.
struct ESMiraSpan: Sendable, Hashable {
    /// The dates; nil = none.
    var start: Instant?
    var end: Instant?
    /// 0 = none.
    var startsAfterDays = 0
    /// 0 = none.
    var periodDays = 0
    var countsHours = false

    init() {}

    init(_ place: JSONPlace, countsHours: Bool, _ findings: inout Findings) {
        // Kotlin's whole range: the app's own test study begins in the year 2889, another of
        // it ended in 999.
        let start = findings.number("durationStart", Int.min...Int.max, in: place, default: 0)
        let end = findings.number("durationEnd", Int.min...Int.max, in: place, default: 0)
        self.start = start == 0 ? nil : Instant(milliseconds: Int64(start))
        self.end = end == 0 ? nil : Instant(milliseconds: Int64(end))
        startsAfterDays = findings.number("durationStartingAfterDays", 0...36_500, in: place, default: 0)
        periodDays = findings.number("durationPeriodDays", 0...36_500, in: place, default: 0)
        self.countsHours = countsHours
    }

    /// How many days from joining are planned for a questionnaire without an end.
    static let horizon = 730
    /// The limit with an end, ten years: no study is longer, and the plan has to fit into memory.
    static let longest = 3653

    /// False where it is active for ever.
    var isBounded: Bool { end != nil || periodDays > 0 }

    /// The first and the last moment at which it is active for this participant, as far as is
    /// planned.
    func limits(_ context: ScheduleContext) -> ClosedRange<Instant>? {
        let day = context.enrolment.local.date.adding(days: isBounded ? Self.longest : Self.horizon)
        let horizon = context.zone.resolve(LocalDateTime(day, .midnight)).instant
        return active(context).flatMap { active in
            active.lowerBound <= horizon ? active.lowerBound...min(active.upperBound, horizon) : nil
        }
    }

    /// The first and the last moment at which it is active, however far they lie.
    func active(_ context: ScheduleContext) -> ClosedRange<Instant>? {
        let joined = context.enrolment.instant
        let day = context.enrolment.local.date
        func midnight(_ days: Int) -> Instant {
            context.zone.resolve(LocalDateTime(day.adding(days: days), .midnight)).instant
        }
        func later(_ days: Int) -> Instant { joined + .seconds(86_400 * days) }
        var first = max(joined, start ?? joined)
        if startsAfterDays > 0 { first = max(first, countsHours ? later(startsAfterDays) : midnight(startsAfterDays)) }
        var last = Instant(milliseconds: .max)
        if periodDays > 0 {
            last = countsHours ? later(periodDays) : midnight(periodDays + 1) - .nanoseconds(1)
        }
        if let end { last = min(last, end) }
        return first <= last ? first...last : nil
    }
}
