// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Times

@Suite struct SystemClockTests {
    @Test func monotonicClockNeverGoesBack() {
        let clock = SystemClock()
        let readings = (0..<1000).map { _ in clock.monotonic }
        #expect(readings == readings.sorted())
        #expect(clock.now > Instant(seconds: 1_700_000_000))
    }

    @Test func deadlineThatHasPassedIsNotWaitedFor() async throws {
        try await SystemClock().sleep(until: .zero)
    }

    @Test func deadlineHasPassedAfterTheSleep() async throws {
        let clock = SystemClock()
        let deadline = clock.monotonic + .milliseconds(2)
        try await clock.sleep(until: deadline)
        #expect(clock.monotonic >= deadline)
    }

    @Test func cancelledSleepThrows() async {
        let sleeper = Task { try await SystemClock().sleep(until: SystemClock().monotonic + .seconds(3600)) }
        sleeper.cancel()
        await #expect(throws: CancellationError.self) { try await sleeper.value }
    }

    @Test func bootHasOneIdentifier() {
        #expect(SystemClock.bootID() == SystemClock.bootID())
        #expect(SystemClock.bootID(path: "/nonexistent") == nil)
    }
}
