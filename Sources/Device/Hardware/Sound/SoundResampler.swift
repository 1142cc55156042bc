// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Brings a whole sound to another rate, for loudspeakers with a card that has one rate only (`PlaybackLoop`).
/// Pure.
///
/// A windowed sinc of 32 taps, its corner at 0.9 of the lower Nyquist frequency, in a table of 256
/// phases: good for tones and speech (images 60 dB down), not for measuring.
enum SoundResampler {
    private static let taps = 32
    private static let phases = 256

    /// The same sound at `to` samples per second; unchanged where the rates are alike.
    static func resample(_ samples: [Int16], from: Int, to: Int) -> [Int16] {
        guard from != to, from > 0, to > 0, !samples.isEmpty else { return samples }
        let stretch = max(1, Double(from) / Double(to))
        // Going down the filter must be longer, as its corner is lower.
        let reach = Int((Double(taps / 2) * stretch).rounded(.up))
        let table = table(reach: reach, cutoff: 0.45 / stretch)
        let count = Int((Double(samples.count) * Double(to) / Double(from)).rounded(.up))
        return (0..<count).map { index in
            let position = Double(index) * Double(from) / Double(to)
            let whole = Int(position)
            let phase = Int((position - Double(whole)) * Double(phases))
            return sum(samples, around: whole, table[phase], reach)
        }
    }

    private static func sum(_ samples: [Int16], around whole: Int, _ weights: [Float], _ reach: Int) -> Int16 {
        var sum: Float = 0
        let first = max(0, whole - reach + 1)
        let last = min(samples.count - 1, whole + reach)
        guard first <= last else { return 0 }
        for place in first...last { sum += Float(samples[place]) * weights[place - whole + reach - 1] }
        return Int16(max(-32_768, min(32_767, sum.rounded())))
    }

    /// Weights of the neighbours of a place between two samples, by the place; each
    /// row adds up to 1.
    private static func table(reach: Int, cutoff: Double) -> [[Float]] {
        (0..<phases).map { phase in
            let raw = (0..<(2 * reach)).map { tap -> Double in
                let x = Double(tap - reach + 1) - (Double(phase) + 0.5) / Double(phases)
                let sinc = 2 * cutoff * (x == 0 ? 1 : Glibc.sin(2 * .pi * cutoff * x) / (2 * .pi * cutoff * x))
                let share = Glibc.cos(.pi * x / (2 * Double(reach) + 1))
                return sinc * share * share
            }
            let sum = raw.reduce(0, +)
            return raw.map { Float($0 / sum) }
        }
    }
}
