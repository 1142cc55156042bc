// SPDX-License-Identifier: Apache-2.0

/// A reading of CLOCK_MONOTONIC: nanoseconds since an arbitrary point of this boot.
///
/// It never steps and never repeats within a boot, and means nothing in another one: keep
/// the boot id beside every stored value. Samples, presses and reaction times use it;
/// schedules use `Instant`.
package struct MonotonicTime: Hashable, Comparable, Sendable, BitwiseCopyable {
    /// Nanoseconds on CLOCK_MONOTONIC.
    package var nanoseconds: Int64

    package init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    /// The clock's own zero, about the moment of booting.
    package static let zero = MonotonicTime(nanoseconds: 0)

    /// Of use only for times of the same boot.
    package static func < (left: Self, right: Self) -> Bool { left.nanoseconds < right.nanoseconds }
    package static func + (left: Self, right: Duration) -> Self {
        Self(nanoseconds: left.nanoseconds + right.nanoseconds)
    }
    package static func - (left: Self, right: Duration) -> Self {
        Self(nanoseconds: left.nanoseconds - right.nanoseconds)
    }
    /// The time from `right` to `left`, negative when `left` is earlier.
    package static func - (left: Self, right: Self) -> Duration {
        .nanoseconds(left.nanoseconds - right.nanoseconds)
    }
}

extension Duration {
    package var magnitude: Duration { self < .zero ? .zero - self : self }

    /// Whole nanoseconds, cut towards zero; saturates beyond ±292 years.
    package var nanoseconds: Int64 { Int64(clamping: attoseconds / 1_000_000_000) }

    /// Whole milliseconds, cut towards zero.
    package var milliseconds: Int64 { nanoseconds / 1_000_000 }

    package var seconds: Double { Double(nanoseconds) / 1e9 }
}

/// The earlier of two moments either of which may never come; nil = neither does. It is called with every event:
/// hence two arguments and no array, which would be allocated each time, and `@inlinable`, without which other
/// modules would look up the type at run time.
@inlinable package func earliest<Time: Comparable>(_ one: Time?, _ other: Time?) -> Time? {
    guard let one, let other else { return one ?? other }
    return min(one, other)
}
