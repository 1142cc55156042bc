// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Device

@Suite struct SampleGapTests {
    private func gap(_ parts: [(Int, LossReason)]) -> SampleGap {
        var gap = SampleGap()
        for (samples, reason) in parts { gap.add(samples, reason) }
        return gap
    }

    /// Of two equal parts the first one gives the reason.
    @Test(
        arguments: [
            ([(1, .chipOverrun)], 1, .chipOverrun), ([(4, .chipOverrun), (5, .ringFull)], 9, .ringFull),
            ([(5, .chipOverrun), (5, .ringFull)], 10, .chipOverrun),
            ([(5, .chipOverrun), (4, .ringFull)], 9, .chipOverrun),
            ([(3, .chipOverrun), (5, .ringFull), (4, .deviceError)], 12, .ringFull),
        ] as [([(Int, LossReason)], UInt32, LossReason)])
    func theReasonIsThatOfTheLargestPart(parts: [(Int, LossReason)], count: UInt32, reason: LossReason) {
        #expect(gap(parts).count == count && gap(parts).reason == reason.rawValue)
    }

    @Test func nothingMissingHasNoReasonAndTooMuchIsTheMost() {
        #expect(gap([]).count == 0 && gap([]).reason == 0)
        #expect(gap([(0, .ringFull)]).reason == 0)
        #expect(gap([(Int(UInt32.max), .ringFull), (1, .ringFull)]).count == .max)
    }
}
