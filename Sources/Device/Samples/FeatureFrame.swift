// SPDX-License-Identifier: Apache-2.0
import Base

/// The features of one epoch as they go through a ring, from `FeatureRecording` to its recorder.
package struct FeatureFrame: Sendable, BitwiseCopyable {
    package static let capacity = 16
    /// CLOCK_MONOTONIC at the start of the epoch.
    package let time: MonotonicTime
    /// UTC at the start of the epoch, a multiple of its length; nil while the clock is unknown.
    package let start: Instant?
    /// Epochs directly before this one that have no frame, and why.
    package let missing: Int
    package let reason: LossReason
    /// A bit for each value that was measured.
    private var present: UInt16 = 0
    private var values = InlineArray<16, Double>(repeating: 0)

    /// Values beyond `capacity` are left out.
    package init(
        _ values: [Double?], time: MonotonicTime, start: Instant?, missing: Int = 0, reason: LossReason = .notRunning
    ) {
        (self.time, self.start) = (time, start)
        (self.missing, self.reason) = (missing, reason)
        for (place, value) in values.prefix(Self.capacity).enumerated() {
            guard let value else { continue }
            self.values[place] = value
            present |= 1 << UInt16(place)
        }
    }

    /// The value at a place, in the order of the features' columns; nil where it was not measured.
    package subscript(place: Int) -> Double? { present >> UInt16(place) & 1 == 1 ? values[place] : nil }
}

extension FeatureFrame: RecordedFrame {
    package var sampleCount: Int { 1 }
    package var missingBefore: Int { missing }
    package var missingReason: LossReason? { missing > 0 ? reason : nil }
    package var stamp: MonotonicTime? { time }
}
