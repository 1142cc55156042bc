// SPDX-License-Identifier: Apache-2.0
import Base

/// The feature agcounts of `FeatureCatalog`, ActiGraph's activity counts: the sum over the epoch of each axis,
/// and the length of that vector.
///
/// ActiGraph counts in tenths of a second; each belongs to the epoch of its first sample. The filters run
/// without a break from one gap to the next, after which they begin again. A rate that ActiGraph's filters do
/// not know is brought to the next lower one that they do, or to 30, by linear interpolation.
struct ActivityCounts: Feature {
    let columns =
        ["x", "y", "z"].map { FeatureColumn("counts_\($0)", "1", decimals: 0) }
        + [FeatureColumn("counts_vm", "1", decimals: 2)]
    /// The last tenth of a second and the interpolation's next sample, with a margin.
    var lag: Duration { .milliseconds(500) }
    /// Filters that have seen nothing, as after a gap.
    private let fresh: (ActigraphFilter, ActigraphFilter, ActigraphFilter)
    private var filters: (ActigraphFilter, ActigraphFilter, ActigraphFilter)
    /// Samples that come in for each that is counted; 1 = without interpolation.
    private let step: Double
    private var interpolation: Interpolation
    /// When the present tenth of a second began.
    private var tenth: Instant?
    private var sums: EpochBins<SIMD3<Int>>

    /// Nil below 10 samples per second, of which no counts can be made.
    init?(_ setting: MotionSetting) {
        let rate = setting.rate.rounded()
        let known = ActigraphFilter.rates.last { Double($0) <= rate } ?? 30
        guard setting.rate >= 10, let filter = ActigraphFilter(rate: known) else { return nil }
        fresh = (filter, filter, filter)
        filters = fresh
        step = rate == Double(known) ? 1 : setting.rate / Double(known)
        interpolation = Interpolation()
        sums = EpochBins(setting.epoch, .zero)
    }

    mutating func restart() {
        filters = fresh
        interpolation = Interpolation()
        tenth = nil
    }

    mutating func add(_ sample: MotionSample) {
        guard step != 1 else { return count(sample) }
        interpolation.add(sample)
        while let between = interpolation.next(step) { count(between) }
    }

    private mutating func count(_ sample: MotionSample) {
        // All three filters count the same samples, so one of them says when a tenth of a second begins.
        let (begins, x) = filters.0.add(sample.x)
        let y = filters.1.add(sample.y).count
        let z = filters.2.add(sample.z).count
        if begins { tenth = sample.time }
        if let x, let y, let z { sums.update(tenth ?? sample.time) { $0 &+= SIMD3(x, y, z) } }
    }

    mutating func take(_ epoch: Range<Instant>) -> [Double?] {
        guard let sum = sums.take(epoch.lowerBound) else { return [nil, nil, nil, nil] }
        let counts = SIMD3<Double>(sum)
        let squares = counts * counts
        return [counts.x, counts.y, counts.z, squares.sum().squareRoot()]
    }
}

/// Brings samples to another rate by linear interpolation.
private struct Interpolation: Sendable {
    /// The two newest samples.
    private var last: (MotionSample, MotionSample)?
    private var first: MotionSample?
    /// Where the next interpolated sample lies, in samples after the older of `last`.
    private var position = 0.0

    mutating func add(_ sample: MotionSample) {
        if let before = last?.1 ?? first {
            if last != nil { position -= 1 }
            last = (before, sample)
        }
        first = first ?? sample
    }

    /// The next interpolated sample, `step` samples after the one before; nil until `add` has brought the
    /// sample after it. Call it until it is nil after each `add`.
    mutating func next(_ step: Double) -> MotionSample? {
        guard let (from, to) = last, position < 1 else { return nil }
        let share = position
        position += step
        let time = from.time + .nanoseconds(Int64(Double((to.time - from.time).nanoseconds) * share))
        func between(_ a: Double, _ b: Double) -> Double { a + (b - a) * share }
        return MotionSample(
            time: time, x: between(from.x, to.x), y: between(from.y, to.y), z: between(from.z, to.z))
    }
}
