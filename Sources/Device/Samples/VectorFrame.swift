// SPDX-License-Identifier: Apache-2.0
import Base

/// One multi-axis sample as it goes through a ring: raw counts, no conversion. From `SampledDevice`,
/// `IIOReader` or `ButtonTap` to the recorder and its taps.
///
/// Only the last frame of a drained batch is stamped; the times of the others come from the
/// clock regression.
package struct VectorFrame: Sendable, BitwiseCopyable {
    /// CLOCK_MONOTONIC of this very sample, valid only when `isStamped`.
    package var time: MonotonicTime
    /// Samples known to be missing directly before this one.
    package var lostBefore: UInt32
    /// Why they are missing; 0 when none is.
    package var reason: UInt8
    /// True when `time` was measured (watermark edge or read time) for this frame.
    package var isStamped: Bool
    /// How many of `values` are in use, 1...8.
    package var count: UInt8
    /// By how many microseconds at most the sample was taken before `time`; 0 = its driver does not
    /// know.
    package var lateBy: UInt32 = 0
    /// The chip's own temperature, read right before this sample, in hundredths of a degree
    /// Celsius; `noTemperature` where it was not read. It takes room that the alignment of
    /// `values` leaves.
    package var centidegrees = Self.noTemperature
    package static let noTemperature = Int16.min
    /// Raw counts in the order of the source's channels.
    package var values: SIMD8<Int32>

    /// Degrees Celsius; nil where the temperature was not read with this sample.
    package var temperature: Double? { centidegrees == Self.noTemperature ? nil : Double(centidegrees) / 100 }

    package init(
        values: SIMD8<Int32>, count: UInt8, time: MonotonicTime = .zero, isStamped: Bool = false,
        lostBefore: UInt32 = 0, reason: LossReason? = nil
    ) {
        self.values = values
        self.count = count
        self.time = time
        self.isStamped = isStamped
        self.lostBefore = lostBefore
        self.reason = reason?.rawValue ?? 0
    }
}
