// SPDX-License-Identifier: Apache-2.0

/// Wall time, monotonic time and waiting in one injected value. `SystemClock` is the computer's;
/// `DisciplinedClock` is the agent's, `VirtualClock` that of tests and made studies.
///
/// Nothing but an implementation of this protocol reads a system clock. The wall clock may step at
/// any moment; the monotonic one never does, so every wait is against the monotonic one.
package protocol StudyClock: Sendable {
    /// UTC as the wall clock has it. Whether it can be trusted is not said here.
    var now: Instant { get }
    /// CLOCK_MONOTONIC.
    var monotonic: MonotonicTime { get }
    /// The bare oscillator (CLOCK_MONOTONIC_RAW) and the time spent suspended.
    ///
    /// There is no default: a clock that wraps another returns what the other says, or a sleep of
    /// the machine goes unnoticed.
    var marks: ClockMarks { get }
    /// Waits until the monotonic clock has reached `deadline`; throws `CancellationError` when the
    /// task is cancelled.
    func sleep(until deadline: MonotonicTime) async throws
}
