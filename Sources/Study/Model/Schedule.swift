// SPDX-License-Identifier: Apache-2.0
import Base

/// When a task is due: `Planner` makes the plan by it. Platforms bring their own implementations.
package protocol Schedule: Sendable {
    /// Every occurrence that follows from `context`, in time order (stable for equal times).
    ///
    /// Pure and repeatable: asked again with the same enrolment it gives the same occurrences with
    /// the same ids, so that a restart, a change of zone or a new fact is simply a new plan.
    func occurrences(of task: StudyTask, in context: ScheduleContext) -> [Occurrence]
    /// What becomes due because of something that happened, now or later; empty where it does not
    /// listen for that.
    ///
    /// Pure and repeatable as well: what happened is in the context's facts, so it is raised again in every later
    /// plan.
    func raised(by happening: StudyHappening, of task: StudyTask, in context: ScheduleContext) -> [Occurrence]
    /// Where a plan is made again: whether a run that is open or over keeps the times it was given,
    /// an open one at most ending later.
    var keepsIssuedRuns: Bool { get }
    /// Whether a new version of the study prompts only from when it was taken up; else what has passed
    /// by then falls due at once.
    var startsWithVersion: Bool { get }
    /// Whether its runs are numbered from 1 in each version of the study, so that another version may give
    /// a number to another run (`RunNumbering`).
    var numbersRuns: Bool { get }
    /// Whether a task that stays in the list leaves it when its occurrence expires.
    var closesWithOccurrence: Bool { get }
    /// Whether a prompt that falls due while its task is locked waits until the task opens; else it
    /// is gone, with its reminders.
    var waitsWhileLocked: Bool { get }
    /// Whether a run that is open ends when the task's next prompt falls due.
    var endsWithNextPrompt: Bool { get }
    /// Times of day that the participant may move, as they are now; empty = none.
    func promptTimes(of task: StudyTask, in context: ScheduleContext) -> [PromptTime]
    /// Moves these, each to its new start and end. Occurrences that have fallen due, and the next one, keep
    /// their times. Throws in words what the study does not allow.
    func moving(
        _ times: [PromptTime], of task: StudyTask, in context: ScheduleContext, at now: Instant
    ) throws(PromptTimeError) -> MovedTimes
}

extension Schedule {
    package func raised(by happening: StudyHappening, of task: StudyTask, in context: ScheduleContext) -> [Occurrence] {
        []
    }
    package var keepsIssuedRuns: Bool { false }
    package var startsWithVersion: Bool { false }
    package var numbersRuns: Bool { false }
    package var closesWithOccurrence: Bool { false }
    /// True: schema's `unlock_after`.
    package var waitsWhileLocked: Bool { true }
    package var endsWithNextPrompt: Bool { false }
    package func promptTimes(of task: StudyTask, in context: ScheduleContext) -> [PromptTime] { [] }
    /// Never called, since `promptTimes` gives none.
    package func moving(
        _ times: [PromptTime], of task: StudyTask, in context: ScheduleContext, at now: Instant
    ) throws(PromptTimeError) -> MovedTimes {
        throw PromptTimeError("the times of \(task.name) cannot be changed")
    }
}
