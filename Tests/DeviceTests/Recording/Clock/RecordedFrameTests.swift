// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Base
@testable import Device

@Suite struct RecordedFrameTests {
    /// In microseconds; 0 is for a driver that does not know.
    @Test(
        arguments: [
            (0, nil), (1, .microseconds(1)), (10_000, .milliseconds(10)), (.max, .microseconds(4_294_967_295)),
        ] as [(UInt32, Duration?)])
    func howLateAStampMayBeIsSaidWhereItIsKnown(lateBy: UInt32, lateness: Duration?) {
        var frame = Example.vector(1, 2, 3, at: 5)
        frame.lateBy = lateBy
        #expect(frame.lateness == lateness && frame.stamp == MonotonicTime(seconds: 5))
        #expect(Example.vector(1, 2, 3).stamp == nil && Example.sound([1], at: 5).lateness == nil)
    }
}
