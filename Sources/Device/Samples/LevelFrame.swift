// SPDX-License-Identifier: Apache-2.0
import Base

/// The LAeq of a second in dB re 20 µPa as it goes through a ring, from `LevelCSVWriter` to `FeatureTap`.
package struct LevelFrame: Sendable, BitwiseCopyable {
    /// CLOCK_MONOTONIC of the second's first sample.
    package let time: MonotonicTime
    package let level: Double
    /// Why samples are missing between the second before and this one; nil where none are.
    package let gap: LossReason?

    package init(time: MonotonicTime, level: Double, gap: LossReason? = nil) {
        (self.time, self.level, self.gap) = (time, level, gap)
    }
}
