// SPDX-License-Identifier: Apache-2.0

/// The A- and C-weighting of IEC 61672 for any sampling rate: three second-order sections. `LevelMeter` has
/// one.
///
/// The two poles at 12 194 Hz lie beyond what the bilinear transform can follow, so that their
/// section is matched instead: its poles by z = exp(s/rate), its zeros so that the gain is exact at
/// 0 Hz, a quarter and half of the rate. Deviations from the standard's curve in dB: below 0.06 up
/// to 4 kHz at 16 kHz and up to 6.3 kHz at 48 kHz; at 16 kHz −0.17 at 5 kHz, −0.40 at 6.3 kHz; at
/// 48 kHz 0.09 at 8 kHz, 0.07 at 10 kHz, −0.03 at 12.5 kHz, −0.36 at 16 kHz, −0.83 at 20 kHz.
package struct AWeighting: Sendable {
    /// Poles in Hz; the first and the last are double. Four zeros at 0.
    private static let poles = (20.598997, 107.65265, 737.86223, 12_194.217)
    private var sections: (Biquad, Biquad, Biquad)
    private let gain: Double
    private let gainC: Double

    package init(rate: Double) {
        let w = 2 * Double.pi
        let p = Self.poles
        sections = (
            // This one takes Hz, the high-passes take rad/s.
            Biquad.matchedLowPass(doublePole: p.3, rate: rate),
            Biquad.highPass(poles: w * p.0, w * p.0, rate: rate),
            Biquad.highPass(poles: w * p.1, w * p.2, rate: rate)
        )
        // Both weightings are 0 dB at 1 kHz by definition.
        let powerC = sections.0.power(at: 1000, rate: rate) * sections.1.power(at: 1000, rate: rate)
        gainC = 1 / powerC.squareRoot()
        gain = 1 / (powerC * sections.2.power(at: 1000, rate: rate)).squareRoot()
    }

    /// The next sample, weighted by A and by C, which has A's two double poles without the two
    /// between them.
    @inline(__always)
    package mutating func filter(_ sample: Double) -> (a: Double, c: Double) {
        let c = sections.1.filter(sections.0.filter(sample))
        return (sections.2.filter(c) * gain, c * gainC)
    }

    package mutating func restart() {
        sections.0.restart()
        sections.1.restart()
        sections.2.restart()
    }

    /// The A filter's gain at a frequency, in dB.
    package func decibels(at frequency: Double, rate: Double) -> Double {
        let power = powerC(at: frequency, rate: rate) * sections.2.power(at: frequency, rate: rate)
        return 10 * Trigonometry.logarithm10(gain * gain * power)
    }

    /// The C filter's gain at a frequency, in dB.
    package func decibelsC(at frequency: Double, rate: Double) -> Double {
        10 * Trigonometry.logarithm10(gainC * gainC * powerC(at: frequency, rate: rate))
    }

    private func powerC(at frequency: Double, rate: Double) -> Double {
        sections.0.power(at: frequency, rate: rate) * sections.1.power(at: frequency, rate: rate)
    }
}
