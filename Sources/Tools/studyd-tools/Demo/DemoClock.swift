// SPDX-License-Identifier: Apache-2.0
import Base
import Synchronization

/// The demo's clock: runs like the system's, but its wall side begins when asked and can be put
/// forward to the next prompt.
///
/// Putting it forward is a clock step like any other: the agent takes a new anchor, closes the open
/// files and plans again.
final class DemoClock: StudyClock {
    private let base: any StudyClock
    private let offset: Mutex<Duration>

    init(base: any StudyClock, start: Instant) {
        self.base = base
        offset = Mutex(start - base.now)
    }

    var now: Instant { base.now + offset.withLock { $0 } }
    var monotonic: MonotonicTime { base.monotonic }
    var marks: ClockMarks { base.marks }
    func sleep(until deadline: MonotonicTime) async throws { try await base.sleep(until: deadline) }

    /// Puts the wall clock forward to `instant`; never back.
    func skip(to instant: Instant) { offset.withLock { $0 = max($0, instant - base.now) } }
}
