// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Base

@Suite struct DurationTextTests {
    @Test(arguments: [
        ("0s", Duration.zero), ("20s", .seconds(20)), ("5m", .seconds(300)), ("1h30m", .seconds(5400)),
        ("250ms", .milliseconds(250)), ("2d", .seconds(172_800)), ("1m1ms1us1ns", .nanoseconds(60_001_001_001)),
        ("-1h", .seconds(-3600)),
    ])
    func textAndDurationAreTheSame(text: String, duration: Duration) throws {
        #expect(try Duration(parsing: text) == duration)
        #expect(duration.text == text)
    }

    @Test func longerUnitsAreUsedInPrint() throws {
        #expect(try Duration(parsing: "90m").text == "1h30m")
    }

    @Test(arguments: ["", "20", "s", "20 s", "20x", "1m1h", "1s1s", "1.5h", "-", "--1s", "999999999999999999d", "１s"])
    func whatIsNoDurationIsRefused(text: String) {
        #expect(throws: TimeTextError.self) { try Duration(parsing: text) }
    }

    /// 2⁶³ − 1 ns are 106 751 days, 23 h, 47 min and 16.854775807 s; a number has 18 digits at most.
    @Test(
        arguments: [
            ("106751d23h47m16s854ms775us807ns", Int64.max),
            ("-106751d23h47m16s854ms775us807ns", -9_223_372_036_854_775_807),
            ("106751d23h47m16s854ms775us808ns", nil), ("106752d", nil), ("2562047h", 9_223_369_200_000_000_000),
            ("2562048h", nil), ("999999999999999999ns", 999_999_999_999_999_999), ("1000000000000000000ns", nil),
            ("1ns", 1), ("-1ns", -1), ("0d", 0),
        ] as [(String, Int64?)])
    func aDurationEndsWhereItsNumberDoes(text: String, nanoseconds: Int64?) {
        let duration = try? Duration(parsing: text)
        #expect(duration == nanoseconds.map { Duration.nanoseconds($0) })
    }
}
