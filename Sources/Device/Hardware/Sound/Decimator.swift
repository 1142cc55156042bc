// SPDX-License-Identifier: Apache-2.0
import Glibc

/// A low-pass that lets every n-th sample through: 48 kHz to 16 kHz, for `SoundConditioner`. Pure; allocates
/// nothing after it was made.
///
/// A linear-phase Kaiser window design with 56·n + 1 taps, computed only for the samples that are
/// kept. With r the rate that comes out: flat within 0.001 dB up to 0.45 r, at least 85 dB down
/// from 0.55 r on, −6 dB at r/2. So nothing folds back below 0.45 r.
struct Decimator: Sendable {
    /// How many samples go in for one that comes out.
    private let factor: Int
    /// By how many input samples the output is late.
    let delay: Int
    private let taps: [Float]
    private var history: [Float]
    private var place = 0
    /// Inputs until the next output.
    private(set) var untilNext: Int

    /// A decimator by `factor`, 2 or more.
    init(factor: Int) {
        self.factor = factor
        delay = 28 * factor
        let count = 2 * delay + 1
        taps = Self.lowPass(count: count, cutoff: 0.5 / Double(factor)).map { Float($0) }
        // Twice as long as needed, every sample written twice: the newest `count` then always
        // lie in one piece.
        history = [Float](repeating: 0, count: 2 * count)
        untilNext = count
    }

    /// Takes in a sample; returns one when the next is due. The first is due when the filter is
    /// full, so that no sound is invented before the first input.
    mutating func filter(_ sample: Float) -> Float? {
        let count = taps.count
        history[place] = sample
        history[place + count] = sample
        place = place + 1 == count ? 0 : place + 1
        untilNext -= 1
        guard untilNext == 0 else { return nil }
        untilNext = factor
        return convolved()
    }

    /// Forgets what was before a gap: the next output is of the samples after it alone.
    mutating func restart() { untilNext = taps.count }

    private func convolved() -> Float {
        let width = MemoryLayout<Float>.size
        return taps.withUnsafeBytes { taps in
            history.withUnsafeBytes { history in
                var sums = SIMD8<Float>.zero
                var offset = 0
                let start = place * width
                while offset + 8 * width <= taps.count {
                    sums +=
                        taps.loadUnaligned(fromByteOffset: offset, as: SIMD8<Float>.self)
                        * history.loadUnaligned(fromByteOffset: start + offset, as: SIMD8<Float>.self)
                    offset += 8 * width
                }
                var sum = sums.sum()
                while offset < taps.count {
                    sum +=
                        taps.loadUnaligned(fromByteOffset: offset, as: Float.self)
                        * history.loadUnaligned(fromByteOffset: start + offset, as: Float.self)
                    offset += width
                }
                return sum
            }
        }
    }

    /// A sinc under a Kaiser window with β 8.6 (85 dB), its gain at 0 Hz exactly 1. `cutoff` in
    /// cycles per sample.
    private static func lowPass(count: Int, cutoff: Double) -> [Double] {
        let middle = Double(count - 1) / 2
        let raw = (0..<count).map { index -> Double in
            let x = Double(index) - middle
            let sinc = x == 0 ? 2 * cutoff : Glibc.sin(2 * .pi * cutoff * x) / (.pi * x)
            let share = x / (middle + 1)
            return sinc * KaiserWindow.weight(beta: 8.6, at: share)
        }
        let sum = raw.reduce(0, +)
        return raw.map { $0 / sum }
    }
}
