// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Simulation

/// Checksums computed outside this project, by the rule that gives the published sentence
/// `$GPRMC,081836,A,3751.65,S,14507.36,E,000.0,360.0,130998,011.3,E` its *62.
@Suite struct SentenceTimeTests {
    @Test(arguments: [
        (
            "$GPRMC,081836,A,3751.65,S,14507.36,E,000.0,360.0,130998,011.3,E*62\r\n",
            "$GPRMC,225959.00,A,3751.65,S,14507.36,E,000.0,360.0,311226,011.3,E*47\r\n"
        ),
        (
            "$GPGGA,090000.00,5224.00000,N,01303.00000,E,1,09,0.9,38.0,M,40.1,M,,*5B\r\n",
            "$GPGGA,225959.00,5224.00000,N,01303.00000,E,1,09,0.9,38.0,M,40.1,M,,*52\r\n"
        ),
        ("$GPZDA,081836,13,09,1998,00,00*00\n", "$GPZDA,225959.00,31,12,2026,00,00*61\n"),
        ("$GPGLL,3751.65,S,14507.36,E,081836,A*00\n", "$GPGLL,3751.65,S,14507.36,E,225959.00,A*18\n"),
        (
            "$GPGBS,171925.00,1.6,1.4,3.2,,,,,,*00\r\n", "$GPGBS,225959.00,1.6,1.4,3.2,,,,,,*42\r\n"
        ),
        (
            "$GNGRS,171925.00,1,0.5,-0.8,1.0,,,,,,,,,,1,1*00\r\n",
            "$GNGRS,225959.00,1,0.5,-0.8,1.0,,,,,,,,,,1,1*5F\r\n"
        ),
        ("$GPRMC,,V,,,,,,,,,,N*53\r\n", "$GPRMC,,V,,,,,,,,,,N*53\r\n"),
        ("$GPTXT,01,01,02,u-blox*00\nnoise", "$GPTXT,01,01,02,u-blox*00\nnoise"),
    ])
    func aSentenceTellsTheGivenMoment(sentence: String, expected: String) throws {
        let moment = try Instant(rfc3339: "2026-12-31T22:59:59Z")
        #expect(String(decoding: SentenceTime.stamp(Array(sentence.utf8), moment), as: UTF8.self) == expected)
    }
}
