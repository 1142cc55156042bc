// SPDX-License-Identifier: Apache-2.0

/// Sound levels of one second, as `LevelMeter` gives them.
package struct SoundLevels: Sendable, Hashable {
    /// Equivalent continuous A-weighted level, dB.
    package var equivalentA: Double
    /// Highest A-weighted level with the time constant "fast" (125 ms), dB.
    package var maximumFastA: Double
    /// Equivalent continuous unweighted level, dB.
    package var equivalentZ: Double
    /// Equivalent continuous C-weighted level, dB.
    package var equivalentC: Double
    /// Samples at the end of the microphone's scale.
    package var clipped: Int
    /// Levels in one-third-octave bands over the interval that ends with this second, dB, lowest
    /// band first; nil in the seconds in which no interval ends.
    package var bands: [Double]?
}

/// Measures levels second by second, for `LevelCSVWriter` and `studyd check`. Pure; holds no samples, so
/// nothing that was said can be had back from it.
///
/// 0 dBFS is a full-scale **sine** (rms 1/√2), the convention of microphone data sheets.
/// With a calibration the levels are dB re 20 µPa. What lies below 5 Hz, a constant offset
/// of the microphone above all, is taken out first, by a Butterworth filter of second order
/// (−0.01 dB at 20 Hz).
package struct LevelMeter: Sendable {
    /// The least that is reported, in dB below full scale: silence has no logarithm.
    package static let floor = -140.0
    /// Samples in a second.
    private let second: Int
    /// In dB.
    private let calibration: Double
    /// How much of the difference to the next square the fast level takes over per sample.
    private let fastShare: Double
    private var weighting: AWeighting
    private var blocker: DCBlocker
    /// Samples left of the half second in which the filters settle.
    private var settling: Int
    /// The mean square with the time constant "fast".
    private var fast = 0.0
    /// Samples of the unfinished second, their sums of squares by weighting, and the largest `fast`.
    private var count = 0
    private var sums = (a: 0.0, c: 0.0, z: 0.0, fast: 0.0, clipped: 0)
    private var octaves: ThirdOctaveBank?
    /// Seconds between levels in bands, and seconds since the last of these.
    private let interval: Int
    private var seconds = 0
    /// How the fast level was distributed over all seconds that were reported.
    package private(set) var statistics = LevelStatistics()
    /// The fast levels of the unfinished second, in dB.
    private var pendingStatistics: [Double] = []
    /// Samples between two values for `statistics`, a tenth of a second.
    private let tick: Int

    /// A meter for this many samples per second; `calibration` is added to every level.
    /// `thirdOctaves` is after how many seconds levels in one-third-octave bands are reported; nil
    /// = never.
    package init(rate: Double, calibration: Double = 0, thirdOctaves: Int? = nil) {
        second = max(1, Int(rate.rounded()))
        self.calibration = calibration
        weighting = AWeighting(rate: rate)
        fastShare = 1 - Trigonometry.exponential(-1 / (rate * 0.125))
        blocker = DCBlocker(corner: 5, rate: rate)
        settling = second / 2
        tick = max(1, second / 10)
        octaves = thirdOctaves.map { _ in ThirdOctaveBank(rate: rate) }
        interval = max(1, thirdOctaves ?? 1)
    }

    /// The nominal frequencies of the bands that are reported, in Hz.
    package var bands: [Double] { octaves?.nominalFrequencies ?? [] }

    /// Samples of the second that is not full yet; those of the half second in which filters
    /// settle count too.
    package var pending: Int { settling > 0 ? second / 2 - settling : count }

    /// Takes in one sample; returns levels when it completes a second.
    package mutating func add(_ sample: Int16) -> SoundLevels? {
        let one: InlineArray<1, Int16> = [sample]
        return add(one.span, from: 0).levels
    }

    /// Takes in samples from the one at `first` on: as many as there are until a second, or the
    /// settling, may end. Returns how many it took, at least one, and levels when they
    /// completed a second.
    package mutating func add(_ samples: Span<Int16>, from first: Int) -> (taken: Int, levels: SoundLevels?) {
        let isSettling = settling > 0
        let taken = min(samples.count - first, isSettling ? settling : min(second - count, tick - count % tick))
        filter(samples, first..<first + taken, counting: !isSettling)
        if isSettling {
            settling -= taken
            if settling == 0 { octaves?.restartInterval() }
            return (taken, nil)
        }
        count += taken
        if count % tick == 0 { pendingStatistics.append(level(fast)) }
        return (taken, count == second ? finish() : nil)
    }

    /// Filters on local copies, which the compiler keeps in registers: that is worth it 16 000 times a second.
    /// `counting` is false while the filters settle.
    private mutating func filter(_ samples: Span<Int16>, _ range: Range<Int>, counting: Bool) {
        var (blocker, weighting, fast, sums) = (blocker, weighting, fast, sums)
        for index in range {
            let sample = samples[index]
            let output = blocker.filter(Double(sample) / 32_768)
            let (a, c) = weighting.filter(output)
            fast += fastShare * (a * a - fast)
            octaves?.add(output)
            guard counting else { continue }
            sums.z += output * output
            sums.a += a * a
            sums.c += c * c
            sums.fast = max(sums.fast, fast)
            if sample == .max || sample == .min { sums.clipped += 1 }
        }
        (self.blocker, self.weighting, self.fast, self.sums) = (blocker, weighting, fast, sums)
    }

    /// Counts clipped samples of this second that a filter before the meter has moved off the end of the scale
    /// (`SoundFrame.hiddenClips`); those of the half second in which filters settle belong to none.
    package mutating func addClips(_ count: Int) { if settling == 0 { sums.clipped += count } }

    /// Forgets the unfinished second; the filters go on.
    package mutating func forgetSecond() {
        clear()
        seconds = 0
        octaves?.restartInterval()
    }

    package mutating func restartStatistics() { statistics = LevelStatistics() }

    /// Forgets the unfinished second and what the filters hold, after a gap: what lies on its two
    /// sides does not belong together. The filters settle again for half a second.
    package mutating func restart() {
        clear()
        blocker.restart()
        weighting.restart()
        fast = 0
        settling = second / 2
        seconds = 0
        octaves?.restart()
    }

    private mutating func clear() {
        count = 0
        sums = (0, 0, 0, 0, 0)
        pendingStatistics.removeAll(keepingCapacity: true)
    }

    private mutating func finish() -> SoundLevels {
        defer { clear() }
        let n = Double(second)
        for value in pendingStatistics { statistics.add(value) }
        statistics.add(meanSquare: sums.a / n, maximum: level(sums.fast), calibration: calibration)
        seconds += 1
        return SoundLevels(
            equivalentA: level(sums.a / n), maximumFastA: level(sums.fast), equivalentZ: level(sums.z / n),
            equivalentC: level(sums.c / n), clipped: sums.clipped, bands: drainBandLevels())
    }

    private mutating func drainBandLevels() -> [Double]? {
        guard seconds >= interval, let squares = octaves?.drainMeanSquares() else { return nil }
        seconds = 0
        return squares.map(level)
    }

    /// Mean square to dB; a full-scale sine has the mean square 1/2.
    private func level(_ square: Double) -> Double {
        max(Self.floor, 10 * Trigonometry.logarithm10(max(square * 2, 1e-20))) + calibration
    }
}
