// SPDX-License-Identifier: Apache-2.0
import Base

/// What came out of one run of a task on the panel.
package struct RunRecord: Sendable {
    package enum End: String, Sendable { case submitted, left, interrupted }
    /// One presentation of one step; a step that was gone back to has several.
    package struct Question: Sendable {
        package let step: String
        /// When its presentation began.
        package let presented: MonotonicTime
        /// When the last press of its answer was recognised; nil where it was left without answer.
        package var answered: MonotonicTime?
        /// Every edge while it was open, and the release of the press that answered it. A single
        /// press that took up the prompt and answered it is here too.
        package var presses: [ButtonEvent] = []

        package init(step: String, presented: MonotonicTime) {
            self.step = step
            self.presented = presented
        }
    }
    /// The task with the order of this opening.
    package let opened: OpenedTask
    package let end: End
    /// Hidden ones too. For a run that was not submitted: what had been answered.
    package let answers: Answers
    /// In the order in which they were presented.
    package let questions: [Question]
    /// From the first presentation to the end.
    package let began: MonotonicTime
    /// When it was submitted, left or broken off; CLOCK_MONOTONIC as `began`.
    package let ended: MonotonicTime
    /// The run's name, unique on the device; empty where it has none.
    package let id: String
    /// What was recorded in the background, in the order of starting; all of it has ended.
    package let recorders: [RunRecorders.Span]
    /// Where the participant goes on once it is stored; nil = nowhere.
    package let continuation: Continuation?

    package init(
        opened: OpenedTask, end: End, answers: Answers, questions: [Question], began: MonotonicTime,
        ended: MonotonicTime, id: String = "", recorders: [RunRecorders.Span] = [],
        continuation: Continuation? = nil
    ) {
        self.opened = opened
        self.end = end
        self.answers = answers
        self.questions = questions
        self.began = began
        self.ended = ended
        self.id = id
        self.recorders = recorders
        self.continuation = continuation
    }
}
