// SPDX-License-Identifier: Apache-2.0

/// A reading of CLOCK_MONOTONIC: nanoseconds since an arbitrary point of this boot.
///
/// It never steps and never repeats within a boot, and means nothing in another one: keep the boot id
/// beside every stored value. Samples, presses and reaction times use it; schedules use `Instant`.
public struct MonotonicTime: Hashable, Comparable, Sendable, BitwiseCopyable {
    /// Nanoseconds on CLOCK_MONOTONIC.
    public var nanoseconds: Int64

    public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    /// The clock's own zero, about the moment of booting.
    public static let zero = MonotonicTime(nanoseconds: 0)

    /// Earlier; of use only for times of the same boot.
    public static func < (left: Self, right: Self) -> Bool { left.nanoseconds < right.nanoseconds }
    /// The reading a duration later.
    public static func + (left: Self, right: Duration) -> Self {
        Self(nanoseconds: left.nanoseconds + right.nanoseconds)
    }
    /// The reading a duration earlier.
    public static func - (left: Self, right: Duration) -> Self {
        Self(nanoseconds: left.nanoseconds - right.nanoseconds)
    }
    /// The time from `right` to `left`, negative when `left` is earlier.
    public static func - (left: Self, right: Self) -> Duration {
        .nanoseconds(left.nanoseconds - right.nanoseconds)
    }
}

extension Duration {
    /// Without its sign.
    public var magnitude: Duration { self < .zero ? .zero - self : self }

    /// Whole nanoseconds, cut towards zero; saturates beyond ±292 years.
    public var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (scaled, over) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        if over { return seconds < 0 ? .min : .max }
        let (sum, overSum) = scaled.addingReportingOverflow(attoseconds / 1_000_000_000)
        return overSum ? (seconds < 0 ? .min : .max) : sum
    }

    /// Whole milliseconds, cut towards zero.
    public var milliseconds: Int64 { nanoseconds / 1_000_000 }

    /// Seconds as a number.
    public var seconds: Double { Double(nanoseconds) / 1e9 }
}
