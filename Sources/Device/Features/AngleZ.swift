// SPDX-License-Identifier: Apache-2.0
import Base
import Glibc

/// The angle of the z axis to the horizontal: atan(z / √(x² + y²)) of the rolling median of 5 s, as
/// a mean over the epoch.
///
/// van Hees et al. 2015, doi:10.1371/journal.pone.0142533, and GGIR (`g.applymetrics`), which
/// takes an odd number of samples. The median is centred on its sample, so there is no angle for the
/// 2.5 s after the start, before and after a gap, and before the end.
struct AngleZ: Feature {
    let columns = [FeatureColumn("angle_z", "deg", decimals: 3)]
    /// The last angle of an epoch is known half a window, 2.5 s, after its end; the rest is a margin.
    var lag: Duration { .seconds(5) }
    /// Samples in the window of 5 s, an odd number.
    private let width: Int
    /// Of x, y and z over the window.
    private var medians: (RollingMedian, RollingMedian, RollingMedian)
    /// Times of the samples in the window: a ring buffer whose oldest time is at index `oldest`.
    private var times: [Instant] = []
    private var oldest = 0
    /// The mean angle of each epoch that `take` has not fetched yet.
    private var means: EpochBins<RunningMean>

    init(_ setting: MotionSetting) {
        let samples = Int((setting.rate * 5).rounded())
        width = samples % 2 == 0 ? samples + 1 : samples
        medians = (RollingMedian(width), RollingMedian(width), RollingMedian(width))
        means = EpochBins(setting.epoch, RunningMean())
    }

    mutating func restart() {
        medians = (RollingMedian(width), RollingMedian(width), RollingMedian(width))
        times.removeAll(keepingCapacity: true)
        oldest = 0
    }

    mutating func add(_ sample: MotionSample) {
        medians.0.add(sample.x)
        medians.1.add(sample.y)
        medians.2.add(sample.z)
        guard let centre = addTime(sample.time) else { return }
        let (x, y, z) = (medians.0.median, medians.1.median, medians.2.median)
        means.update(centre) { $0.add(atan2(z, (x * x + y * y).squareRoot()) * 180 / .pi) }
    }

    /// Adds a time to the window; returns the one in its middle, nil while it is not full.
    private mutating func addTime(_ time: Instant) -> Instant? {
        if times.count < width {
            times.append(time)
            return times.count == width ? times[width / 2] : nil
        }
        times[oldest] = time
        oldest = (oldest + 1) % width
        return times[(oldest + width / 2) % width]
    }

    mutating func take(_ epoch: Range<Instant>) -> [Double?] { [means.take(epoch.lowerBound)?.value] }
}

/// The median of the last `width` values; `width` is odd.
struct RollingMedian: Sendable {
    private let width: Int
    /// The values as they came; once it is full, the oldest is at `next`.
    private var ring: [Double] = []
    /// The same values in rising order.
    private var sorted: [Double] = []
    private var next = 0

    init(_ width: Int) {
        self.width = width
        ring.reserveCapacity(width)
        sorted.reserveCapacity(width)
    }

    /// Must not be read before the first `add`.
    var median: Double { sorted[sorted.count / 2] }

    mutating func add(_ value: Double) {
        guard ring.count == width else {
            ring.append(value)
            return sorted.insert(value, at: place(of: value))
        }
        let old = ring[next]
        ring[next] = value
        next = next + 1 == width ? 0 : next + 1
        replace(old, by: value)
    }

    /// Keeps `sorted` in order by moving only what lies between the two values.
    private mutating func replace(_ old: Double, by value: Double) {
        var place = place(of: old)
        sorted.withUnsafeMutableBufferPointer { sorted in
            while place + 1 < sorted.count, sorted[place + 1] < value {
                sorted[place] = sorted[place + 1]
                place += 1
            }
            while place > 0, sorted[place - 1] > value {
                sorted[place] = sorted[place - 1]
                place -= 1
            }
            sorted[place] = value
        }
    }

    /// The index in `sorted` of the first value that is not less; `sorted.count` where all are.
    private func place(of value: Double) -> Int { sorted.partitioningIndex { !($0 < value) } }
}
