// SPDX-License-Identifier: Apache-2.0
import Base

/// When a chip that samples steadily takes its samples, as `ChipCore` asks. The rate is the true one, not the
/// nominal one.
struct SampleTimer: Sendable {
    private var start: MonotonicTime
    private var taken = 0
    private var rate = 0.0

    init(at start: MonotonicTime) { self.start = start }

    /// Starts again at `now`; 0 samples per second = power-down.
    mutating func restart(rate: Double, at now: MonotonicTime) {
        self.rate = rate
        start = now
        taken = 0
    }

    /// The time of the next sample, which counts as taken; nil when none is due by `now`.
    mutating func next(by now: MonotonicTime) -> MonotonicTime? {
        guard rate > 0 else { return nil }
        let time = start + .nanoseconds(Int64(Double(taken + 1) / rate * 1e9))
        guard time <= now else { return nil }
        taken += 1
        return time
    }
}
