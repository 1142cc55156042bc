// SPDX-License-Identifier: Apache-2.0
import Base

/// Computes features of one stream of samples, epoch by epoch. An epoch without a sample has no row. On the
/// device `FeatureRecording` runs one for its stream and `RuleTap` one for each length of epoch; in the tools
/// and the lab `FeatureExport` does.
///
/// `add` each sample, `recordGap` where samples are missing before the next, and `finish` at the end. Rows come
/// in order, each `lag` after its epoch.
package struct FeatureRun<Sample: FeatureSample>: Sendable {
    package let columns: [FeatureColumn]
    /// Samples that were left out because their time was no later than that of the one before.
    package private(set) var disordered = 0
    private var features: [any Feature<Sample>]
    package let epoch: Epoch
    private let period: Duration
    /// From the end of an epoch until its row is complete.
    package let lag: Duration
    /// For how long of each epoch not yet taken there are samples.
    private var covered: EpochBins<Duration>
    /// The time of the last sample.
    private var last: Instant?
    /// True before the first sample and after a gap: what the last sample covers is in `covered` already.
    private var isClosed = true
    /// When the first epoch not yet taken is complete; nil without one.
    private var due: Instant?

    /// `rate` is the nominal one of the samples. A sample covers the time up to the next where that comes
    /// within two periods, else one period.
    package init(_ features: [any Feature<Sample>], epoch: Epoch, rate: Double) {
        self.features = features
        self.epoch = epoch
        columns = features.flatMap(\.columns)
        period = .nanoseconds(Int64(1e9 / max(rate, 1e-3)))
        lag = features.map(\.lag).max() ?? .zero
        covered = EpochBins(epoch, .zero)
    }

    /// Takes the next sample; returns the rows of the epochs that are complete by its time.
    package mutating func add(_ sample: Sample) -> [FeatureRow] {
        if let last {
            guard sample.time > last else {
                disordered += 1
                return []
            }
            cover(until: sample.time)
        }
        (last, isClosed) = (sample.time, false)
        var rows: [FeatureRow] = []
        while let due, sample.time >= due { rows += takeFirst() }
        for index in features.indices { features[index].add(sample) }
        if due == nil { due = epoch.range(of: sample.time).upperBound + lag }
        return rows
    }

    /// Gives the same rows as `add` for each sample, but hands on whole runs of samples that need no check of
    /// their own.
    fileprivate mutating func addAll(_ samples: [Sample]) -> [FeatureRow] {
        var (rows, rest): ([FeatureRow], ArraySlice<Sample>) = ([], samples[...])
        while let first = rest.popFirst() {
            rows += add(first)
            // `add` has left out a sample that is not later than the one before.
            guard last == first.time, !isClosed else { continue }
            let together = rest.prefix(steadyCount(rest, after: first.time))
            guard let final = together.last else { continue }
            covered.update(first.time) { $0 += final.time - first.time }
            for index in features.indices { features[index].add(together) }
            last = final.time
            rest = rest.dropFirst(together.count)
        }
        return rows
    }

    /// How many of the next samples lie in the epoch of the one before them, each within two periods
    /// of the last, and before a row is due.
    private func steadyCount(_ samples: ArraySlice<Sample>, after first: Instant) -> Int {
        let longest = (period * 2).nanoseconds
        let end = min(epoch.range(of: first).upperBound, due ?? first).nanoseconds
        var (before, count) = (first.nanoseconds, 0)
        for sample in samples {
            let time = sample.time.nanoseconds
            guard time > before, time &- before <= longest, time < end else { break }
            (before, count) = (time, count + 1)
        }
        return count
    }

    package mutating func recordGap() {
        cover(until: nil)
        isClosed = true
        for index in features.indices { features[index].restart() }
    }

    /// The samples have ended: returns the rows of all epochs left, whether complete or not.
    package mutating func finish() -> [FeatureRow] {
        recordGap()
        var rows: [FeatureRow] = []
        while covered.first != nil { rows += takeFirst() }
        due = nil
        return rows
    }

    /// Adds the time that the last sample covers; `next` is nil where a gap follows it.
    private mutating func cover(until next: Instant?) {
        guard let last, !isClosed else { return }
        let step = next.map { $0 - last } ?? period
        let share = step <= period * 2 ? step : period
        covered.update(last) { $0 += share }
    }

    /// Takes the row of the first epoch left, and sets when the next is due.
    private mutating func takeFirst() -> [FeatureRow] {
        guard let range = covered.first, let time = covered.take(range.lowerBound) else {
            due = nil
            return []
        }
        // Where no epoch is left, the next row is that of the last sample's epoch.
        due = (covered.first ?? last.map(epoch.range))?.upperBound
        due = due.map { $0 + lag }
        let values = features.indices.flatMap { features[$0].take(range) }
        return [FeatureRow(epoch: range, values: values, coverage: min(1, time.seconds / epoch.length.seconds))]
    }
}

extension FeatureRun<MotionSample> {
    /// Since when the device has not been worn, by the feature wear; nil while it is worn, where that
    /// cannot be said, and without that feature.
    package var notWornSince: Instant? { features.lazy.compactMap { ($0 as? Wear)?.notWornSince }.first }

    /// Gives the same rows as adding them one by one, but is several times as fast.
    package mutating func add(_ samples: [MotionSample]) -> [FeatureRow] { addAll(samples) }
}
