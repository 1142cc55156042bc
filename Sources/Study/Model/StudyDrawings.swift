// SPDX-License-Identifier: Apache-2.0
import Base

/// A submitted run, of which charts are made.
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

/// The charts of a study whose platform computes them; the others show answers over time.
package protocol StudyDrawings: Sendable {
    /// True where some charts show what others answered, which the server has to be asked for.
    var wantsPublic: Bool { get }
    /// The charts of the participant's own runs, oldest first, and of `others`, the server's answer; nil = it
    /// was not asked or did not answer. `isOver` = the participant has left. Pure.
    func drawings(of runs: [DoneRun], others: [UInt8]?, in context: ScheduleContext, isOver: Bool) -> [StudyDrawing]
}
