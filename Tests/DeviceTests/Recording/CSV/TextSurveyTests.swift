// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Base
@testable import Device

@Suite struct TextSurveyTests {
    private static func fix(_ time: String, _ validity: String = "A") -> String {
        "GNRMC,\(time),\(validity),5231.0000,N,01324.0000,E,0.1,90.0,211126,,,A"
    }

    private func survey(_ lines: [[UInt8]]) -> TextSurvey {
        var survey = TextSurvey()
        for line in lines { survey.add(line[...]) }
        return survey
    }

    @Test func ofSentencesItCountsTheFixesTheGapsAndTheTorn() {
        let bodies = [
            "PSTDY,E,100.000000,2026-11-21T08:59:59Z", Self.fix("090000.00"), Self.fix("090001.00", "V"), "GNGGA,1",
            "PSTDY,G,105.000000,61,deviceError", Self.fix("090005.00"),
        ]
        let torn = [Array("$GNGGA,1*00\r".utf8), Array("$GNGGA,1".utf8)]
        let survey = survey(bodies.map { Array(NMEAFraming.bytes($0).dropLast()) } + torn)
        #expect(survey.sentences == 4 && survey.isOurs && survey.lost == 61)
        #expect(
            survey.remarks == ["valid fixes (RMC): 2", "sentences with a wrong checksum: 2", "gaps: 1"])
        #expect(survey.first == Instant(seconds: 1_795_251_599) && survey.last == Instant(seconds: 1_795_251_605))
        #expect(survey.duration == 6)
    }

    /// A row of levels stands for as many samples as come in a second, and every other for itself.
    @Test(arguments: [
        ("nominally 16000.0 per second", true, 16_000), ("nominally 0.4 per second", true, 1), ("", true, 1),
        ("nominally 16000.0 per second", false, 1),
    ]) func aRowOfLevelsStandsForASecond(rate: String, isLevels: Bool, samples: Int) {
        let lines = [
            "#studyd recording=42 measure=noise", "#device mic at hw:CARD=mic \(rate)", "#units dB,dB",
            isLevels ? "#levels 0 dBFS = full-scale sine; calibration 0.00 dB added" : "# a remark",
            "#gap start=1 end=2 samples=3 reason=x", "time,uptime,level,maximum", ",1.0,50,60",
        ]
        let survey = survey(lines.map { Array($0.utf8) })
        #expect(survey.samplesPerRow == samples && survey.rows == 1 && survey.isOurs && survey.lost == 3)
    }

    @Test func whatIsWholeHasNoRemarks() {
        let survey = survey([Array(NMEAFraming.bytes(Self.fix("090000.00", "V")).dropLast()), []])
        #expect(survey.sentences == 1 && !survey.isOurs && survey.lost == 0 && survey.remarks == [])
        #expect(survey.first == nil && survey.last == nil && survey.duration == 0)
    }
}
