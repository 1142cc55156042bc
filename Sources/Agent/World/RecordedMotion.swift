// SPDX-License-Identifier: Apache-2.0

/// Motion from a recording: acceleration samples at a steady rate, which `World` plays back for a simulated
/// board.
package struct RecordedMotion: Sendable {
    /// Acceleration in g, in the axes of the recorder.
    private let samples: [SIMD3<Double>]
    /// Samples per second.
    private let rate: Double

    /// A recording; nil when it is empty, or its rate is not a number above zero.
    package init?(samples: [SIMD3<Double>], rate: Double) {
        guard !samples.isEmpty, rate > 0, rate.isFinite else { return nil }
        (self.samples, self.rate) = (samples, rate)
    }

    package var duration: Duration { .nanoseconds(Int64(Double(samples.count) / rate * 1e9)) }

    /// The acceleration this many seconds after its beginning, between samples in a straight line;
    /// it repeats for ever.
    package func acceleration(at seconds: Double) -> SIMD3<Double> {
        let length = Double(samples.count)
        var position = (seconds * rate).truncatingRemainder(dividingBy: length)
        if position < 0 { position += length }
        let index = min(Int(position), samples.count - 1)
        let next = samples[(index + 1) % samples.count]
        return samples[index] + (next - samples[index]) * (position - Double(index))
    }
}
