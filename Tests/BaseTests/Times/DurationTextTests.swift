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
}
