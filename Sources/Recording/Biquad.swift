// SPDX-License-Identifier: Apache-2.0

/// One second-order section of a filter, in the transposed direct form II: two numbers of memory.
struct Biquad: Sendable, Hashable {
    /// b0 + b1·z⁻¹ + b2·z⁻² over 1 + a1·z⁻¹ + a2·z⁻².
    let b: (Double, Double, Double)
    let a: (Double, Double)
    private var memory = (0.0, 0.0)

    init(b: (Double, Double, Double), a: (Double, Double)) {
        self.b = b
        self.a = a
    }

    static func == (left: Self, right: Self) -> Bool { left.b == right.b && left.a == right.a }
    func hash(into hasher: inout Hasher) { hasher.combine(b.0) }

    mutating func filter(_ input: Double) -> Double {
        let output = b.0 * input + memory.0
        memory = (b.1 * input - a.0 * output + memory.1, b.2 * input - a.1 * output)
        return output
    }

    /// The bilinear transform of two real poles p, q (rad/s) over the numerator s² ("high"), or over 1 ("low").
    /// Gain is 1 at infinity or at 0.
    static func poles(_ p: Double, _ q: Double, isHigh: Bool, rate: Double) -> Biquad {
        let c = 2 * rate
        let scale = (c + p) * (c + q)
        let a = (((p - c) * (c + q) + (q - c) * (c + p)) / scale, (c - p) * (c - q) / scale)
        let gain = (isHigh ? c * c : p * q) / scale
        return Biquad(b: (gain, (isHigh ? -2 : 2) * gain, gain), a: a)
    }

    /// Power gain at a frequency in Hz.
    func power(at frequency: Double, rate: Double) -> Double {
        let w = 2 * Double.pi * frequency / rate
        func square(_ x: (Double, Double, Double)) -> Double {
            let real = x.0 + x.1 * Trigonometry.cosine(w) + x.2 * Trigonometry.cosine(2 * w)
            let imaginary = x.1 * Trigonometry.sine(w) + x.2 * Trigonometry.sine(2 * w)
            return real * real + imaginary * imaginary
        }
        return square(b) / square((1, a.0, a.1))
    }
}
