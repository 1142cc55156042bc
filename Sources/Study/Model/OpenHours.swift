// SPDX-License-Identifier: Apache-2.0
import Base

/// The part of each day in which a task can be done, in milliseconds from local midnight, both ends
/// included; a start after the end runs over midnight.
package struct OpenHours: Sendable, Hashable {
    /// 0 to 86 400 000.
    package let start: Int
    /// 0 to 86 400 000.
    package let end: Int

    private static let day = 86_400_000

    package init(start: Int, end: Int) {
        self.start = start
        self.end = end
    }

    /// One range; two where the hours run over midnight: the part after midnight, then the part before.
    package var parts: [ClosedRange<Int>] {
        start > end ? [0...max(0, end), start...max(start, Self.day)] : [start...end]
    }

    /// By whole milliseconds.
    package func contains(_ time: LocalTime) -> Bool {
        let millisecond = Int(time.nanoseconds / 1_000_000)
        return parts.contains { $0.contains(millisecond) }
    }

    /// When they next begin or end.
    package func nextChange(after now: Instant, in zone: Zone) -> Instant {
        let today = zone.local(now).date
        let moments = (0...2).flatMap { day in
            [start, end + 1].map { millisecond in
                let midnight = LocalDateTime(today.adding(days: day), .midnight)
                return zone.resolve(midnight.adding(.milliseconds(millisecond))).instant
            }
        }
        return moments.filter { $0 > now }.min() ?? now + .seconds(86_400)
    }
}
