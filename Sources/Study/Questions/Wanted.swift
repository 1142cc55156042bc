// SPDX-License-Identifier: Apache-2.0
import Base

/// What a scripted participant wants a question to be answered with: its kind reads it from the script, and
/// `PressFinder` finds the presses.
package enum Wanted: Sendable, Hashable {
    case leaveOut
    /// `.text` and `.recording` both mean: a voice memo, whatever it says.
    case answer(AnswerValue)
    /// An active task, performed in that way.
    case perform(PerformanceStrategy)
}

/// A value of a participant file that does not fit its question.
package struct WantedError: Error, Hashable, CustomStringConvertible {
    /// As the file has it.
    let value: ScriptedValue
    /// What the question takes, in words.
    let expected: String

    /// Begins with the value; `Participant` adds which question it was.
    package var description: String { "the value \(value) does not fit this question; use \(expected)" }
}

extension Wanted {
    /// Reads a value in the question's own terms: the text of an option (or a list of them), a
    /// number, true or false, an ISO 8601 date, time or both, free text; `null` leaves the question
    /// out. `now` completes a date or a time.
    package init(_ value: ScriptedValue, for format: AnswerFormat, now: LocalDateTime) throws {
        if value == .null {
            self = .leaveOut
            return
        }
        self = try format.kind.wanted(value, now: now)
    }

    /// The first thing a question offers.
    package static func first(_ step: Step, now: LocalDateTime) -> Wanted { step.format.kind.first(now: now) }

    /// Something a question could be answered with, drawn evenly. A question that need not be
    /// answered is left out one time in ten.
    package static func random(_ step: Step, now: LocalDateTime, using generator: inout SplitMix64) -> Wanted {
        if !step.isRequired, generator.below(10) == 0 { return .leaveOut }
        return step.format.kind.random(now: now, using: &generator)
    }

    /// Leaves the question out where that is allowed; otherwise the first thing it offers.
    package static func skip(_ step: Step, now: LocalDateTime) -> Wanted {
        step.isRequired && step.format.isQuestion ? first(step, now: now) : .leaveOut
    }
}
