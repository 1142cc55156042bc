// SPDX-License-Identifier: Apache-2.0
import Base

/// An answer given on the panel, with its times: a row `StudyEvent.answered` of `StudyConductor`, read by
/// `RunProjection`.
package struct AnswerRecord: LoggedRecord {
    package var question: String
    /// What was answered, not yet in the wire's spelling.
    package var value: AnswerValue
    /// When its signal began; nil when it was not presented (a drawn or default value).
    package var presented: MonotonicTime?
    /// When the last press of the answer was recognised: at its release, or when a hold counted.
    package var answered: MonotonicTime
    /// Presses it took, corrections included.
    package var presses: Int
}

extension AnswerRecord {
    /// The record of an answer given on the panel.
    package init(_ answer: GivenAnswer) {
        self.init(
            question: answer.question, value: answer.value, presented: answer.presented, answered: answer.answered,
            presses: answer.presses)
    }
}
