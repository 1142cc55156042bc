// SPDX-License-Identifier: Apache-2.0
import Base

/// The feature mad of `FeatureCatalog`, mean amplitude deviation: the mean of ||a| − its mean| over windows of
/// 5 s, for which it was defined. A longer epoch has the mean of its windows, a shorter one is a window itself.
///
/// Vähä-Ypyä et al. 2015, doi:10.1371/journal.pone.0134813.
struct MAD: Feature {
    let columns = [FeatureColumn("mad", "g", decimals: 5)]
    private let window: Epoch
    private var means: EpochBins<RunningMean>
    /// The acceleration's vector lengths, in g, of the samples in `current`.
    private var norms: [Double] = []
    /// The window in progress.
    private var current: Range<Instant>?

    init(_ setting: MotionSetting) {
        window = min(setting.epoch.length, .seconds(5)) == setting.epoch.length ? setting.epoch : Self.five
        means = EpochBins(setting.epoch, RunningMean())
    }

    private static let five = Epoch(.seconds(5)) ?? .minute

    mutating func add(_ sample: MotionSample) {
        if current?.contains(sample.time) != true {
            closeWindow()
            current = window.range(of: sample.time)
        }
        norms.append(sample.norm)
    }

    mutating func take(_ epoch: Range<Instant>) -> [Double?] {
        if let current, current.lowerBound < epoch.upperBound { closeWindow() }
        return [means.take(epoch.lowerBound)?.value]
    }

    /// Ends the window and adds it to the epoch it lies in.
    private mutating func closeWindow() {
        guard let current else { return }
        self.current = nil
        let mean = norms.reduce(0, +) / Double(norms.count)
        let sum = norms.reduce(0) { $0 + abs($1 - mean) }
        means.update(current.lowerBound) { [count = norms.count] in $0.add(sum: sum, count: count) }
        norms.removeAll(keepingCapacity: true)
    }
}
