// SPDX-License-Identifier: Apache-2.0
import Base

/// Estimates when a chip takes its samples, from how many it holds each time it is asked. Pure.
///
/// A chip's rate differs from its nominal one by up to ten per cent, and it does not say when it
/// samples. But each reading of its level gives two bounds: as many samples as it holds were taken by
/// then, and the next one was not. Bounds are extrapolated from reading to reading with the measured
/// period, widened by its error, and intersected: after a few readings aimed at the moment of a sample
/// they lie a fraction of a period apart, so that the chip can be read when a watermark is reached
/// and not before. `SampledDevice` schedules by this, counts lost samples by it, and, but for a chip
/// that measures on command, stamps the last sample of each burst with its bounds; from these stamps
/// the recorder's `ClockRegression` makes the times in files.
///
/// Order: `begin` at each set-up, and after each burst of a chip that measures on command. At each
/// reading `countLost` for what was overwritten; then, for a chip that measures by itself, `observe`,
/// and `recordEdge` where its line rose; then `countFetched` for each burst. Samples that were fetched
/// or counted as lost are accounted for; estimates are relative to the newest of them.
struct SamplePace {
    /// A measured rate that differs from the nominal one by more than this part is rejected: the
    /// clock or the chip has gone wrong.
    private static let tolerance = 0.2
    /// The largest error of a nominal rate, as a part of it.
    private static let nominalError = 0.12
    /// A chip's rate moves with its temperature: its period is never believed
    /// better than this part.
    private static let drift = 2e-5
    /// The period is measured over at least this time once it has passed, in nanoseconds.
    private static let baseline = 60e9

    /// A sample's number, counted from the last `begin`, and the bounds of the time at
    /// which it was taken.
    private struct Sighting {
        var index: Int
        /// Nanoseconds since `origin`.
        var earliest: Double
        var latest: Double
        var middle: Double { (earliest + latest) / 2 }
        var half: Double { (latest - earliest) / 2 }
    }

    private let origin: MonotonicTime
    private let nominalPeriod: Double
    private var period: Double
    private var periodError: Double
    /// The number of the newest sample that was fetched or counted as lost.
    private var accounted = 0
    private var latest: Sighting
    /// Two earlier sightings to measure the period from, a baseline apart; nil before the first.
    private var anchors: (old: Sighting, recent: Sighting)?

    /// A chip of that nominal rate with its first sample due one period after `start`.
    init(nominalRate: Double, start: MonotonicTime) {
        origin = start
        nominalPeriod = 1e9 / nominalRate
        period = nominalPeriod
        periodError = nominalPeriod * Self.nominalError
        latest = Sighting(index: 0, earliest: 0, latest: 0)
    }

    /// Samples per second, as far as known.
    var rate: Double { 1e9 / period }
    /// The time of the newest sample that was fetched or counted as lost, as far as known.
    var accountedUntil: MonotonicTime { moment(middle(of: accounted)) }
    /// By when the newest accounted sample was certainly taken: never early, at most a period late.
    var newestUpperBound: MonotonicTime { moment(predicted(accounted).latest) }
    /// The newest accounted sample was certainly not taken before this.
    var newestLowerBound: MonotonicTime { moment(predicted(accounted).earliest) }

    /// How long the chip takes for this many samples.
    func duration(ofSamples samples: Double) -> Duration { .nanoseconds(Int64((samples * period).rounded())) }

    /// When the `count`th sample after the accounted ones has certainly been taken.
    func certainTime(ofSample count: Int) -> MonotonicTime { moment(predicted(accounted + count).latest) }
    /// The moment at which the `count`th sample after the accounted ones is taken, as likely
    /// before as after.
    func likelyTime(ofSample count: Int) -> MonotonicTime { moment(middle(of: accounted + count)) }
    /// How far apart the bounds of the next sample are, in periods.
    var uncertainty: Double { 2 * predicted(accounted + 1).half / period }

    /// How many samples came after the accounted ones until `now`, as far as known.
    func produced(at now: MonotonicTime) -> Int {
        max(0, Int(((nanoseconds(now) - middle(of: accounted)) / period).rounded(.down)))
    }

    /// The chip was set up at `now` and begins to sample; the caller has counted what it missed before.
    mutating func begin(at now: MonotonicTime) {
        accounted = 0
        anchors = nil
        period = min(max(period, nominalPeriod * (1 - Self.tolerance)), nominalPeriod * (1 + Self.tolerance))
        latest = Sighting(index: 0, earliest: nanoseconds(now) - period, latest: nanoseconds(now) + period / 2)
    }

    /// Between `before` and `after` the chip held `level` samples after the accounted ones. A level
    /// lower than predicted counts only where it `isEnough` for a burst: a chip that has stopped
    /// says nothing about when it samples.
    mutating func observe(_ level: Int, isEnough: Bool = true, from before: MonotonicTime, to after: MonotonicTime) {
        let expected = predicted(accounted + level)
        let seen = Sighting(
            index: accounted + level, earliest: nanoseconds(before) - period - periodError, latest: nanoseconds(after))
        guard isEnough || seen.earliest <= expected.latest else { return }
        intersect(expected, seen)
    }

    /// The `count`th sample after the accounted ones raised the interrupt line at `edge`, as
    /// stamped by the kernel.
    mutating func recordEdge(ofSample count: Int, at edge: MonotonicTime) {
        let expected = predicted(accounted + count)
        // A kernel's interrupt comes a few dozen microseconds late.
        let seen = Sighting(index: accounted + count, earliest: nanoseconds(edge) - 100_000, latest: nanoseconds(edge))
        // An edge of another sample is ignored.
        guard seen.latest > expected.earliest - period / 2, seen.earliest < expected.latest + period / 2 else { return }
        intersect(expected, seen)
    }

    /// This many more samples were fetched and so are accounted for.
    mutating func countFetched(_ count: Int) { accounted += count }

    /// This many more samples were overwritten and so are accounted for. Their number is an estimate: the
    /// period is kept, and the bounds widen by one sample either way and by the period's error over them.
    mutating func countLost(_ count: Int) {
        accounted += count
        anchors = nil
        let doubt = period + Double(count) * periodError
        latest = predicted(accounted)
        (latest.earliest, latest.latest) = (latest.earliest - doubt, latest.latest + doubt)
    }

    /// Keeps what both bounds allow; where they exclude each other, what was seen.
    private mutating func intersect(_ expected: Sighting, _ seen: Sighting) {
        latest = seen
        latest.earliest = max(expected.earliest, seen.earliest)
        latest.latest = min(expected.latest, seen.latest)
        guard latest.earliest <= latest.latest else {
            // Samples were missed, or the rate has changed.
            latest = seen
            anchors = nil
            periodError = min(max(4 * periodError, period * 1e-3), nominalPeriod * Self.nominalError)
            return
        }
        updatePeriod()
    }

    private mutating func updatePeriod() {
        guard let (old, recent) = anchors else {
            anchors = (latest, latest)
            return
        }
        let samples = Double(latest.index - old.index)
        guard samples > 0 else { return }
        let measured = (latest.middle - old.middle) / samples
        let error = (latest.half + old.half) / samples + measured * Self.drift
        let isPossible = abs(measured / nominalPeriod - 1) <= Self.tolerance
        if isPossible, error <= periodError || latest.middle - old.middle > Self.baseline {
            (period, periodError) = (measured, error)
        }
        if latest.middle - recent.middle > Self.baseline { anchors = (recent, latest) }
    }

    /// The bounds of a sample's time, extrapolated from the latest sighting.
    private func predicted(_ index: Int) -> Sighting {
        let steps = Double(index - latest.index)
        let (middle, half) = (latest.middle + steps * period, latest.half + abs(steps) * periodError)
        return Sighting(index: index, earliest: middle - half, latest: middle + half)
    }

    private func middle(of index: Int) -> Double { latest.middle + Double(index - latest.index) * period }
    private func nanoseconds(_ time: MonotonicTime) -> Double { Double(time.nanoseconds - origin.nanoseconds) }
    private func moment(_ nanoseconds: Double) -> MonotonicTime {
        MonotonicTime(nanoseconds: origin.nanoseconds + Int64(nanoseconds.rounded()))
    }
}

/// When to ask a chip that measures by itself for its level next.
extension SamplePace {
    /// When to ask for the next burst: from `ready` on, and by `due` at the latest. At `ready` the burst is certainly
    /// complete, with one exception: where the chip has no room for two more samples, as without a FIFO, and the
    /// times of samples are not known well, both are the likely time of the burst's last sample. `line` is the
    /// chip's interrupt line, nil without one.
    func nextLook(
        watermark: Int, depth: Int, line: (any InterruptLine)?
    ) -> (ready: MonotonicTime, due: MonotonicTime) {
        let ready = certainTime(ofSample: watermark)
        let room = depth - watermark
        if room > 1 {
            if line?.isThere ?? false {
                // The edge wakes the thread; `due` only catches a line that has stopped working.
                return (ready, ready + duration(ofSamples: min(Double(watermark), Double(room) / 2)))
            } else if uncertainty > Self.wellKnown {
                return (ready, max(ready, likelyTime(ofSample: watermark + 1)))
            }
            // The FIFO has room for more, so there is time to share another device's wake-up.
            return (ready, ready + duration(ofSamples: max(1, min(Double(watermark), Double(room)) / 4)))
        }
        if uncertainty > Self.closeEnough {
            // Too early in half of the cases, which costs one more reading and halves the uncertainty.
            let likely = likelyTime(ofSample: watermark)
            return (likely, likely)
        }
        return (ready, ready + duration(ofSamples: line?.isThere ?? false ? Self.lineDelay : Self.shareableDelay))
    }

    /// When to ask again for a burst that was not complete at `now`.
    func lookAgain(watermark: Int, depth: Int, after now: MonotonicTime) -> MonotonicTime {
        let certain = certainTime(ofSample: watermark)
        return certain > now ? certain : now + duration(ofSamples: depth > 1 ? 1 : Self.pollInterval)
    }

    /// A chip that was triggered and is not ready is asked again after this, in periods.
    static let pollInterval = 0.2
    /// A chip without a FIFO is asked at the likely moment of a sample while that is known no
    /// better than this, in periods.
    private static let closeEnough = 0.1
    /// Once the moment is known that well, a chip without a FIFO may be asked this much after it, in
    /// periods, to share another device's wake-up.
    private static let shareableDelay = 0.25
    /// A FIFO is asked at the moment of a sample while that is known no better than
    /// this, in periods.
    private static let wellKnown = 0.02
    /// A chip without a FIFO whose interrupt line stays silent is asked this much after the sample, in
    /// periods.
    private static let lineDelay = 0.4
}
