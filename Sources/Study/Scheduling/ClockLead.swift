// SPDX-License-Identifier: Apache-2.0
import Base

/// How far the clock has gone ahead by jumps, and from where: what fell due since then did so by a clock that
/// may yet prove wrong. `Scheduler` keeps it. Pure.
///
/// A jump ahead and a device that was off look the same to a clock, so both count. Nothing is
/// decided before the clock goes back: then what lies in the future again never was due
/// (`Scheduler.Event.clockJumped`).
package struct ClockLead: Sendable, Hashable {
    /// Jumps that sum up to less than this are corrections; prompts are not repeated for them.
    package static let least = Duration.seconds(600)

    /// The sum of the jumps so far, never below zero.
    private(set) var ahead = Duration.zero
    /// What the clock would have shown without those jumps, when they came to `least`; nil while they
    /// are less.
    private(set) var origin: Instant?

    package init() {}

    /// What earlier runs noted: each jump with the time after it, oldest first.
    package init(jumps: some Sequence<(by: Duration, at: Instant)>) {
        for jump in jumps { _ = addJump(by: jump.by, at: jump.at) }
    }

    /// Adds a jump that led to `now`; positive = ahead. Where it leads back, returns the time after
    /// which whatever fell due was not due yet; nil = everything that fell due stays so.
    mutating func addJump(by jump: Duration, at now: Instant) -> Instant? {
        guard jump < .zero else {
            ahead = ahead + jump
            if origin == nil, ahead >= Self.least { origin = now - ahead }
            return nil
        }
        let limit = origin.map { max($0, now) }
        ahead = max(.zero, ahead + jump)
        if ahead < Self.least { origin = nil }
        return limit
    }
}
