// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import studyd_tools

/// Which days can be made.
@Suite struct MakeStudyCommandTests {
    private static func refusal(_ words: [String]) -> String? {
        do {
            _ = try MakeStudyCommand.parseAsRoot(["study.json", "-o", "made"] + words)
            return nil
        } catch { return MakeStudyCommand.message(for: error) }
    }

    /// The year of a CWA block has six bits from 2000 on (Axivity's AX3 `AxDateTime`).
    @Test(
        arguments: [
            ("2000-01-02", "14", true), ("2000-01-01", "14", false), ("1999-12-25", "14", false),
            ("2063-12-16", "14", true), ("2063-12-17", "14", false), ("2063-12-29", "1", true),
            ("2070-01-01", "1", false), ("9999-01-01", "14", false), ("9999-12-31", "366", false),
        ])
    func aStudyLiesInTheYearsThatARecordingCanTell(start: String, days: String, isTaken: Bool) {
        #expect(
            Self.refusal(["--start", start, "--days", days])
                == (isTaken ? nil : "--start \(start): the study must lie between 2000-01-02 and 2063-12-30"))
    }

    @Test(
        arguments: [
            (["--pause", "2026-03-02"], nil), (["--pause", "2026-03-15"], nil),
            (["--pause", "2026-03-01"], "--pause 2026-03-01"), (["--pause", "2026-03-16"], "--pause 2026-03-16"),
            (["--pause", "2026-04-04"], "--pause 2026-04-04"),
            (["--remove", "evening=2026-03-02"], nil), (["--remove", "evening=2026-03-15"], nil),
            (["--remove", "evening=2026-03-01"], "--remove evening=2026-03-01"),
            (["--remove", "evening=2025-03-05"], "--remove evening=2025-03-05"),
        ] as [([String], String?)])
    func whatIsDecidedIsOnADayOfTheStudy(words: [String], named: String?) {
        #expect(
            Self.refusal(["--start", "2026-03-02", "--days", "14"] + words)
                == named.map { "\($0): is no day of the study (2026-03-02 to 2026-03-15)" })
    }
}
