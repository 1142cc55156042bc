// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Lab

@Suite struct AgoTests {
    private static let cases: [(Int64, String)] = [
        (-5, "now"), (1, "now"), (2, "2 s ago"), (119, "119 s ago"), (120, "2 min ago"), (5400, "90 min ago"),
        (7199, "119 min ago"),
        (7200, "2 h ago"), (172_799, "47 h ago"), (172_800, "2 days ago"), (259_200, "3 days ago"),
    ]

    /// Each unit begins where two of it are over, so that what is shown is never off by half.
    @Test(arguments: cases) func eachUnitHasItsLimits(seconds: Int64, expected: String) {
        let then = Instant(seconds: 1_780_000_000)
        #expect((then + .seconds(seconds)).ago(then) == expected)
    }

    @Test(arguments: [(0, "0 s"), (119, "119 s"), (120, "2 min 0 s"), (7199, "119 min 59 s"), (7200, "2 h 0 min")])
    func lengthsHaveTheSameLimits(seconds: Int, expected: String) {
        #expect(Duration.seconds(seconds).shown == expected)
    }
}
