// SPDX-License-Identifier: Apache-2.0
import Base

/// Samples that are missing between two that are not: `Recorder` gives it to the file's encoder, and
/// `OpenSegment` notes it in the description.
package struct RecordingGap: Sendable, Hashable {
    /// CLOCK_MONOTONIC of the last sample before the gap.
    package var start: MonotonicTime
    /// CLOCK_MONOTONIC of the first sample after the gap.
    package var time: MonotonicTime
    /// How many are missing; where that was not counted, as many as its length holds.
    package var samples: Int
    package var reason: LossReason
    /// Samples in the file before it.
    package var position: Int

    /// A gap; without a start it begins where it ends, for the start is not known yet.
    package init(
        start: MonotonicTime? = nil, time: MonotonicTime, samples: Int, reason: LossReason, position: Int
    ) {
        self.start = start ?? time
        self.time = time
        self.samples = samples
        self.reason = reason
        self.position = position
    }
}
