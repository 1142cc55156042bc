// SPDX-License-Identifier: Apache-2.0
import Base

/// When a chip takes its samples, as narrowly as looking at its level tells. Pure.
///
/// A chip's rate differs from its nominal one by up to ten per cent, and it does not say when it
/// samples. But each look at its level gives two bounds: as many samples as it holds were taken by
/// then, and the next one was not. Bounds are carried from look to look with the measured period,
/// widened by its error, and meet: after some looks that were aimed at the moment of a sample they
/// lie a fraction of a period apart, so that the chip can be looked at when a watermark is reached
/// and not before. The times in files are not from here but from the recorder's `ClockRegression`.
struct SamplePace {
    /// What is measured beyond this part of the nominal rate is no rate but a clock or a
    /// chip gone wrong.
    private static let tolerance = 0.2
    /// How well a nominal rate is believed.
    private static let nominalError = 0.12
    /// A chip's rate moves with its temperature: its period is never believed
    /// better than this part.
    private static let drift = 2e-5
    /// A look is reckoned from at least this time before, in nanoseconds.
    private static let baseline = 60e9

    /// A sample's number, counted from the last beginning, and the bounds of the time at
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
    /// Two earlier ones to measure the period from, a baseline apart; nil before the first look.
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
    var accountedUntil: MonotonicTime { time(middle(of: accounted)) }
    /// By when the newest accounted sample was certainly taken: never early, at most a period late.
    var newest: MonotonicTime { time(carried(to: accounted).latest) }
    /// It was certainly not taken before this.
    var newestFrom: MonotonicTime { time(carried(to: accounted).earliest) }

    /// The duration of this many samples.
    func time(_ samples: Double) -> Duration { .nanoseconds(Int64((samples * period).rounded())) }

    /// When the `count`th sample after the accounted ones has certainly been taken.
    func certain(_ count: Int) -> MonotonicTime { time(carried(to: accounted + count).latest) }
    /// The moment at which the `count`th sample after the accounted ones is taken, as likely
    /// before as after.
    func likely(_ count: Int) -> MonotonicTime { time(middle(of: accounted + count)) }
    /// How far apart the bounds of the next sample are, in periods.
    var uncertainty: Double { 2 * carried(to: accounted + 1).half / period }

    /// How many samples came after the accounted ones until `now`, as far as known.
    func produced(at now: MonotonicTime) -> Int {
        max(0, Int(((nanoseconds(now) - middle(of: accounted)) / period).rounded(.down)))
    }

    /// The chip was set up at `now` and begins to sample; what it missed is accounted for.
    mutating func begin(at now: MonotonicTime) {
        accounted = 0
        anchors = nil
        period = min(max(period, nominalPeriod * (1 - Self.tolerance)), nominalPeriod * (1 + Self.tolerance))
        latest = Sighting(index: 0, earliest: nanoseconds(now) - period, latest: nanoseconds(now) + period / 2)
    }

    /// Between `before` and `after` the chip held `level` samples after the accounted ones. Fewer
    /// than there should be are believed only where they are `enough`: a chip that has stopped
    /// tells nothing of when it samples.
    mutating func observe(_ level: Int, isEnough: Bool = true, from before: MonotonicTime, to after: MonotonicTime) {
        let expected = carried(to: accounted + level)
        let seen = Sighting(
            index: accounted + level, earliest: nanoseconds(before) - period - periodError,
            latest: nanoseconds(after))
        guard isEnough || seen.earliest <= expected.latest else { return }
        narrow(expected, seen)
    }

    /// The `count`th sample after the accounted ones raised the interrupt line at `edge`, as
    /// stamped by the kernel.
    mutating func edge(_ count: Int, at edge: MonotonicTime) {
        let expected = carried(to: accounted + count)
        // A kernel's interrupt comes a few dozen microseconds late.
        let seen = Sighting(
            index: accounted + count, earliest: nanoseconds(edge) - 100_000, latest: nanoseconds(edge))
        // An edge of another sample says nothing.
        guard seen.latest > expected.earliest - period / 2, seen.earliest < expected.latest + period / 2 else { return }
        narrow(expected, seen)
    }

    /// This many more are accounted for.
    mutating func fetched(_ count: Int) { accounted += count }

    /// This many more are accounted for, but their number was only estimated: the period holds, and
    /// the bounds widen by one sample either way and by what the period may have been wrong meanwhile.
    mutating func lost(_ count: Int) {
        accounted += count
        anchors = nil
        let doubt = period + Double(count) * periodError
        latest = carried(to: accounted)
        (latest.earliest, latest.latest) = (latest.earliest - doubt, latest.latest + doubt)
    }

    private mutating func narrow(_ expected: Sighting, _ seen: Sighting) {
        latest = seen
        latest.earliest = max(expected.earliest, seen.earliest)
        latest.latest = min(expected.latest, seen.latest)
        guard latest.earliest <= latest.latest else {
            // Samples that were not counted, or a rate that moved: what is seen counts.
            latest = seen
            anchors = nil
            periodError = min(max(4 * periodError, period * 1e-3), nominalPeriod * Self.nominalError)
            return
        }
        measure()
    }

    private mutating func measure() {
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

    private func carried(to index: Int) -> Sighting {
        let steps = Double(index - latest.index)
        let (middle, half) = (latest.middle + steps * period, latest.half + abs(steps) * periodError)
        return Sighting(index: index, earliest: middle - half, latest: middle + half)
    }

    private func middle(of index: Int) -> Double { latest.middle + Double(index - latest.index) * period }
    private func nanoseconds(_ time: MonotonicTime) -> Double { Double(time.nanoseconds - origin.nanoseconds) }
    private func time(_ nanoseconds: Double) -> MonotonicTime {
        MonotonicTime(nanoseconds: origin.nanoseconds + Int64(nanoseconds.rounded()))
    }
}

/// When a chip that measures by itself is looked at next.
extension SamplePace {
    /// For the next burst: `ready` once it is certainly complete, `due` at the latest. `line` is
    /// the chip's interrupt line, nil without one.
    func nextLook(
        watermark: Int, depth: Int, line: (any InterruptLine)?
    ) -> (ready: MonotonicTime, due: MonotonicTime) {
        let ready = certain(watermark)
        let room = depth - watermark
        if room > 1 {
            if line?.isThere ?? false {
                // The line says it; the clock only looks whether the line still lives.
                return (ready, ready + time(min(Double(watermark), Double(room) / 2)))
            } else if uncertainty > Self.wellKnown {
                return (ready, max(ready, likely(watermark + 1)))
            }
            // There is room for more, so another device's wake-up is waited for.
            return (ready, ready + time(max(1, min(Double(watermark), Double(room)) / 4)))
        }
        if uncertainty > Self.closeEnough {
            // Too early as likely as not, which costs one more look and halves the uncertainty.
            return (likely(watermark), likely(watermark))
        }
        return (ready, ready + time(line?.isThere ?? false ? Self.lineDelay : Self.shareableDelay))
    }

    /// For a burst that was not complete at `now`.
    func lookAgain(watermark: Int, depth: Int, after now: MonotonicTime) -> MonotonicTime {
        let certain = certain(watermark)
        return certain > now ? certain : now + time(depth > 1 ? 1 : Self.pollInterval)
    }

    /// A chip that was triggered and is not ready is asked again after this, in periods.
    static let pollInterval = 0.2
    /// A chip without a FIFO is asked at the likely moment of a sample while that is known no
    /// better than this, in periods.
    private static let closeEnough = 0.1
    /// And once it is known, this much later in periods, to share the wake-up of another
    /// device meanwhile.
    private static let shareableDelay = 0.25
    /// A FIFO is asked at the moment of a sample while that is known no better than
    /// this, in periods.
    private static let wellKnown = 0.02
    /// Its interrupt line is given up for this sample that much later, in periods.
    private static let lineDelay = 0.4
}
