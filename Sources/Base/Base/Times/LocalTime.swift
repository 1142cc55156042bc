// SPDX-License-Identifier: Apache-2.0

/// A time of day on a wall clock, to the nanosecond, without a zone: 00:00:00 ...
/// 23:59:59.999999999.
package struct LocalTime: Hashable, Comparable, Sendable {
    /// Nanoseconds since local midnight as the wall clock shows it, 0 ..< 86 400 000 000 000.
    package let nanoseconds: Int64

    /// Nil outside 00:00:00 ... 23:59:59.999999999.
    package init?(hour: Int, minute: Int, second: Int = 0, nanosecond: Int = 0) {
        guard (0..<24).contains(hour), (0..<60).contains(minute), (0..<60).contains(second),
            (0..<1_000_000_000).contains(nanosecond)
        else { return nil }
        nanoseconds = Int64(hour * 3600 + minute * 60 + second) * 1_000_000_000 + Int64(nanosecond)
    }

    /// Nanoseconds after midnight, wrapped into one day.
    init(wrapping nanoseconds: Int64) {
        self.nanoseconds = floorDivide(nanoseconds, Self.day).remainder
    }

    static let day: Int64 = 86_400_000_000_000

    package static let midnight = LocalTime(wrapping: 0)

    package var hour: Int { Int(nanoseconds / 3_600_000_000_000) }
    package var minute: Int { Int(nanoseconds / 60_000_000_000 % 60) }
    package var second: Int { Int(nanoseconds / 1_000_000_000 % 60) }
    package var nanosecond: Int { Int(nanoseconds % 1_000_000_000) }

    package static func < (left: Self, right: Self) -> Bool { left.nanoseconds < right.nanoseconds }
}
