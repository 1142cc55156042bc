// SPDX-License-Identifier: Apache-2.0
import Base

/// A submitted run, read from the store for the charts of `studyd history` (`StudyDrawings`).
package struct DoneRun: Sendable {
    package let task: String
    /// Wall clock of the submission.
    package let submitted: Instant
    /// When its first step was first presented; nil where that is not known.
    package let began: Instant?
    /// Including values that the task computed.
    package let answers: Answers

    package init(task: String, submitted: Instant, began: Instant? = nil, answers: Answers) {
        (self.task, self.submitted, self.began, self.answers) = (task, submitted, began, answers)
    }
}
