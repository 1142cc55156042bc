// SPDX-License-Identifier: Apache-2.0

/// The A-weighting of IEC 61672 for any sampling rate: three second-order sections by the bilinear transform.
///
/// The plain transform bends the two poles at 12 194 Hz: −0.45 dB at 4 kHz of 16 kHz. Their frequency is therefore chosen so that
/// the filter is exact at 1 kHz and at a quarter of the rate (8 kHz at most); above that it falls off too soon, as near half
/// the rate any such filter must.
public struct AWeighting: Sendable {
    /// Poles in Hz; the first and the last are double. Four zeros at 0.
    static let poles = (20.598997, 107.65265, 737.86223, 12_194.217)
    private var sections: [Biquad]
    private let gain: Double

    /// A filter for so many samples per second.
    public init(rate: Double) {
        let target = min(rate / 4, 8000)
        let wanted = Self.analytic(target)
        var (low, high) = (4000.0, 400_000.0)
        for _ in 0..<50 {
            let middle = (low * high).squareRoot()
            let filter = Self(rate: rate, upperPole: middle)
            (low, high) = filter.decibels(at: target, rate: rate) < wanted ? (middle, high) : (low, middle)
        }
        self.init(rate: rate, upperPole: low)
    }

    private init(rate: Double, upperPole: Double) {
        let w = 2 * Double.pi
        let p = Self.poles
        let sections = [
            Biquad.poles(w * upperPole, w * upperPole, isHigh: false, rate: rate),
            Biquad.poles(w * p.1, w * p.2, isHigh: true, rate: rate),
            Biquad.poles(w * p.0, w * p.0, isHigh: true, rate: rate),
        ]
        self.sections = sections
        // A-weighting is 0 dB at 1 kHz by definition.
        gain = 1 / sections.reduce(1) { $0 * $1.power(at: 1000, rate: rate) }.squareRoot()
    }

    /// The weighting as the standard defines it, in dB.
    public static func analytic(_ frequency: Double) -> Double {
        func amplitude(_ f: Double) -> Double {
            let (f2, p) = (f * f, poles)
            let edges = (f2 + p.0 * p.0) * (f2 + p.3 * p.3)
            return f2 * f2 / (edges * ((f2 + p.1 * p.1) * (f2 + p.2 * p.2)).squareRoot())
        }
        return 20 * Trigonometry.logarithm10(amplitude(frequency) / amplitude(1000))
    }

    /// The next weighted sample.
    public mutating func filter(_ sample: Double) -> Double {
        var value = sample * gain
        for index in sections.indices { value = sections[index].filter(value) }
        return value
    }

    /// The filter's gain at a frequency, in dB.
    public func decibels(at frequency: Double, rate: Double) -> Double {
        let power = sections.reduce(gain * gain) { $0 * $1.power(at: frequency, rate: rate) }
        return 10 * Trigonometry.logarithm10(power)
    }
}
