// SPDX-License-Identifier: Apache-2.0

/// A moment of UTC: nanoseconds since 1970-01-01T00:00:00Z on the POSIX scale, which has
/// no leap seconds.
package struct Instant: Hashable, Comparable, Sendable, BitwiseCopyable {
    /// Nanoseconds since 1970; the type reaches from 1677 to 2262.
    package var nanoseconds: Int64

    package init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }
    /// Whole seconds since 1970; saturates at the ends of the type.
    package init(seconds: Int64) {
        nanoseconds = saturated(seconds.multipliedReportingOverflow(by: 1_000_000_000), isNegative: seconds < 0)
    }
    /// Milliseconds since 1970; saturates at the ends of the type.
    package init(milliseconds: Int64) {
        nanoseconds = saturated(milliseconds.multipliedReportingOverflow(by: 1_000_000), isNegative: milliseconds < 0)
    }

    /// 1970-01-01T00:00:00Z.
    package static let epoch = Instant(nanoseconds: 0)

    /// Whole seconds since 1970, rounded down.
    package var seconds: Int64 { floorDivide(nanoseconds, 1_000_000_000).quotient }
    /// Whole milliseconds since 1970, rounded down: the `*_in_ms` of the study platforms.
    package var milliseconds: Int64 { floorDivide(nanoseconds, 1_000_000).quotient }

    package static func < (left: Self, right: Self) -> Bool { left.nanoseconds < right.nanoseconds }
    /// The moment a duration later; saturates at the ends of the type, since dates come from
    /// files and networks.
    package static func + (left: Self, right: Duration) -> Self {
        let sum = left.nanoseconds.addingReportingOverflow(right.nanoseconds)
        return Self(nanoseconds: saturated(sum, isNegative: left.nanoseconds < 0))
    }
    /// The moment a duration earlier; saturates at the ends of the type.
    package static func - (left: Self, right: Duration) -> Self {
        let difference = left.nanoseconds.subtractingReportingOverflow(right.nanoseconds)
        return Self(nanoseconds: saturated(difference, isNegative: left.nanoseconds < 0))
    }
    /// The time from `right` to `left`, negative when `left` is earlier; saturates at ±292 years.
    package static func - (left: Self, right: Self) -> Duration {
        let difference = left.nanoseconds.subtractingReportingOverflow(right.nanoseconds)
        return .nanoseconds(saturated(difference, isNegative: left.nanoseconds < 0))
    }
}

/// The result of a calculation, or the end of the type that it overflowed to.
func saturated(_ result: (partialValue: Int64, overflow: Bool), isNegative: Bool) -> Int64 {
    result.overflow ? (isNegative ? .min : .max) : result.partialValue
}

/// Division that rounds towards minus infinity, with the remainder in 0..<divisor.
func floorDivide(_ value: Int64, _ divisor: Int64) -> (quotient: Int64, remainder: Int64) {
    let (quotient, remainder) = value.quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
}
