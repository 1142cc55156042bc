// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Base
@testable import SystemKit

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
        #expect(SystemClock.bootID(path: "/nonexistent", fromManager: nil) == nil)
    }

    /// systemd.unit(5), `%b`: the boot's id "formatted as string", which sd-id128(3) gives as 32
    /// digits without hyphens; random(4) writes the same with them.
    @Test(arguments: [
        ("6bd9b1f3a3cf4c1f8e0a1d2c3b4a5968", "6bd9b1f3-a3cf-4c1f-8e0a-1d2c3b4a5968"),
        ("6bd9b1f3-a3cf-4c1f-8e0a-1d2c3b4a5968", "6bd9b1f3-a3cf-4c1f-8e0a-1d2c3b4a5968"),
        ("%b", nil), ("", nil), ("6bd9b1f3a3cf4c1f8e0a1d2c3b4a596", nil), ("zbd9b1f3a3cf4c1f8e0a1d2c3b4a5968", nil),
    ])
    func serviceWithoutTheKernelsFileIsToldItsBoot(told: String, id: String?) {
        #expect(SystemClock.bootID(path: "/nonexistent", fromManager: told) == id)
        let own = SystemClock.bootID(fromManager: nil)
        #expect(SystemClock.bootID(fromManager: told) == own ?? id)
    }

    @Test func whatTheKernelSaysAndWhatSystemdTellsAreOneId() throws {
        let own = try #require(SystemClock.bootID(fromManager: nil))
        #expect(SystemClock.bootID(path: "/nonexistent", fromManager: own.filter { $0 != "-" }) == own)
    }
}
