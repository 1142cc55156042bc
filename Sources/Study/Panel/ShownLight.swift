// SPDX-License-Identifier: Apache-2.0
import Base

/// A marked step of a signal, as it came to be shown: the times right before and right after the light was
/// switched. The agent's `SignalPlayer` reports it, for reaction tests.
package struct ShownLight: Sendable, Hashable {
    /// The step's, as the signal gave it.
    package let mark: Int
    /// CLOCK_MONOTONIC, which stamps presses too, before the device got the order.
    package let began: MonotonicTime
    /// After it had taken it.
    package let ended: MonotonicTime
    /// False where every light refused.
    package let isLit: Bool

    package init(mark: Int, began: MonotonicTime, ended: MonotonicTime, isLit: Bool = true) {
        (self.mark, self.began, self.ended, self.isLit) = (mark, began, ended, isLit)
    }

    /// The middle of `began` and `ended`: the light was switched at most `uncertainty` before or after.
    package var time: MonotonicTime { began + uncertainty }
    /// Half of how long the switching took.
    package var uncertainty: Duration { (ended - began) / 2 }
}
