// SPDX-License-Identifier: Apache-2.0
import Base

/// When the study is over for the participant, as far as the last events show.
struct StudyEnd: Sendable {
    private let rule: (any StudyClosing)?
    private var lastDone: Instant?
    private var end: Instant?
    /// That it is over was said; until then it is not said again, in case the leaving fails.
    private var patience: Instant?

    init(_ rule: (any StudyClosing)?, in context: ScheduleContext, lastDone: Instant?) {
        (self.rule, self.lastDone) = (rule, lastDone)
        end = rule?.end(in: context, lastDone: lastDone)
    }

    /// What decides it has changed; `done` = a task was submitted then.
    mutating func judge(in context: ScheduleContext, done: Instant? = nil) {
        guard let rule else { return }
        lastDone = done ?? lastDone
        end = rule.end(in: context, lastDone: lastDone)
    }

    /// When it is to be looked at again; nil = never.
    var wake: Instant? { end.map { max($0, patience ?? $0) } }

    /// True where it is over, and that is to be said now; given once in ten minutes.
    mutating func takeEnd(at now: Instant) -> Bool {
        guard let wake, wake <= now else { return false }
        patience = now + .seconds(600)
        return true
    }
}
