// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Noise that is a pure function of a seed and a position, so that any moment can be asked
/// for in any order. `World`, `DailyLife` and the simulated chips draw from it.
package struct SeededNoise: Sendable, Hashable {
    private let seed: UInt64

    package init(seed: UInt64) { self.seed = seed }

    /// 64 uniform bits for position `index`: the output of SplitMix64 after `index + 1` steps from the seed.
    package func bits(_ index: Int) -> UInt64 {
        var mixed = seed &+ (UInt64(bitPattern: Int64(index)) &+ 1) &* 0x9E37_79B9_7F4A_7C15
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// Uniform in 0 ..< 1.
    package func uniform(_ index: Int) -> Double { Double(bits(index) >> 11) * 0x1p-53 }

    /// Normal, mean 0, standard deviation 1 (Box and Muller).
    package func normal(_ index: Int) -> Double {
        let radius = sqrt(-2 * log(1 - uniform(2 * index)))
        return radius * cos(2 * Double.pi * uniform(2 * index + 1))
    }

    /// Three independent normal values for position `index`.
    package func vector(_ index: Int) -> SIMD3<Double> {
        SIMD3(normal(3 * index), normal(3 * index + 1), normal(3 * index + 2))
    }

    /// Other noise from the same seed. Its own seed is drawn at position -1 - `number`: draw nothing else there.
    package func stream(_ number: Int) -> SeededNoise { SeededNoise(seed: bits(-1 - number)) }
}
