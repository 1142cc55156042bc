// SPDX-License-Identifier: Apache-2.0

/// Sound levels of one second.
public struct SoundLevels: Sendable, Hashable {
    /// Equivalent continuous A-weighted level, dB.
    public var equivalentA: Double
    /// Highest A-weighted level with the time constant "fast" (125 ms), dB.
    public var maximumFastA: Double
    /// Equivalent continuous unweighted level, dB.
    public var equivalentZ: Double
    /// Samples at the end of the 16-bit scale.
    public var clipped: Int

    /// Levels.
    public init(equivalentA: Double, maximumFastA: Double, equivalentZ: Double, clipped: Int) {
        self.equivalentA = equivalentA
        self.maximumFastA = maximumFastA
        self.equivalentZ = equivalentZ
        self.clipped = clipped
    }
}

/// Measures levels second by second. Pure; holds no samples, so nothing that was said can be had back from it.
///
/// 0 dBFS is a full-scale **sine** (rms 1/√2), the convention of microphone data sheets. With a calibration the levels are
/// dB re 20 µPa. A constant offset of the microphone is taken out first.
public struct LevelMeter: Sendable {
    /// The least that is reported, in dB below full scale: silence has no logarithm.
    public static let floor = -140.0
    private let second: Int
    private let calibration: Double
    private let fastShare: Double
    private let blockShare: Double
    private var weighting: AWeighting
    private var blocker: (input: Double, output: Double)?
    private var settling: Int
    private var fast = 0.0
    private var count = 0
    private var sums = (a: 0.0, z: 0.0, fast: 0.0, clipped: 0)

    /// A meter for so many samples per second; `calibration` is added to every level.
    public init(rate: Double, calibration: Double = 0) {
        second = max(1, Int(rate.rounded()))
        self.calibration = calibration
        weighting = AWeighting(rate: rate)
        fastShare = 1 - Trigonometry.exponential(-1 / (rate * 0.125))
        // A first-order high-pass at 5 Hz.
        blockShare = Trigonometry.exponential(-2 * .pi * 5 / rate)
        settling = second / 2
    }

    /// Samples of the second that is not full yet; those of the first half second, in which filters settle, count too.
    public var pending: Int { settling > 0 ? second / 2 - settling : count }

    /// Takes in one sample; returns levels when it completes a second.
    public mutating func add(_ sample: Int16) -> SoundLevels? {
        let input = Double(sample) / 32_768
        let output = blocker.map { input - $0.input + blockShare * $0.output } ?? 0
        blocker = (input, output)
        let weighted = weighting.filter(output)
        fast += fastShare * (weighted * weighted - fast)
        guard settling == 0 else {
            settling -= 1
            return nil
        }
        sums.z += output * output
        sums.a += weighted * weighted
        sums.fast = max(sums.fast, fast)
        if sample == .max || sample == .min { sums.clipped += 1 }
        count += 1
        return count == second ? finish() : nil
    }

    /// Forgets the unfinished second, after a gap.
    public mutating func restart() {
        count = 0
        sums = (0, 0, 0, 0)
    }

    private mutating func finish() -> SoundLevels {
        defer { restart() }
        let n = Double(second)
        return SoundLevels(
            equivalentA: level(sums.a / n), maximumFastA: level(sums.fast), equivalentZ: level(sums.z / n),
            clipped: sums.clipped)
    }

    /// Mean square to dB; a full-scale sine has the mean square 1/2.
    private func level(_ square: Double) -> Double {
        max(Self.floor, 10 * Trigonometry.logarithm10(max(square * 2, 1e-20))) + calibration
    }
}
