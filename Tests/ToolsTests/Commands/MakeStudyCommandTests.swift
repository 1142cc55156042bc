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

    /// The accelerometer is always measured, so it is nothing else.
    @Test(
        arguments: [
            ("nothing", nil), ("", nil), ("sound,position,buttons,gyroscope,magnetometer", nil),
            ("buttons,nothing", nil), ("accelerometer", "accelerometer"), ("buttons,accelerometer", "accelerometer"),
            ("heart", "heart"), ("Sound", "Sound"),
        ] as [(String, String?)])
    func whatElseIsMeasuredHasAName(measures: String, refused: String?) {
        #expect(
            Self.refusal(["--measures", measures])
                == refused.map { "--measures \($0): use sound, position, buttons, gyroscope or magnetometer" })
    }

    @Test(arguments: [
        ("--participants", ["1", "200"], ["0", "201"]), ("--days", ["1", "366"], ["0", "367"]),
        ("--rate", ["1", "3200"], ["0.99", "3200.01", "nan"]),
    ])
    func numbersHaveTheirLimits(option: String, taken: [String], refused: [String]) {
        for number in taken { #expect(Self.refusal([option, number]) == nil, "\(number)") }
        for number in refused {
            #expect(Self.refusal([option, number])?.hasPrefix("\(option) must be from 1 to ") == true, "\(number)")
        }
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
