// SPDX-License-Identifier: Apache-2.0
import Base

/// When to trigger a chip in one-shot mode, which measures only on command: at its rate, however late
/// each command is served. CLOCK_MONOTONIC.
///
/// Setting the chip up commands the first measurement, each burst the next: call `restart` or
/// `recordCommand`, then `advance`.
struct OneShotSchedule {
    /// Between these two moments the last command was sent: its thread may have been held up.
    private(set) var commandEarliest: MonotonicTime
    private(set) var commandLatest: MonotonicTime
    /// When to fetch the sample of the last command, and to send the next.
    private(set) var next: MonotonicTime

    init(start: MonotonicTime) { (commandEarliest, commandLatest, next) = (start, start, start) }

    /// Set-up has sent the first command.
    mutating func restart(from earliest: MonotonicTime, to latest: MonotonicTime) {
        recordCommand(from: earliest, to: latest)
        next = latest
    }

    mutating func recordCommand(from earliest: MonotonicTime, to latest: MonotonicTime) {
        (commandEarliest, commandLatest) = (earliest, latest)
    }

    /// Moves `next` by whole periods to when the measurement is complete, `conversion` after the command.
    /// Returns how many periods were skipped for that; their samples are lost.
    mutating func advance(by period: Duration, measuringFor conversion: Duration) -> Int {
        var skipped = 0
        next = next + period
        while next < commandLatest + conversion {
            next = next + period
            skipped += 1
        }
        return skipped
    }
}
