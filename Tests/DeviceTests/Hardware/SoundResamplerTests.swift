// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Device

@Suite struct SoundResamplerTests {
    private func tone(_ frequency: Double, rate: Int, count: Int) -> [Int16] {
        (0..<count).map { Int16((16_000 * sineOfTurns(Double($0) * frequency / Double(rate))).rounded()) }
    }

    @Test(arguments: [(22_050, 48_000), (22_050, 44_100), (16_000, 48_000), (48_000, 16_000), (44_100, 48_000)])
    func aToneStaysTheSameTone(_ from: Int, _ to: Int) {
        let out = SoundResampler.resample(tone(1000, rate: from, count: from / 5), from: from, to: to)
        let expected = tone(1000, rate: to, count: to / 5)
        #expect(abs(out.count - expected.count) <= 1)
        for (ours, theirs) in zip(out, expected).dropFirst(200).prefix(expected.count - 400) {
            #expect(abs(Int(ours) - Int(theirs)) < 160)
        }
    }

    @Test func whatTheLowerRateCannotHoldIsTakenOut() {
        let out = SoundResampler.resample(tone(11_000, rate: 48_000, count: 9600), from: 48_000, to: 16_000)
        #expect(out.dropFirst(100).prefix(3000).allSatisfy { abs($0) < 32 })
    }

    @Test func nothingIsDoneWhereNothingIsToDo() {
        #expect(SoundResampler.resample([1, 2, 3], from: 8000, to: 8000) == [1, 2, 3])
        #expect(SoundResampler.resample([], from: 8000, to: 16_000) == [])
        // A low-pass at 0.9 of what a rate can hold keeps 0.9 of a single sample, where it is.
        let click = SoundResampler.resample([10_000], from: 8000, to: 16_000)
        #expect(click.count == 2 && (8_900...9_100).contains(click[0]) && click[1] > 0 && click[1] < click[0])
        // A sound at the end of the scale does not wrap around.
        let loud = SoundResampler.resample([Int16](repeating: .max, count: 500), from: 22_050, to: 48_000)
        #expect(loud.dropFirst(100).prefix(800).allSatisfy { $0 > 32_700 })
    }
}
