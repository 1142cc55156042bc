// SPDX-License-Identifier: Apache-2.0
import Base
import Synchronization
import Testing

@testable import Lab

/// Time that stands still, and up to when was waited.
private final class WaitedClock: StudyClock {
    private let deadlines = Mutex<[MonotonicTime]>([])
    var now: Instant { Instant(seconds: 1_780_000_000) }
    var monotonic: MonotonicTime { .zero }
    var marks: ClockMarks { ClockMarks() }
    func sleep(until deadline: MonotonicTime) async throws { deadlines.withLock { $0.append(deadline) } }
    var longest: Duration { deadlines.withLock { $0.max() ?? .zero } - .zero }
}

/// A server that hangs up at once proves nothing about one that is silent.
@Suite(.timeLimit(.minutes(10))) struct HangFaultTests {
    @Test(arguments: [("hang", true), ("close", false), ("lost", false), ("503", false)])
    func aServerThatHangsIsSilentForLongerThanAnyDeviceWaits(mode: String, isSilent: Bool) async throws {
        try await withFolder { folder in
            let clock = WaitedClock()
            try await withReceiver(folder, clock: clock) { url, _ in
                _ = try await curl("-X", "POST", url + "/control/fault?mode=\(mode)")
                _ = try await curl("--data-binary", "x", url + "/schema")
                #expect((clock.longest >= .seconds(300)) == isSilent, "\(clock.longest)")
            }
        }
    }
}
