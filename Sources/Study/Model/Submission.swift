// SPDX-License-Identifier: Apache-2.0
import Base

/// A run as it was submitted: `RunBook` makes it of a `RunRecord`, and a platform's writer makes its requests
/// from it.
package struct Submission: Sendable {
    package let task: String
    /// What it answers; for a sticky task always its first occurrence.
    package let occurrence: Occurrence
    /// Question ids of all steps, hidden ones too, in the order in which this opening had them.
    package let order: [String]
    /// The answers; hidden ones too.
    package var answers: Answers
    /// Ids of steps that were drawn from their group, answered or not; a platform may send a value for
    /// those without an answer (schema: 1).
    package let drawn: Set<String>
    package let submitted: Instant
    /// The number of its occurrence; for a sticky task, which may be done again and again, how often it
    /// was submitted, from 1.
    package let run: Int
    /// When each step was presented and answered, by its id; steps that were never shown are
    /// missing.
    package let times: [String: StepTimes]
    /// What the run was, step by step; nil where only its answers are known.
    package let course: RunCourse?
    /// The occurrence that the run ends, which for a sticky task may be another; nil = it
    /// was self-started.
    package var prompt: Occurrence?
    /// When `prompt` was opened first, in this run or one that was left; nil without one.
    package var firstOpened: Instant?
    /// What its recorders wrote, once that is known; only for a wire that sends it along.
    package var recorded: [RunRecording] = []
    /// The sound of spoken answers, by the ids in the answers; one that is missing was not ready,
    /// or could not be recorded. Only for a wire that sends it along.
    package var spoken: [String: RunRecording.File] = [:]
    /// How far off its times can be, one side, in seconds; nil while the clock is not trusted.
    package var clockError: Double?

    package init(
        task: String, occurrence: Occurrence, order: [String], answers: Answers, drawn: Set<String>,
        submitted: Instant, run: Int = 1, times: [String: StepTimes] = [:], course: RunCourse? = nil
    ) {
        self.task = task
        self.occurrence = occurrence
        self.order = order
        self.answers = answers
        self.drawn = drawn
        self.submitted = submitted
        self.run = run
        self.times = times
        self.course = course
    }
}
