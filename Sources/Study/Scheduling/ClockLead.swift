// SPDX-License-Identifier: Apache-2.0
import Base

/// How far the clock has gone ahead by jumps, and from where: what fell due since then did so by a
/// clock that may yet prove wrong. Pure.
///
/// A jump ahead and a device that was off look the same to a clock, so both count. Nothing is
/// decided before the clock goes back: then what lies in the future again never was due
/// (`Scheduler.Event.clockJumped`).
package struct ClockLead: Sendable, Hashable {
    /// Less, taken together, are corrections, after which nothing is repeated.
    package static let least = Duration.seconds(600)

    /// By how much, never below zero.
    private(set) var ahead = Duration.zero
    /// What the clock showed before it went ahead; nil while it is not.
    private(set) var origin: Instant?

    package init() {}

    /// What earlier runs noted: each jump with the time after it, oldest first.
    package init(jumps: some Sequence<(by: Duration, at: Instant)>) {
        for jump in jumps { _ = jumped(by: jump.by, at: jump.at) }
    }

    /// Takes in a jump to `now`. Gives the time after which nothing was really due; nil = all
    /// stays.
    mutating func jumped(by jump: Duration, at now: Instant) -> Instant? {
        guard jump < .zero else {
            ahead = ahead + jump
            if origin == nil, ahead >= Self.least { origin = now - jump }
            return nil
        }
        let limit = origin.map { max($0, now) }
        ahead = max(.zero, ahead + jump)
        if ahead < Self.least { origin = nil }
        return limit
    }
}
