// SPDX-License-Identifier: Apache-2.0

/// A task with all its runs of the present plan, after those that ended under earlier numbers (`RunNumbering`),
/// and what became of them: for `ProgressReporter` and `studyd status`.
package struct TaskRuns: Sendable {
    package let task: StudyTask
    /// In order of time, each with how it ended; nil = not yet.
    package let runs: [(occurrence: Occurrence, outcome: Outcome?)]
    /// How often it was submitted, self-started runs included.
    package let submissions: Int
    /// The run that is due now was opened.
    package let isBegun: Bool

    package init(
        _ task: StudyTask, runs: [(occurrence: Occurrence, outcome: Outcome?)], submissions: Int, isBegun: Bool
    ) {
        (self.task, self.runs, self.submissions, self.isBegun) = (task, runs, submissions, isBegun)
    }
}
