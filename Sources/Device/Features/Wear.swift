// SPDX-License-Identifier: Apache-2.0
import Base

/// The feature wear of `FeatureCatalog`, whether the device was worn: 1, 0, or nothing where that cannot be
/// said.
///
/// A window of 60 minutes, one every 15, is not worn when two axes of three have a standard
/// deviation below 13 mg and a range below 50 mg (van Hees et al. 2013,
/// doi:10.1371/journal.pone.0061691); then its whole hour counts as not worn, as in GGIR since 3.0
/// (`nonwear_approach = "2023"`). A window of which more than 15 minutes are
/// missing says nothing.
package struct Wear: Feature {
    package let columns = [FeatureColumn("worn", "1", decimals: 0)]
    /// The last window that contains an epoch ends less than an hour after it.
    package var lag: Duration { .seconds(3600) }
    /// The limits below which an axis is still, in g.
    private static let (deviation, range) = (0.013, 0.050)
    /// Quarters of an hour in a window, and so also the number of windows that contain a given quarter.
    private static let window = 4
    /// The fewest samples from which a window can be judged: 45 minutes, less one in a thousand.
    private let needed: Double
    /// One for each quarter of an hour that has samples, in the order of time.
    private var blocks: [(range: Range<Instant>, axes: Axes)] = []

    package init(_ setting: MotionSetting) {
        needed = setting.rate * 2700 * 0.999
    }

    package mutating func add(_ sample: MotionSample) {
        openBlock(at: sample.time)
        blocks[blocks.count - 1].axes.add(sample)
    }

    package mutating func add(_ samples: ArraySlice<MotionSample>) {
        guard let first = samples.first else { return }
        openBlock(at: first.time)
        blocks[blocks.count - 1].axes.add(Axes(samples, near: first))
    }

    /// Begins the block of that time, unless it is the last already. An epoch lies within one block.
    private mutating func openBlock(at time: Instant) {
        guard blocks.last?.range.contains(time) != true else { return }
        blocks.append((Epoch.quarterHour.range(of: time), Axes()))
    }

    package mutating func take(_ epoch: Range<Instant>) -> [Double?] {
        let block = Epoch.quarterHour.range(of: epoch.lowerBound).lowerBound
        // Where one of the four windows that contain this block is not worn, the block is not.
        let verdicts = (0..<Self.window).compactMap { place -> Bool? in
            isStill(from: block - .seconds(Int64(place) * 900))
        }
        blocks.removeAll { $0.range.lowerBound < block - .seconds(3600) }
        return [verdicts.isEmpty ? nil : verdicts.contains(true) ? 0 : 1]
    }

    /// Since when the device has not been worn, as of the last sample: at least an hour ago. Nil
    /// while it is worn, and while that cannot be said.
    package var notWornSince: Instant? {
        guard let last = blocks.last else { return nil }
        var axes = last.axes
        let start = last.range.lowerBound - .seconds(3600)
        for block in blocks where block.range.lowerBound >= start && block.range.lowerBound < last.range.lowerBound {
            axes.add(block.axes)
        }
        // The full hour before the last quarter decides whether there are enough samples; the begun quarter
        // only has to be still as well.
        let hour = axes.count - last.axes.count
        return hour >= needed && axes.isStill(Self.deviation, Self.range) ? start : nil
    }

    /// Whether the hour from `start` on is not worn; nil where too much of it is missing.
    private func isStill(from start: Instant) -> Bool? {
        var axes = Axes()
        let end = start + .seconds(3600)
        for block in blocks where block.range.lowerBound >= start && block.range.lowerBound < end {
            axes.add(block.axes)
        }
        return axes.count >= needed ? axes.isStill(Self.deviation, Self.range) : nil
    }

    /// Count, mean, deviation and range of three axes, in g.
    private struct Axes: Sendable {
        private(set) var count = 0.0
        private var mean = SIMD3<Double>.zero
        /// The sum of squared distances from the mean.
        private var squares = SIMD3<Double>.zero
        private var least = SIMD3<Double>(repeating: .infinity)
        private var most = SIMD3<Double>(repeating: -.infinity)

        init() {}

        /// Sums distances from `first` rather than values: the sums stay small, and no precision is lost.
        init(_ samples: ArraySlice<MotionSample>, near first: MotionSample) {
            let zero = SIMD3(first.x, first.y, first.z)
            var sum = SIMD3<Double>.zero
            for sample in samples {
                let value = SIMD3(sample.x, sample.y, sample.z)
                let distance = value - zero
                sum += distance
                squares += distance * distance
                least = pointwiseMin(least, value)
                most = pointwiseMax(most, value)
            }
            count = Double(samples.count)
            squares -= sum * sum / count
            mean = zero + sum / count
        }

        // Welford 1962: no sum of squares that would swallow a small deviation.
        mutating func add(_ sample: MotionSample) {
            let value = SIMD3(sample.x, sample.y, sample.z)
            count += 1
            let before = value - mean
            mean += before / count
            squares += before * (value - mean)
            least = pointwiseMin(least, value)
            most = pointwiseMax(most, value)
        }

        // Chan et al. 1979.
        mutating func add(_ other: Axes) {
            guard other.count > 0 else { return }
            let total = count + other.count
            let distance = other.mean - mean
            squares += other.squares + distance * distance * (count * other.count / total)
            mean += distance * (other.count / total)
            count = total
            least = pointwiseMin(least, other.least)
            most = pointwiseMax(most, other.most)
        }

        /// Whether two of three axes stay below both limits.
        func isStill(_ deviation: Double, _ range: Double) -> Bool {
            let limit = deviation * deviation * (count - 1)
            return (0..<3).count { squares[$0] < limit && most[$0] - least[$0] < range } >= 2
        }
    }
}
