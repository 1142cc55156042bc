// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import Testing

@testable import Agent

private let subject = CheckSubject(.microphone, "x")

@Suite struct SoundVerdictTests {
    /// Two seconds at 8 kHz.
    private static func verdict(highPass: Double? = nil, _ sample: (Int) -> Int16) -> SoundVerdict {
        var verdict = SoundVerdict(rate: 8000, calibration: 120, highPass: highPass)
        for start in stride(from: 0, to: 16_000, by: 250) {
            var block = SoundFrame(time: .zero)
            block.count = 250
            for index in 0..<250 { block.samples[index] = sample(start + index) }
            verdict.add(block)
        }
        return verdict
    }

    @Test func aToneHasItsLevel() {
        // A square wave of 1 kHz at a tenth of full scale: 20 dB below a full square wave, which is
        // 3 dB above a full sine.
        let found = Self.verdict { $0 % 8 < 4 ? 3277 : -3277 }.finding(subject, isCalibrated: false)
        #expect(found.result == .ok && found.detail.hasPrefix("level -1") && found.detail.contains("not calibrated"))
        let loud = Self.verdict { $0 % 8 < 4 ? 3277 : -3277 }.finding(subject, isCalibrated: true)
        #expect(loud.detail.contains("dBA SPL"))
    }

    /// Mains hum has 50 Hz, or 60.
    @Test(arguments: [
        (nil, ""), (10, ", high_pass takes out what is below 10 Hz"), (60, ", high_pass takes out what is below 60 Hz"),
        (61, ", high_pass takes out what is below 61 Hz, mains hum with it"),
    ])
    func aFilterIsSaidWhereOneIsConfigured(highPass: Double?, words: String) {
        let found = Self.verdict(highPass: highPass) { $0 % 8 < 4 ? 3277 : -3277 }
            .finding(subject, isCalibrated: false)
        #expect(found.result == .ok && found.detail.hasSuffix("not calibrated" + words), "\(found.detail)")
    }

    @Test(arguments: [Int16(0), 1234]) func oneValueForAllIsSilence(_ value: Int16) {
        let found = Self.verdict { _ in value }.finding(subject, isCalibrated: false)
        #expect(found.result == .warning && found.detail.contains("every sample is \(value)"))
        #expect(found.remedy?.contains("left or right slot") == true)
    }

    @Test func clippingIsCounted() {
        let found = Self.verdict { $0 % 8 < 4 ? .max : .min }.finding(subject, isCalibrated: false)
        #expect(found.result == .warning && found.detail.contains("clipped"))
    }

    @Test func noFramesAreACardWithoutAClock() {
        let found = SoundVerdict(rate: 8000, calibration: 0).finding(subject, isCalibrated: false)
        #expect(found.result == .failed && found.remedy?.contains("BCLK") == true)
    }
}
