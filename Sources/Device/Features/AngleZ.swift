// SPDX-License-Identifier: Apache-2.0
import Base
import Glibc

/// The feature anglez of `FeatureCatalog`, the angle of the z axis to the horizontal: atan(z / √(x² + y²)) of
/// the rolling median of 5 s, as a mean over the epoch.
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
