// SPDX-License-Identifier: Apache-2.0

/// One second-order section of a filter, in the transposed direct form II: two numbers of memory. `AWeighting`,
/// `DCBlocker` and `ThirdOctaveBank` are made of them.
struct Biquad: Sendable, Hashable {
    /// b0 + b1·z⁻¹ + b2·z⁻² over 1 + a1·z⁻¹ + a2·z⁻².
    private let b: (Double, Double, Double)
    private let a: (Double, Double)
    private var memory = (0.0, 0.0)

    init(b: (Double, Double, Double), a: (Double, Double)) {
        self.b = b
        self.a = a
    }

    static func == (left: Self, right: Self) -> Bool { left.b == right.b && left.a == right.a }
    func hash(into hasher: inout Hasher) { hasher.combine(b.0) }

    /// Forgets what was filtered. With `constant` the section then behaves as if that had come in
    /// for ever; only for sections that let nothing constant through.
    mutating func restart(constant: Double = 0) { memory = (-b.0 * constant, b.2 * constant) }

    @inline(__always)
    mutating func filter(_ input: Double) -> Double {
        let output = b.0 * input + memory.0
        memory = (b.1 * input - a.0 * output + memory.1, b.2 * input - a.1 * output)
        return output
    }

    /// The bilinear transform of s² over two real poles p, q (rad/s): a high-pass, with a gain of 1
    /// at infinity.
    static func highPass(poles p: Double, _ q: Double, rate: Double) -> Biquad {
        let c = 2 * rate
        let scale = (c + p) * (c + q)
        let a = (((p - c) * (c + q) + (q - c) * (c + p)) / scale, (c - p) * (c - q) / scale)
        let gain = c * c / scale
        return Biquad(b: (gain, -2 * gain, gain), a: a)
    }

    /// A band-pass section brought to a gain near 1 in its band, so that no section of a
    /// chain grows large.
    var scaled: Biquad {
        let share = (1 - a.1) / 2
        return Biquad(b: (b.0 * share, b.1 * share, b.2 * share), a: a)
    }

    /// A low-pass of two equal real poles in Hz, 1/(1 + (f/pole)²), that keeps to this curve up to
    /// half the rate: poles by z = exp(s/rate), zeros so that the gain is right at 0 Hz, a quarter
    /// and half of the rate (the matched design of second-order digital filters by M. Vicanek).
    static func matchedLowPass(doublePole pole: Double, rate: Double) -> Biquad {
        let z = Trigonometry.exponential(-2 * .pi * pole / rate)
        let a = (-2 * z, z * z)
        func square(_ share: Double) -> Double {
            let ratio = share * rate / pole
            let gain = 1 / (1 + ratio * ratio)
            return gain * gain
        }
        let (a0, a1) = ((1 + a.0 + a.1) * (1 + a.0 + a.1), (1 - a.0 + a.1) * (1 - a.0 + a.1))
        let (b0, b1) = (a0, a1 * square(0.5))
        // At a quarter of the rate both squares of sine and cosine are 1/2, and four times
        // their product is 1.
        let b2 = square(0.25) * ((a0 + a1) / 2 - 4 * a.1) - (b0 + b1) / 2
        let (root0, root1) = (b0.squareRoot(), b1.squareRoot())
        let half = (root0 + root1) / 2
        let first = (half + (half * half + b2).squareRoot()) / 2
        return Biquad(b: (first, (root0 - root1) / 2, -b2 / (4 * first)), a: a)
    }

    /// A Butterworth high-pass, −3 dB at `corner`.
    static func highPass(corner: Double, rate: Double) -> Biquad {
        let k = Trigonometry.tangent(.pi * corner / rate)
        let norm = 1 / (1 + 2.0.squareRoot() * k + k * k)
        return Biquad(
            b: (norm, -2 * norm, norm), a: (2 * (k * k - 1) * norm, (1 - 2.0.squareRoot() * k + k * k) * norm))
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
