// SPDX-License-Identifier: Apache-2.0
import Base

/// Brings vectors from one steady rate to a lower or slightly different one, by a windowed sinc of
/// 16 samples that also keeps out what the new rate could not carry.
///
/// For chips with a rate that CWA cannot name: 119 Hz to 100 Hz. `CWAWriter` and `MotionFeed` have one.
/// Bounded: it holds 16 samples.
struct VectorResampler: Sendable {
    /// Source samples that an output sample is computed from.
    static let taps = 16
    private let axes: Int
    /// Source samples per output sample.
    private let step: Double
    /// The cut-off as a share of the source's rate, 0.5 at most.
    private let cutoff: Double
    private var history: [(values: [Double], time: MonotonicTime)] = []
    /// Where the next output lies, in source samples from the start of `history`.
    private var position = Double(Self.taps / 2 - 1)

    /// From the first sample taken in after a reset to the first output.
    let startDelay: Duration

    init(from source: Double, to target: Double, axes: Int) {
        self.axes = axes
        startDelay = .nanoseconds(Int64(Double(Self.taps / 2 - 1) * 1e9 / source))
        step = source / target
        cutoff = 0.5 * min(1, target / source) * 0.92
    }

    mutating func reset() {
        history.removeAll(keepingCapacity: true)
        position = Double(Self.taps / 2 - 1)
    }

    /// The time of the next output; nil where no sample is held that it could be computed from.
    var next: MonotonicTime? { history.count > Int(position) ? time(at: position) : nil }

    /// Takes in a sample; returns the samples of the new rate that are known now, with their times.
    mutating func add(_ values: [Double], at time: MonotonicTime) -> [(values: [Double], time: MonotonicTime)] {
        history.append((values, time))
        guard history.count >= Self.taps else { return [] }
        var out: [(values: [Double], time: MonotonicTime)] = []
        // The last output must have half the taps on either side.
        while position < Double(history.count - Self.taps / 2) {
            out.append(output(at: position))
            position += step
        }
        if history.count > Self.taps {
            history.removeFirst()
            position -= 1
        }
        return out
    }

    private func output(at position: Double) -> (values: [Double], time: MonotonicTime) {
        let centre = Int(position)
        let first = max(0, centre - Self.taps / 2 + 1)
        let last = min(history.count - 1, centre + Self.taps / 2)
        var sum = [Double](repeating: 0, count: axes)
        var total = 0.0
        for index in first...last {
            let weight = kernel(Double(index) - position)
            total += weight
            for axis in 0..<axes { sum[axis] += weight * history[index].values[axis] }
        }
        return (sum.map { $0 / total }, time(at: position))
    }

    private func time(at position: Double) -> MonotonicTime {
        let centre = Int(position)
        let (left, right) = (history[centre].time, history[min(centre + 1, history.count - 1)].time)
        let share = (position - Double(centre)) * Double((right - left).nanoseconds)
        return left + .nanoseconds(Int64(share))
    }

    /// sinc under a Hann window. Divided by its sum, so that gravity stays 1 g.
    private func kernel(_ x: Double) -> Double {
        let half = Double(Self.taps) / 2
        guard abs(x) < half else { return 0 }
        let window = 0.5 * (1 + Trigonometry.cosine(.pi * x / half))
        let phase = 2 * .pi * cutoff * x
        return (abs(phase) < 1e-9 ? 1 : Trigonometry.sine(phase) / phase) * window
    }
}
