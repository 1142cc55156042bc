// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Base
@testable import Device

@Suite struct CWASurveyTests {
    /// Blocks of 80 samples of 100 Hz, each that long after the end of the one before.
    private static func survey(gaps: [Duration]) -> CWASurvey {
        var survey = CWASurvey()
        var start = Instant(seconds: 1_795_251_600)
        for (index, gap) in ([.zero] + gaps).enumerated() {
            start = start + gap
            survey.add(
                CWABlock(
                    sessionID: 1, sequence: UInt32(index), time: CWATimestamp(LocalDateTime(start, offset: 0)),
                    packing: .axes3, rateCode: 0x4A, accelerometerScale: 4, values: [Int16](repeating: 0, count: 240)))
            start = start + .milliseconds(800)
        }
        return survey
    }

    /// Stamps are early or late by up to half a second where nothing is missing.
    @Test(arguments: [-500, 0, 250, 490]) func aStampThatIsALittleOffIsNoGap(milliseconds: Int) {
        let survey = Self.survey(gaps: [.milliseconds(milliseconds)])
        #expect(survey.samples == 160 && survey.missing == 0 && survey.jumps.isEmpty && survey.remarks.isEmpty)
    }

    @Test(arguments: [(510, 51, "0.51"), (1000, 100, "1.00"), (60_000, 6000, "60.00")])
    func aGapIsSaidWithItsLengthAndItsPlace(milliseconds: Int, missing: Int, length: String) {
        let survey = Self.survey(gaps: [.zero, .milliseconds(milliseconds)])
        #expect(survey.samples == 240 && survey.missing == missing)
        #expect(survey.jumps.map(\.position) == [160] && survey.jumps.map(\.samples) == [missing])
        #expect(survey.remarks == ["gap of \(length) s before sample 160"])
        #expect(abs(survey.duration - 2.4 - Double(milliseconds) / 1000) < 0.001)
    }

    /// Twenty of them have a line; each is counted.
    @Test(arguments: [(1, 1), (19, 19), (20, 20), (21, 20), (100, 20)])
    func noMoreThanTwentyGapsAreSaid(gaps: Int, lines: Int) {
        let survey = Self.survey(gaps: Array(repeating: .seconds(2), count: gaps))
        #expect(survey.remarks.count == lines && survey.missing == 200 * gaps && survey.jumps.count == gaps)
        #expect(survey.remarks.last == "gap of 2.00 s before sample \(80 * lines)")
    }
}
