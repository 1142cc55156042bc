// SPDX-License-Identifier: Apache-2.0
import Glibc
import Testing

@testable import Agent

@Suite struct SoundReadingTests {
    /// A sine that peaks at full scale has an RMS of 1/sqrt 2 of it, which is -3.01 dB; half of
    /// that another 6.02 (AES17: dBFS here by the app's rule 20 lg (rms / 32768),
    /// NoiseLevelView.kt). A constant has no sound at all.
    @Test func levelsAreThoseOfTheApp() throws {
        func sine(_ peak: Double, _ seconds: Int, offset: Double = 0) -> [Int16] {
            (0..<16_000 * seconds).map { frame -> Int16 in
                let angle: Double = Double(frame) * Double.pi / 40
                return Int16(clamping: Int(offset + peak * sin(angle)))
            }
        }
        let loud = try #require(SoundReading(sine(32_767, 2), channels: 1, rate: 16_000, seconds: 2))
        for figure in loud.figures { #expect(abs(figure + 3.01) < 0.01) }
        let mixed = try #require(
            SoundReading(sine(8_000, 1, offset: 900) + sine(16_000, 1), channels: 1, rate: 16_000, seconds: 2))
        func app(_ rms: Double) -> Double { 20 * log10(rms / 32_768) }
        #expect(abs(mixed.figures[1] - app(8_000 / 2.0.squareRoot())) < 0.01)
        #expect(abs(mixed.figures[2] - app(16_000 / 2.0.squareRoot())) < 0.01)
        // The whole has one mean: half of the offset is left in each half.
        let (quiet, strong): (Double, Double) = (8_000 * 8_000 / 2, 16_000 * 16_000 / 2)
        let power: Double = (quiet + strong) / 2 + 450 * 450
        #expect(abs(mixed.figures[0] - app(power.squareRoot())) < 0.01)
        let still = try #require(
            SoundReading([Int16](repeating: 500, count: 16_000), channels: 1, rate: 16_000, seconds: 1))
        #expect(abs(still.figures[0] - app(1e-9)) < 0.01)
    }

    /// By `checkAudioLevelFromSoundFile` of ResearchKit's `ORKAudioLevelNavigationRule.m`
    /// (daba8c9f): `MaxAmplitude` 32767, `VolumeClamp` 60, `VolumeThreshold` 0.45. The mean of 20
    /// lg |sin| over a turn is -6.0206 dB (the integral of ln sin over half a turn is -pi ln 2).
    /// What is 0 is not counted.
    @Test func theLevelAroundIsThatOfResearchKit() {
        func square(_ peak: Int16) -> [Int16] { (0..<1_000).map { $0 % 2 == 0 ? peak : -peak } }
        let sine = (0..<100_000).map { frame -> Int16 in
            let angle: Double = (Double(frame) + 0.5) * Double.pi / 50_000
            return Int16(clamping: Int((16_383.5 * sin(angle)).rounded()))
        }
        #expect(SoundReading.ambientLevel(square(32_767)) == 1)
        #expect(SoundReading.ambientLevel([.min]) == 1)
        #expect(abs(SoundReading.ambientLevel(sine) - (1 - 2 * 6.0206 / 60)) < 1e-3)
        #expect(SoundReading.ambientLevel(square(20)) == 0)
        #expect(SoundReading.ambientLevel([0, 0, 32_767, 0]) == 1)
        #expect(SoundReading.ambientLevel([]) == 0)
        // Too loud from 33 dB below full scale on.
        #expect(SoundReading.ambientLevel(square(740)) > 0.45 && SoundReading.ambientLevel(square(730)) < 0.45)
    }

    @Test func tooLittleSoundHasNoLevel() {
        #expect(SoundReading([], channels: 1, rate: 16_000, seconds: 1) == nil)
        #expect(SoundReading([Int16](repeating: 1, count: 23_999), channels: 1, rate: 16_000, seconds: 2) == nil)
        #expect(SoundReading([Int16](repeating: 1, count: 24_000), channels: 1, rate: 16_000, seconds: 2) != nil)
        #expect(SoundReading([Int16](repeating: 1, count: 32_000), channels: 2, rate: 16_000, seconds: 1) != nil)
    }
}
