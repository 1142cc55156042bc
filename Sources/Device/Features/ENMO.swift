// SPDX-License-Identifier: Apache-2.0
import Base

/// The feature enmo of `FeatureCatalog`: the mean over the epoch of max(|a| − 1 g, 0), which is cut at 0 sample
/// by sample; |a| is the length of the acceleration.
///
/// van Hees et al. 2013, doi:10.1371/journal.pone.0061691.
struct ENMO: Feature {
    let columns = [FeatureColumn("enmo", "g", decimals: 5)]
    private var means: EpochBins<RunningMean>

    init(_ setting: MotionSetting) { means = EpochBins(setting.epoch, RunningMean()) }

    mutating func add(_ sample: MotionSample) { means.update(sample.time) { $0.add(max(sample.norm - 1, 0)) } }

    /// All lie in the epoch of the first, as `Feature` says.
    mutating func add(_ samples: ArraySlice<MotionSample>) {
        guard let first = samples.first else { return }
        let sum = samples.reduce(0) { $0 + max($1.norm - 1, 0) }
        means.update(first.time) { $0.add(sum: sum, count: samples.count) }
    }

    mutating func take(_ epoch: Range<Instant>) -> [Double?] { [means.take(epoch.lowerBound)?.value] }
}
