// SPDX-License-Identifier: Apache-2.0
import Glibc

/// A second-order Butterworth high-pass for sound: takes out a microphone's constant offset. Pure.
///
/// It begins as if the first sample had been there for ever, so that an offset makes no step.
/// Double, because at 10 Hz of 48 kHz the poles lie within a thousandth of the unit circle.
struct DCBlocker: Sendable {
    /// Numerator and denominator of the transfer function; a0 is 1.
    private let b: (Double, Double, Double)
    private let a: (Double, Double)
    /// The two delays of the transposed direct form II; nil before the first sample.
    private var memory: (Double, Double)?

    /// A high-pass of that corner (−3 dB) at this many samples per second.
    init(corner: Double, rate: Double) {
        let k = Glibc.tan(.pi * corner / rate)
        let norm = 1 / (1 + 2.0.squareRoot() * k + k * k)
        b = (norm, -2 * norm, norm)
        a = (2 * (k * k - 1) * norm, (1 - 2.0.squareRoot() * k + k * k) * norm)
    }

    /// The next sample without its offset.
    mutating func filter(_ input: Double) -> Double {
        let old = memory ?? (-b.0 * input, b.2 * input)
        let output = b.0 * input + old.0
        memory = (b.1 * input - a.0 * output + old.1, b.2 * input - a.1 * output)
        return output
    }

    /// Forgets what was before a gap.
    mutating func restart() { memory = nil }
}
