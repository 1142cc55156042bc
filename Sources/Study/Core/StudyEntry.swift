// SPDX-License-Identifier: Apache-2.0
import Base

/// What the log says of an enrolment when it begins to run: `StudyLoop` reads it for `CoreEvent.entered`.
package struct StudyEntry: Sendable {
    /// nil without an enrolment.
    package var study: ActiveStudy?
    /// An enrolment without its study, which the store has lost: measuring continues for it.
    package var lostEnrolment: EnrolmentRecord?
    /// What the journal says of `lostEnrolment`.
    package var loss = ""
    /// Since when the enrolment has been without its study, by an earlier start; nil = it was not.
    package var lostSince: Instant?
    /// The enrolment that was left, of which nothing more is to be sent or kept; nil = none.
    package var leftForGood: String?
    /// Runs that an earlier start left open, in the order of their opening.
    package var openRuns: [LeftRun] = []
    /// When the device was off: from a wall-clock time of the last run until this time of this boot;
    /// nil = it was not, or that was reported already.
    package var off: (since: Instant, until: MonotonicTime)?
    /// Files recorded for tasks that an earlier start left on the disk.
    package var found: [SealedRecording] = []

    package init(study: ActiveStudy? = nil) { self.study = study }
}

/// A run that was open when the device went off; `StudyCore` closes it or goes on with it.
package struct LeftRun: Sendable {
    package let task: String
    /// Which opening of the task, from 1.
    package let opening: Int
    /// The prompt that it answers; nil = begun from the list.
    package let occurrence: String?
    /// Rows of its progress (`StudyEvent.taskProgress`), in the order of the log.
    package let rows: [Row]

    package typealias Row = (step: String?, values: [String: Double], stamp: EventStamp)

    package init(task: String, opening: Int, occurrence: String?, rows: [Row]) {
        (self.task, self.opening, self.occurrence, self.rows) = (task, opening, occurrence, rows)
    }
}
