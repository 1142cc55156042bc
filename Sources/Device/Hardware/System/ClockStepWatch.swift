// SPDX-License-Identifier: Apache-2.0
import CLinux
import SystemKit

/// Reports that the wall clock was set, for `KernelWatch`. It reads no clock: the receiver of the report finds
/// out what the step was.
package final class ClockStepWatch: Sendable {
    private let timer: Descriptor

    package init() throws(SystemError) {
        let descriptor = timerfd_create(CLOCK_REALTIME, CInt(TFD_CLOEXEC | TFD_NONBLOCK))
        guard descriptor >= 0 else { throw SystemError.last("make a timerfd") }
        timer = Descriptor(owning: descriptor, path: "clock watch")
        try arm()
    }

    package var descriptor: CInt { timer.rawValue }

    /// True when the clock was set since the last call; never blocks.
    package func wasSet() throws(SystemError) -> Bool {
        // timerfd_create(2), TFD_TIMER_CANCEL_ON_SET: after a step of the clock read fails with ECANCELED.
        do throws(SystemError) {
            _ = try timer.read(upTo: 8)
            return false
        } catch {
            guard error.code == ECANCELED else { throw error }
            try arm()
            return true
        }
    }

    /// A timer that never expires, only to be cancelled.
    private func arm() throws(SystemError) {
        guard clinux_timer_watch_clock(timer.rawValue) == 0 else { throw SystemError.last("watch the clock") }
    }
}
