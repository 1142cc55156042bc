// SPDX-License-Identifier: Apache-2.0
import Base

/// Whether what the kernel says of its clock, that it is synchronised, is from before a suspension: it is stale
/// until an NTP client has measured the clock again. `SuspensionWatch` calls `expire` and `observe`. Pure.
///
/// What a resume does to the NTP state (Linux kernel/time/timekeeping.c at 0026766dfd69,
/// kernel/time/ntp.c):
///
/// - The sleep is known from a clocksource that went on, or from a persistent clock:
///   `timekeeping_resume` adds it to the time and leaves time_status and time_maxerror as they
///   were, and no `second_overflow` has counted meanwhile. The same where nothing counted it: then
///   the clock is behind by the whole sleep. Either way the kernel goes on saying that it is
///   synchronised, to the millisecond.
/// - The sleep is known from an RTC alone: `timekeeping_inject_sleeptime64` clears the state
///   (`ntp_clear`: STA_UNSYNC).
///
/// An NTP client that measures writes both errors (ADJ_MAXERROR, ADJ_ESTERROR). The kernel itself
/// adds 500 µs to time_maxerror each second and leaves time_esterror alone, so whatever differs
/// from that was written.
struct KernelSyncState: Sendable {
    private enum State: Sendable {
        case fresh
        /// The machine was suspended; what the kernel said first after that, and when.
        case stale(since: KernelClock?, at: MonotonicTime)
    }

    /// Of `second_overflow`, as a ratio.
    private static let growth = 500e-6
    /// It grows by whole seconds, and each of two readings is up to one of them late.
    private static let steps = Duration.milliseconds(2)

    private var state = State.fresh

    var isStale: Bool { if case .stale = state { true } else { false } }

    /// The machine was suspended: what the kernel says is stale until `observe` sees it written again.
    mutating func expire() { state = .stale(since: nil, at: .zero) }

    /// Takes in what the kernel says; nil = that it is not synchronised, after which the next
    /// statement is a new one.
    mutating func observe(_ clock: KernelClock?, at now: MonotonicTime) {
        guard case .stale(let first, let since) = state else { return }
        guard let clock else {
            state = .fresh
            return
        }
        guard let first else {
            state = .stale(since: clock, at: now)
            return
        }
        let grown = Duration.nanoseconds(Int64(Double((now - since).nanoseconds) * Self.growth))
        let isWritten = (clock.maximumError - first.maximumError - grown).magnitude > Self.steps
        if isWritten || clock.estimatedError != first.estimatedError { state = .fresh }
    }
}
