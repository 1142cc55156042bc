// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import SystemKit

/// poll(2): "timeout ... in milliseconds", where 0 "returns immediately".
@Suite struct PollTimeTests {
    @Test(
        arguments: [
            (Duration.zero, 0), (.nanoseconds(1), 1), (Duration(secondsComponent: 0, attosecondsComponent: 1), 1),
            (.microseconds(999), 1), (.milliseconds(1), 1),
            (.nanoseconds(1_000_001), 2), (.seconds(60), 60_000), (.milliseconds(59_999) + .nanoseconds(1), 60_000),
            (.seconds(Int64.max), .max), (.seconds(Int64.min), .min),
        ] as [(Duration, Int64)]) func aWaitIsNeverShorterThanItsTime(_ time: Duration, _ milliseconds: Int64)
    {
        #expect(time.pollTime == milliseconds)
    }

    @Test(arguments: [Duration.nanoseconds(-1), .seconds(-1)]) func whatIsOverIsNotWaitedFor(_ time: Duration) {
        #expect(time.pollTime <= 0)
    }
}
