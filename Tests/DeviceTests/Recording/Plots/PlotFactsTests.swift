// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Exports

@Suite struct PlotFactsTests {
    @Test(
        arguments: [
            (0, "0.0 s"), (-1, "0.0 s"), (0.04, "0.0 s"), (0.5, "0.5 s"), (59.4, "59.4 s"), (59.5, "1 min 00 s"),
            (60, "1 min 00 s"), (3599.4, "59 min 59 s"), (3599.5, "1 h 00 min 00 s"), (3723, "1 h 02 min 03 s"),
            (360_000, "100 h 00 min 00 s"),
        ] as [(Double, String)])
    func aLengthIsInTheUnitsThatPeopleRead(seconds: Double, text: String) {
        #expect(PlotFacts.length(seconds) == text)
    }

    @Test(
        arguments: [
            (nil, 12.5, "12.50 per second"), (12.504, 12.5, "12.50 per second"),
            (12.6, 12.5, "12.60 per second (nominally 12.50)"), (99, 100, "99.00 per second (nominally 100.00)"),
        ] as [(Double?, Double, String)])
    func theRateIsTheMeasuredOne(measured: Double?, nominal: Double, text: String) {
        #expect(PlotFacts.rate(measured, nominal: nominal) == text)
    }
}
