// SPDX-License-Identifier: Apache-2.0
import Base

/// When to trigger a chip that measures only on command: in turns that keep its rate, however late
/// each of them is served. CLOCK_MONOTONIC.
///
/// `restart` at each set-up, which commands the first measurement, and `recordCommand` at each burst,
/// which commands the next; `advance` after either.
struct MeasurementTurns {
    /// The latest moment at which the last command was sent.
    private(set) var commandUntil: MonotonicTime
    /// The earliest moment of that command: the thread may have been held up while sending it.
    private(set) var commandFrom: MonotonicTime
    /// When to fetch the sample of the last command, and to send the next.
    private(set) var next: MonotonicTime

    init(start: MonotonicTime) { (commandUntil, commandFrom, next) = (start, start, start) }

    /// The chip was set up, which tells it to measure: a new series of turns.
    mutating func restart(from earliest: MonotonicTime, to now: MonotonicTime) {
        (commandUntil, commandFrom, next) = (now, earliest, now)
    }

    /// The chip got another command to measure.
    mutating func recordCommand(from earliest: MonotonicTime, to now: MonotonicTime) {
        (commandUntil, commandFrom) = (now, earliest)
    }

    /// Moves `next` to the first turn at which the measurement is complete, `conversion` after the
    /// command. Returns how many turns were skipped for that; their samples are lost.
    mutating func advance(by period: Duration, measuringFor conversion: Duration) -> Int {
        var passed = 0
        next = next + period
        while next < commandUntil + conversion {
            next = next + period
            passed += 1
        }
        return passed
    }
}
