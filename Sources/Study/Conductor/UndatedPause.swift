// SPDX-License-Identifier: Apache-2.0
import Base

/// A pause by the study's staff that begins or ends while the clock is not trusted. Its end waits for a clock
/// that is: only then it is known what ran out before. `StudyConductor` keeps it. Pure.
struct UndatedPause: Sendable {
    private var began: MonotonicTime?
    private var ended: MonotonicTime?

    /// The staff have ended the pause, and the scheduler does not know of it yet.
    var isOver: Bool { ended != nil }

    /// `wasPaused` and `clockIsTrusted` are the scheduler's.
    mutating func note(_ isPaused: Bool, wasPaused: Bool, clockIsTrusted: Bool, at now: MonotonicTime) {
        if isPaused, !wasPaused, !clockIsTrusted { began = now }
        ended = !isPaused && wasPaused && !clockIsTrusted ? ended ?? now : nil
    }

    /// What the scheduler is given once the clock is trusted; nil where no pause began or ended before.
    mutating func take(at now: Moment) -> Scheduler.Event? {
        guard began != nil || ended != nil else { return nil }
        defer { self = UndatedPause() }
        return .wasPaused(from: began.map(now.instant(at:)), to: ended.map(now.instant(at:)))
    }
}
