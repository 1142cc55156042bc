// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Device

@Suite struct SampleTimelineTests {
    /// Of a source that stamps each frame.
    @Test func whatIsMissingBeforeAFrameWithoutAStampIsCountedWithIt() {
        var timeline = SampleTimeline<VectorFrame>(nominalRate: 1, isRegular: false)
        var frame = Example.vector(1, 2, 3)
        (frame.lostBefore, frame.reason) = (4, LossReason.ringFull.rawValue)
        let untimed = timeline.add(frame).map { if case .untimed(let count) = $0 { count } else { 0 } }
        #expect(untimed == [4, 1])
    }
}
