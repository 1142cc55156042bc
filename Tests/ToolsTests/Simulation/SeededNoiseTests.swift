// SPDX-License-Identifier: Apache-2.0
import SimulatedWorld
import Simulation
import Testing

/// Vigna's reference splitmix64.c gives these for the seed 1234567.
@Test func bitsAreThoseOfSplitMix64() {
    let noise = SeededNoise(seed: 1_234_567)
    #expect(
        (0..<3).map(noise.bits) == [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423])
}

@Test func normalNoiseHasMeanZeroAndDeviationOne() {
    let noise = SeededNoise(seed: 1)
    let values = (0..<20_000).map(noise.normal)
    let mean = values.reduce(0, +) / 20_000
    let variance = values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / 20_000
    #expect(abs(mean) < 0.03 && abs(variance - 1) < 0.04)
    #expect(noise.normal(5) == noise.normal(5) && noise.normal(5) != noise.stream(1).normal(5))
}
