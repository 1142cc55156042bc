// SPDX-License-Identifier: Apache-2.0
import Base

/// When a missing part is looked for: after a second, then after twice as long each time, at last
/// once a minute. Pure. The owner calls `recordFailure` after each failed look and `reset` when the part is there.
package struct PollBackoff: Sendable, Hashable {
    /// nil while nothing is missing.
    package private(set) var due: MonotonicTime?
    private var pause = PollBackoff.first

    private static let first: Duration = .seconds(1)
    private static let longest: Duration = .seconds(60)

    /// A part that is to be looked for then; nil = nothing is missing.
    package init(due: MonotonicTime? = nil) { self.due = due }

    package mutating func recordFailure(at now: MonotonicTime) {
        due = now + pause
        pause = min(pause * 2, Self.longest)
    }

    package mutating func reset() { self = PollBackoff() }
}
