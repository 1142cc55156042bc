// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Device

@Suite struct SoundConditionerTests {
    private func layout(_ format: PCMParameters.Format, rate: Int = 16_000, decimation: Int = 1) -> PCMLayout {
        var layout = PCMLayout(PCMParameters(device: "mic", rate: rate, format: format))
        layout.decimation = decimation
        return layout
    }

    private func samples(_ conditioner: inout SoundConditioner, _ raw: [Int32]) -> [Int16] {
        bytes(raw).withUnsafeBytes { conditioner.process($0) }
        return conditioner.output
    }

    @Test(arguments: [
        // INMP441: 24 bits above 8 of noise. SPH0645: 18 above 14. Noise must not
        // round a sample up.
        (24, Int32(0x1234_7FFF), Int16(0x1234)), (24, 0x1234_8000, 0x1235), (18, 0x1234_7FFF, 0x1234),
        (18, 0x1234_BFFF, 0x1235), (18, -0x8000_0000, -0x8000), (24, 0x7FFF_FFFF, 0x7FFF), (24, -1, 0),
    ]) func noiseBelowTheValidBitsIsCleared(_ bits: Int, _ raw: Int32, _ expected: Int16) {
        let parameters = PCMParameters(device: "mic", rate: 16_000, format: .s32, validBits: bits)
        var conditioner = SoundConditioner(parameters, layout(.s32))
        #expect(samples(&conditioner, [raw]) == [expected])
    }

    @Test func aConstantOffsetIsTakenOutFromTheFirstSampleOn() {
        let parameters = PCMParameters(device: "mic", rate: 16_000, format: .s32, highPass: 15)
        var conditioner = SoundConditioner(parameters, layout(.s32))
        let offset = [Int32](repeating: 200_000_000, count: 16_000)
        #expect(samples(&conditioner, offset).allSatisfy { abs($0) <= 1 })
        let tone = (0..<16_000).map { 200_000_000 + Int32(100_000_000 * sineOfTurns(Double($0) * 100 / 16_000)) }
        let out = samples(&conditioner, tone).suffix(8000)
        #expect(abs(Double(out.max() ?? 0) - 1525.9) < 4 && abs(Double(out.min() ?? 0) + 1525.9) < 4)
    }

    @Test func theHighPassIsThreeDecibelsDownAtItsCorner() {
        for (frequency, expected) in [(15.0, -3.01), (7.5, -12.3), (60, -0.02), (1000, 0)] {
            var blocker = DCBlocker(corner: 15, rate: 48_000)
            var power = 0.0
            for index in 0..<96_000 {
                let output = blocker.filter(sineOfTurns(Double(index) * frequency / 48_000))
                if index >= 48_000 { power += output * output }
            }
            #expect(abs(decibels(power / 24_000) - expected) < 0.05, "\(frequency) Hz")
        }
    }

    /// A sine of 32 000 through the decimator, in dB of what goes in.
    private func gain(_ frequency: Double, rate: Double, factor: Int) -> Double {
        var decimator = Decimator(factor: factor)
        let out = (0..<Int(rate)).compactMap {
            decimator.filter(Float(sineOfTurns(Double($0) * frequency / rate + 0.1)))
        }
        let power = out.suffix(8000).reduce(0.0) { $0 + Double($1) * Double($1) }
        return decibels(2 * power / 8000)
    }

    @Test(arguments: [2, 3, 6]) func theLowPassKeepsItsPassbandAndStopsWhatWouldFoldBack(_ factor: Int) {
        let rate = 16_000.0 * Double(factor)
        for share in [0.005, 0.1, 0.25, 0.4, 0.45] {
            #expect(abs(gain(share * 16_000, rate: rate, factor: factor)) < 0.01, "\(share)")
        }
        for share in [0.55, 0.6, 0.7, 0.8, 0.9, 0.99] {
            #expect(gain(share * 16_000, rate: rate, factor: factor) < -80, "\(share)")
        }
        #expect(abs(gain(0.4999 * 16_000, rate: rate, factor: factor) + 6) < 3.2)
    }

    @Test func theFirstOutputIsInTheMiddleOfTheFilter() {
        var decimator = Decimator(factor: 3)
        #expect(decimator.delay == 84 && decimator.untilNext == 169)
        // A step at input 300 crosses one half where it is, its delay taken off.
        let out = (0..<600).compactMap { index in decimator.filter(index < 300 ? 0 : 1).map { (index - 84, $0) } }
        let crossing = out.first { $0.1 > 0.5 }
        #expect(crossing.map { (299...302).contains($0.0) } == true)
    }

    @Test func aClippedSampleThatAFilterMovesIsStillCounted() throws {
        let parameters = PCMParameters(device: "mic", rate: 16_000, format: .s16, highPass: 15)
        var blocks = SoundBlocks(parameters)
        let ring = FrameRing(capacity: 8, repeating: SoundFrame(time: .zero))
        var wave = [Int16](repeating: 1000, count: 200)
        for place in 100..<110 { wave[place] = .max }
        bytes(wave).withUnsafeBytes { blocks.append($0, at: .zero, to: ring) }
        let block = try #require(ring.pop())
        #expect(block.hiddenClips == 10 && !(0..<200).contains { block.samples[$0] == .max })
    }
}
