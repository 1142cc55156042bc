// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// Whether anything may be removed for its age (`MaintenanceService`). Not by a clock that may prove wrong: not for a
/// day after it jumped ahead by an hour or more, and not in the first hour of a start, since a jump before it is not
/// known. What has no room is removed regardless. Pure.
struct RetentionHold: Sendable {
    private static let jump = Duration.seconds(3600)
    private static let afterJump = Duration.seconds(86_400)
    private static let afterStart = Duration.seconds(3600)
    private var last: Moment?
    private var until: MonotonicTime?

    /// Looks at both clocks; true while nothing is to be removed for its age.
    mutating func update(at now: Moment) -> Bool {
        if let last {
            let jumped = (now.instant - last.instant) - (now.monotonic - last.monotonic)
            if jumped >= Self.jump { until = now.monotonic + Self.afterJump }
        } else {
            until = now.monotonic + Self.afterStart
        }
        last = now
        return until.map { now.monotonic < $0 } ?? false
    }
}
