// SPDX-License-Identifier: Apache-2.0
import Base

/// The part of each day in which a task can be done, in milliseconds from local midnight, both ends included; a
/// start after the end runs over midnight. ESMira's reader reads it, and `TaskAccess` holds to it.
package struct OpenHours: Sendable, Hashable {
    /// 0 to 86 400 000.
    package let start: Int
    /// 0 to 86 400 000.
    package let end: Int

    private static let day = 86_400_000

    package init(start: Int, end: Int) { (self.start, self.end) = (start, end) }

    /// One range; two where the hours run over midnight: the part after midnight, then the part before.
    package var parts: [ClosedRange<Int>] {
        start > end ? [0...max(0, end), start...max(start, Self.day)] : [start...end]
    }

    /// Those that begin on that day, by whole milliseconds. Where clocks are put forward within them they last as long
    /// as elsewhere, as the times drawn in them do: a start in the hour that is left out is an hour later.
    package func span(on day: LocalDate, in zone: Zone) -> Range<Instant> {
        func moment(_ milliseconds: Int) -> Instant {
            zone.resolve(LocalDateTime(day, .midnight).adding(.milliseconds(milliseconds))).instant
        }
        // Hours to 24:00 do not reach into the next day.
        let close = (start > end ? end + Self.day : min(end, Self.day - 1)) + 1
        let opens = moment(start)
        // Not into those of the next day.
        let whole = min(opens + .milliseconds(close - start), moment(start + Self.day))
        return opens..<max(opens, moment(close), whole)
    }

    package func contains(_ now: Instant, in zone: Zone) -> Bool {
        let today = zone.local(now).date
        // The day before yesterday may be the last one before a day that the zone left out.
        return (-2...0).contains { span(on: today.adding(days: $0), in: zone).contains(now) }
    }

    /// When they next begin or end.
    package func nextChange(after now: Instant, in zone: Zone) -> Instant {
        let today = zone.local(now).date
        let moments = (-2...2).flatMap { day -> [Instant] in
            let open = span(on: today.adding(days: day), in: zone)
            return [open.lowerBound, open.upperBound]
        }
        return moments.filter { $0 > now }.min() ?? now + .seconds(86_400)
    }
}
