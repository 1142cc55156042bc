// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit

/// The system's clock, put forward or back so that it shows a moment now: for data of other days.
struct ShiftedClock: StudyClock {
    private let base = SystemClock()
    private let offset: Duration

    init(_ now: Instant) { offset = now - SystemClock().now }

    var now: Instant { base.now + offset }
    var monotonic: MonotonicTime { base.monotonic }
    var marks: ClockMarks { base.marks }
    func sleep(until deadline: MonotonicTime) async throws { try await base.sleep(until: deadline) }
}
