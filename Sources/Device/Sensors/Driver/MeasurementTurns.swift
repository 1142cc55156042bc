// SPDX-License-Identifier: Apache-2.0
import Base

/// When to trigger a chip that measures only on command: in turns that keep its rate, however late
/// each of them is served. CLOCK_MONOTONIC.
struct MeasurementTurns {
    /// The latest moment of the last command.
    private(set) var asked: MonotonicTime
    /// The earliest moment of that command: the thread may have been held up while sending it.
    private(set) var askedFrom: MonotonicTime
    private(set) var next: MonotonicTime

    init(start: MonotonicTime) { (asked, askedFrom, next) = (start, start, start) }

    /// The chip was set up, which tells it to measure: a new series of turns.
    mutating func begin(from earliest: MonotonicTime, to now: MonotonicTime) {
        (asked, askedFrom, next) = (now, earliest, now)
    }

    /// The chip got another command to measure.
    mutating func ask(from earliest: MonotonicTime, to now: MonotonicTime) { (asked, askedFrom) = (now, earliest) }

    /// On to the next turn at which it has measured; how many passed before, and are lost.
    mutating func advance(by period: Duration, measuringFor conversion: Duration) -> Int {
        var passed = 0
        next = next + period
        while next < asked + conversion {
            next = next + period
            passed += 1
        }
        return passed
    }
}
