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

    @Test func whatIsWholeHasNoRemarks() {
        let survey = survey([Array(NMEAFraming.bytes(Self.fix("090000.00", "V")).dropLast()), []])
        #expect(survey.sentences == 1 && !survey.isOurs && survey.lost == 0 && survey.remarks == [])
        #expect(survey.first == nil && survey.last == nil && survey.duration == 0)
    }
}
