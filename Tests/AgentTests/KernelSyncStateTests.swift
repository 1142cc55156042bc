// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Agent

/// Linux kernel/time/ntp.c: `second_overflow` adds 500 µs to the largest error each second and leaves the client's
/// own estimate alone; an NTP client writes both.
@Suite struct KernelSyncStateTests {
    private static func clock(_ maximum: Int64, _ estimated: Int64 = 7) -> KernelClock {
        KernelClock(
            isSynchronised: true, maximumError: .microseconds(maximum), estimatedError: .microseconds(estimated),
            offset: .zero)
    }
    private static func at(_ seconds: Int64) -> MonotonicTime { MonotonicTime(nanoseconds: seconds * 1_000_000_000) }

    /// Two milliseconds are for readings between two of its seconds.
    @Test(
        arguments: [
            (200_000, 7, true), (198_001, 7, true), (201_999, 7, true), (197_999, 7, false), (202_001, 7, false),
            (0, 7, false), (150_000, 7, false), (200_000, 8, false), (200_000, 0, false),
        ] as [(Int64, Int64, Bool)])
    func itIsOldUntilAClientWritesAgain(maximum: Int64, estimated: Int64, isOld: Bool) {
        var word = KernelSyncState()
        word.expire()
        word.observe(Self.clock(150_000), at: Self.at(60))
        #expect(word.isStale, "what it says first may be from before")
        word.observe(Self.clock(maximum, estimated), at: Self.at(160))
        #expect(word.isStale == isOld)
    }

    @Test func itIsTakenWhereNothingMadeItOld() {
        var word = KernelSyncState()
        #expect(!word.isStale)
        for clock in [Self.clock(1), Self.clock(1), nil, Self.clock(1)] { word.observe(clock, at: Self.at(1)) }
        #expect(!word.isStale)
    }

    @Test(arguments: [false, true]) func theNextIsNewOnceItSaidThatItIsNotSynchronised(hasSpoken: Bool) {
        var word = KernelSyncState()
        word.expire()
        if hasSpoken { word.observe(Self.clock(1), at: Self.at(1)) }
        word.observe(nil, at: Self.at(2))
        #expect(!word.isStale)
        word.observe(Self.clock(1), at: Self.at(3))
        #expect(!word.isStale)
        word.expire()
        #expect(word.isStale, "until the machine is suspended again")
    }
}
