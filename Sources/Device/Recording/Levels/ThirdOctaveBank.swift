// SPDX-License-Identifier: Apache-2.0

/// Mean squares in the one-third-octave bands of IEC 61260-1 (base ten), 25 Hz to 20 kHz as far as the rate
/// allows, for `LevelMeter`. Pure.
///
/// Every band is a Butterworth band-pass of eighth order with exact edges: within the limits of
/// class 1 even where the bilinear transform bends its lower skirt, right below the Nyquist
/// frequency. It passes 1.026 times its width: noise reads 0.1 dB more than in an ideal band. The
/// highest six bands below the Nyquist frequency are filtered at the full rate; for each three
/// bands below, the rate is halved by a low-pass that leaves those bands alone (0.001 dB) and keeps
/// others from folding into them (90 dB), so that a low band costs next to nothing and its poles
/// stay away from the unit circle.
package struct ThirdOctaveBank: Sendable {
    /// Names of the bands from 25 Hz on.
    private static let names: [Double] = [
        25, 31.5, 40, 50, 63, 80, 100, 125, 160, 200, 250, 315, 400, 500, 630, 800, 1000, 1250, 1600, 2000, 2500, 3150,
        4000, 5000, 6300, 8000, 10_000, 12_500, 16_000, 20_000,
    ]
    /// A band of the highest stage may reach up to this share of the rate, those of others to this
    /// share of theirs.
    private static let (topReach, stageReach) = (0.47, 0.235)

    /// The bands' names in Hz, lowest first; the filters lie at the exact 1000·10^(n/10).
    package let nominalFrequencies: [Double]
    private var stages: [ThirdOctaveStage] = []

    /// The bands of a signal with this many samples per second.
    package init(rate: Double) {
        let numbers = Self.names.indices.filter { Self.edges(of: $0).upper <= Self.topReach * rate }
        nominalFrequencies = numbers.map { Self.names[$0] }
        var left = numbers[...]
        var rate = rate
        while !left.isEmpty {
            // What the next stage cannot hold is done here.
            let here = left.filter { Self.edges(of: $0).upper > Self.stageReach * rate / 2 }
            left = left.dropLast(here.count)
            stages.append(ThirdOctaveStage(bands: here.map(Self.edges), rate: rate))
            rate /= 2
        }
    }

    /// The edges of a band, an index of `names` (16 is 1000 Hz), in Hz: 10^(±1/20) from its exact middle.
    static func edges(of band: Int) -> (lower: Double, upper: Double) {
        // 10^(tenths / 10), by ln(10) / 10.
        func frequency(_ tenths: Double) -> Double { Trigonometry.exponential(tenths * 0.230_258_509_299_404_57) }
        let middle = 1000 * frequency(Double(band - 16))
        return (middle / frequency(0.5), middle * frequency(0.5))
    }

    package mutating func add(_ sample: Double) {
        stages.withUnsafeMutableBufferPointer { stages in
            var value = sample
            for index in stages.indices {
                guard let next = stages[index].add(value) else { return }
                value = next
            }
        }
    }

    package mutating func restart() { for index in stages.indices { stages[index].restart() } }

    /// Starts a new mean; the filters go on.
    package mutating func restartInterval() { _ = drainMeanSquares() }

    /// The mean squares since the last call, lowest band first; starts new means.
    package mutating func drainMeanSquares() -> [Double] {
        stages.indices.reversed().flatMap { stages[$0].drainMeanSquares() }
    }
}

/// Neighbouring bands at one rate, and the filter that halves the rate for the stage of the bands below.
private struct ThirdOctaveStage: Sendable {
    private var bands: [ThirdOctaveBand]
    private var half = HalfBand()
    private var count = 0

    init(bands: [(lower: Double, upper: Double)], rate: Double) {
        self.bands = bands.map { ThirdOctaveBand(lower: $0.lower, upper: $0.upper, rate: rate) }
    }

    /// Returns at every second call the sample for the next stage; otherwise nil.
    mutating func add(_ sample: Double) -> Double? {
        bands.withUnsafeMutableBufferPointer { bands in
            for index in bands.indices { bands[index].add(sample) }
        }
        count += 1
        return half.filter(sample)
    }

    mutating func restart() {
        for index in bands.indices { bands[index].restart() }
        half = HalfBand()
        count = 0
    }

    mutating func drainMeanSquares() -> [Double] {
        defer { count = 0 }
        return bands.indices.map { bands[$0].drainSum() / Double(max(1, count)) }
    }
}

/// One band: four sections, of a Butterworth low-pass of fourth order by the band-pass and the
/// bilinear transform.
struct ThirdOctaveBand: Sendable {
    private var sections: (Biquad, Biquad, Biquad, Biquad)
    private let gain: Double
    private var sum = 0.0

    init(lower: Double, upper: Double, rate: Double) {
        let c = 2 * rate
        let (low, high) = (c * Trigonometry.tangent(.pi * lower / rate), c * Trigonometry.tangent(.pi * upper / rate))
        let (width, square) = (high - low, low * high)
        // The low-pass's two poles above the real axis, times half the width; each gives two
        // of the band-pass.
        let poles = [1.0, 3].flatMap { eighths -> [Complex] in
            let angle = .pi * eighths / 8
            let pole = Complex(-width / 2 * Trigonometry.sine(angle), width / 2 * Trigonometry.cosine(angle))
            let root = (pole * pole - Complex(square, 0)).squareRoot
            return [pole + root, pole - root]
        }
        let made = poles.map { Self.section($0, c) }
        sections = (made[0], made[1], made[2], made[3])
        let middle = (lower * upper).squareRoot()
        gain = 1 / made.reduce(1) { $0 * $1.power(at: middle, rate: rate) }.squareRoot()
    }

    /// Zeros at 0 Hz and half the rate; the pole and its conjugate, brought to the z-plane.
    private static func section(_ pole: Complex, _ c: Double) -> Biquad {
        let z = (Complex(c, 0) + pole) / (Complex(c, 0) - pole)
        return Biquad(b: (1, 0, -1), a: (-2 * z.real, z.real * z.real + z.imaginary * z.imaginary)).scaled
    }

    @inline(__always)
    mutating func add(_ sample: Double) {
        let value = sections.3.filter(
            sections.2.filter(sections.1.filter(sections.0.filter(sample * gain))))
        sum += value * value
    }

    mutating func drainSum() -> Double {
        defer { sum = 0 }
        return sum
    }

    mutating func restart() {
        sections.0.restart()
        sections.1.restart()
        sections.2.restart()
        sections.3.restart()
        sum = 0
    }

    /// Gain at a frequency in dB.
    func decibels(at frequency: Double, rate: Double) -> Double {
        let power = [sections.0, sections.1, sections.2, sections.3].reduce(gain * gain) {
            $0 * $1.power(at: frequency, rate: rate)
        }
        return 10 * Trigonometry.logarithm10(power)
    }
}

/// Halves a rate: a half-band low-pass of 23 taps (Kaiser, β 9), flat to 0.1175 of the rate, 90 dB
/// down from 0.3825 on.
private struct HalfBand: Sendable {
    /// Weights at the odd distances 1, 3, … 11 from the middle; that of the middle is a half, those
    /// at even distances are 0.
    private static let weights = design()
    /// The last 23 samples, twice in a row, so that they lie together from `place` on.
    private var history = [Double](repeating: 0, count: 46)
    private var place = 0
    private var isOdd = false

    /// Returns at every second call a sample of the halved rate; otherwise nil.
    @inline(__always)
    mutating func filter(_ sample: Double) -> Double? {
        history[place] = sample
        history[place + 23] = sample
        place = place == 22 ? 0 : place + 1
        isOdd.toggle()
        return isOdd ? nil : convolved()
    }

    private func convolved() -> Double {
        let middle = place + 11
        var sum = 0.5 * history[middle]
        for (index, weight) in Self.weights.enumerated() {
            sum += weight * (history[middle - 2 * index - 1] + history[middle + 2 * index + 1])
        }
        return sum
    }

    private static func design() -> [Double] {
        let raw = stride(from: 1, through: 11, by: 2).map { distance -> Double in
            let x = Double(distance)
            let window = KaiserWindow.weight(beta: 9, at: x / 12)
            return Trigonometry.sine(.pi * x / 2) / (.pi * x) * window
        }
        // Both sides and the middle's half add up to 1.
        let sum = raw.reduce(0, +)
        return raw.map { $0 / sum / 4 }
    }
}
