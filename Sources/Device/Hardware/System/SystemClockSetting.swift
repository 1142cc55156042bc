// SPDX-License-Identifier: Apache-2.0
import Base
import CLinux
import SystemKit

/// Sets the kernel's wall clock; needs CAP_SYS_TIME. `DisciplinedClock` calls it. The clock is read in
/// `Times/SystemClock.swift` only.
package enum SystemClockSetting {
    /// Sets CLOCK_REALTIME. Every other program sees the step.
    package static func set(to instant: Instant) throws(SystemError) {
        let seconds = instant.seconds
        var time = timespec()
        time.tv_sec = time_t(seconds)
        time.tv_nsec = Int(instant.nanoseconds - seconds * 1_000_000_000)
        guard clock_settime(CLOCK_REALTIME, &time) == 0 else {
            throw SystemError.last("set the wall clock (AmbientCapabilities=CAP_SYS_TIME)")
        }
    }
}
