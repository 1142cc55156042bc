// SPDX-License-Identifier: Apache-2.0
import Base

/// An answer as a question machine gives it and the log keeps it, before a platform's writer gives it its
/// spelling. An unanswered question has no value at all.
package enum AnswerValue: Sendable, Hashable {
    case boolean(Bool)
    /// Values of the options ticked, in the order of ticking; one entry for a single choice.
    case choices([String])
    case number(Double)
    /// A number that was entered and taken away again; schema sends `null` for it.
    case cleared
    case dateTime(LocalDateTime)
    case text(String)
    /// The id of a recording that holds the spoken answer.
    case recording(String)
    /// Degrees, WGS 84; north and east are positive.
    case position(latitude: Double, longitude: Double)
    /// What came out of an active task.
    case performance(Performance)

    /// A moment as variables of a study keep it: milliseconds since 1970.
    static func moment(_ moment: Instant) -> AnswerValue { .number(Double(moment.milliseconds)) }
}

/// The answers of one run so far, by question id. Absent = not answered.
package typealias Answers = [String: AnswerValue]
