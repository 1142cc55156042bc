// SPDX-License-Identifier: Apache-2.0
import Base

/// One moment, on both clocks: the wall clock, by which plans go, and CLOCK_MONOTONIC, which is never set.
package struct Moment: Sendable, Hashable {
    /// The wall clock's opinion of UTC.
    package let instant: Instant
    /// CLOCK_MONOTONIC.
    package let monotonic: MonotonicTime

    package init(instant: Instant, monotonic: MonotonicTime) { (self.instant, self.monotonic) = (instant, monotonic) }

    /// The monotonic time at which the wall clock will show `instant`, if it is not stepped.
    package func monotonic(at instant: Instant) -> MonotonicTime { monotonic + (instant - self.instant) }

    /// What the wall clock, as it is set now, shows at another moment of this boot.
    func instant(at time: MonotonicTime) -> Instant { instant + (time - monotonic) }
}
