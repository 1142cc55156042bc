// SPDX-License-Identifier: Apache-2.0
import Base
import CLinux

/// What the kernel says of its wall clock, as it keeps it (Linux kernel/time/ntp.c), for `ClockTrust`.
///
/// `maxerror` is the NTP client's statement, to which the kernel adds 500 µs each second
/// (`second_overflow`: MAXFREQ). Beyond 16 s (NTP_PHASE_LIMIT) it sets STA_UNSYNC by itself: 8 h 53
/// min after a client that began at zero was heard last. Setting the clock by hand sets STA_UNSYNC
/// at once (`ntp_clear`).
struct KernelClock: Sendable, Hashable {
    /// False while STA_UNSYNC or another error is set.
    var isSynchronised: Bool
    /// The largest error, as far as the client stated one, plus what the kernel added since.
    var maximumError: Duration
    /// The client's own estimate; zero where it gives none.
    var estimatedError: Duration
    /// What the clock is still to be moved by: known, and not yet done.
    var offset: Duration

    /// systemd-timesyncd writes zero for both errors at each contact (timesyncd-manager.c,
    /// `manager_adjust_clock`), which is not possible; the accuracy that it expects of itself there
    /// is 0.2 s (NTP_ACCURACY_SEC).
    private static let unstated = Duration.milliseconds(200)

    /// With STA_UNSYNC the kernel itself sets this as the largest error (NTP_PHASE_LIMIT).
    private static let unknown = Duration.seconds(16)

    /// An NTP client states a smaller error and yet leaves STA_UNSYNC: chrony without `rtcsync` (its
    /// sys_timex.c, `set_sync_status`), systemd-timesyncd where the battery-backed clock has local time.
    var isHeldBack: Bool { !isSynchronised && maximumError < Self.unknown }

    /// The largest error to expect; nil while the kernel is not synchronised.
    var uncertainty: Duration? {
        guard isSynchronised else { return nil }
        let moving = offset < .zero ? .zero - offset : offset
        let stated = max(maximumError, .microseconds(1)) + moving
        return estimatedError > .zero ? stated : stated + Self.unstated
    }

    /// What the kernel says now; nil where the system call is refused. Any thread, never blocks.
    static func read() -> KernelClock? {
        var clock = clinux_kernel_clock()
        guard clinux_read_kernel_clock(&clock) == 0 else { return nil }
        return KernelClock(
            isSynchronised: clock.synchronised != 0, maximumError: .microseconds(clock.max_error),
            estimatedError: .microseconds(clock.estimated_error), offset: .nanoseconds(clock.offset))
    }
}
