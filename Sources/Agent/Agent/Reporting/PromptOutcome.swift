// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// How a prompt ended, as a report tells it.
package struct PromptOutcome: Sendable, Hashable {
    /// Of the row of the log in which it ended.
    package let row: Int64
    let occurrence: String
    let task: String
    let due: Instant
    let outcome: Outcome
    /// Nil when its signal was never given.
    let presented: Instant?
    let ended: Instant

    func json(in zone: Zone) -> JSONText {
        func time(_ instant: Instant?) -> JSONText { instant.map { .string($0.rfc3339(in: zone)) } ?? .null }
        return .object([
            .init("occurrence", .string(occurrence.bounded)), .init("task", .string(task.bounded)),
            .init("due", time(due)), .init("outcome", .string(outcome.name)),
            .init("reason", outcome.reason.map { .string($0.rawValue) } ?? .null),
            .init("presented", time(presented)), .init("ended", time(ended)),
        ])
    }
}

extension String {
    /// What a receiver keeps of a name or of words.
    var bounded: String { String(prefix(200)) }
}
