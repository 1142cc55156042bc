// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Base
@testable import Device

@Suite struct FeatureFrameTests {
    /// As many as it holds, of which every third was not measured, and one more.
    @Test func everyValueKeepsItsPlaceAndNoneIsNoZero() {
        let values: [Double?] = (0...FeatureFrame.capacity).map { $0 % 3 == 1 ? nil : Double($0) * -1.5 }
        let frame = FeatureFrame(values, time: MonotonicTime(seconds: 5), start: nil)
        #expect((0..<FeatureFrame.capacity).map { frame[$0] } == Array(values.dropLast()))
        #expect(frame[FeatureFrame.capacity] == nil)
        let short = FeatureFrame([0, 7], time: .zero, start: nil)
        #expect(short[0] == 0 && short[1] == 7 && short[2] == nil)
    }

    @Test func whatIsMissingBeforeItHasItsReason() {
        let after = FeatureFrame([1], time: MonotonicTime(seconds: 5), start: nil, missing: 2, reason: .deviceError)
        #expect(after.missingBefore == 2 && after.missingReason == .deviceError && after.sampleCount == 1)
        let next = FeatureFrame([1], time: MonotonicTime(seconds: 6), start: nil, reason: .deviceError)
        #expect(next.missingBefore == 0 && next.missingReason == nil)
        #expect(next.stamp == MonotonicTime(seconds: 6))
        var bytes = ByteFrame(time: .zero)
        #expect(bytes.missingBefore == 0 && bytes.missingReason == nil)
        bytes.lostBefore = 1
        #expect(bytes.missingBefore == 1 && bytes.missingReason == .deviceError)
    }
}
