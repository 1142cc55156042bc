// SPDX-License-Identifier: Apache-2.0

/// A second-order Butterworth high-pass for sound: takes out a microphone's constant offset, for
/// `SoundConditioner` and `LevelMeter`. Pure.
///
/// It begins as if the first sample had been there for ever, so that an offset makes no step.
/// Double, because at 10 Hz of 48 kHz the poles lie within a thousandth of the unit circle.
struct DCBlocker: Sendable {
    private var section: Biquad
    /// No sample has come since the beginning, or since a gap.
    private var isFresh = true

    /// A high-pass of that corner (−3 dB) at this many samples per second.
    init(corner: Double, rate: Double) { section = Biquad.highPass(corner: corner, rate: rate) }

    @inline(__always)
    mutating func filter(_ input: Double) -> Double {
        if isFresh { section.restart(constant: input) }
        isFresh = false
        return section.filter(input)
    }

    mutating func restart() { isFresh = true }
}
