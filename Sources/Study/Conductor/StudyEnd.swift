// SPDX-License-Identifier: Apache-2.0
import Base

/// When the study is over for the participant by its own rule. `StudyConductor` calls `update` after each
/// submission, and leaves the study when `takeEnd` says so.
struct StudyEnd: Sendable {
    private let rule: (any StudyClosing)?
    private var lastDone: Instant?
    private var end: Instant?
    /// The end was given out; in case leaving fails, it is given again at this time.
    private var retryAt: Instant?

    init(_ rule: (any StudyClosing)?, in context: ScheduleContext, lastDone: Instant?) {
        (self.rule, self.lastDone) = (rule, lastDone)
        end = rule?.end(in: context, lastDone: lastDone)
    }

    /// Computes the end again; `done` is when a task that counts for the rule was submitted, nil = none was.
    mutating func update(in context: ScheduleContext, done: Instant? = nil) {
        guard let rule else { return }
        lastDone = done ?? lastDone
        end = rule.end(in: context, lastDone: lastDone)
    }

    /// When it is to be looked at again; nil = never.
    var wake: Instant? { end.map { max($0, retryAt ?? $0) } }

    /// True where the study is over and is to be left now; at most once in ten minutes.
    mutating func takeEnd(at now: Instant) -> Bool {
        guard let wake, wake <= now else { return false }
        retryAt = now + .seconds(600)
        return true
    }
}
