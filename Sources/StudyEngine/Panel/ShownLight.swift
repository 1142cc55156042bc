// SPDX-License-Identifier: Apache-2.0
import Times

/// A marked step of a signal, as it came to be shown: the times right before and right after the light was switched.
public struct ShownLight: Sendable, Hashable {
    /// The step's mark.
    public let mark: Int
    /// CLOCK_MONOTONIC, which stamps presses too, before the device was told.
    public let began: MonotonicTime
    /// After it had taken it.
    public let ended: MonotonicTime
    /// False where every light refused.
    public let isLit: Bool

    public init(mark: Int, began: MonotonicTime, ended: MonotonicTime, isLit: Bool = true) {
        self.mark = mark
        self.began = began
        self.ended = ended
        self.isLit = isLit
    }

    /// The middle: it was on `uncertainty` earlier at the earliest, and as much later at the latest.
    public var time: MonotonicTime { began + uncertainty }
    /// Half of how long the switching took.
    public var uncertainty: Duration { (ended - began) / 2 }
}
