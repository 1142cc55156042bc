// SPDX-License-Identifier: Apache-2.0
import Base

/// An occurrence as the log has it: in rows `prompted` and `concluded` of `EventEncoder`, read by
/// `OccurrenceProjection`.
package struct OccurrenceRecord: LoggedRecord {
    /// `<task key>/<number>`, unique in the enrolment.
    package var id: String
    package var task: String
    /// The task's zero-based position in the study's file.
    private var taskIndex: Int
    /// The platform's running number; schema's begin at 101.
    package var number: Int
    /// What the participant's wall clock shows when it is due.
    private var local: LocalDateTime
    /// The same moment in UTC, on the wall clock.
    package var due: Instant
    /// From then on it can no longer be started; nil = never ends.
    private var expires: Instant?
    /// What a DST change did to `local` (`Zone.Resolution`); an unknown word reads as `unique`.
    private var resolution: String
    /// It only signals and is not in the list: a repeat of a sticky task.
    private var isHidden: Bool
    /// False where no signal is given: it is only open for a while, or its time was before the enrolment.
    private var isSignalled: Bool
    /// True where it only told something, so that it is no prompt; nil for all others.
    private var isNotice: Bool?

    package init(_ occurrence: Occurrence) {
        id = occurrence.id
        task = occurrence.task
        taskIndex = occurrence.taskIndex
        number = occurrence.number
        local = occurrence.local
        due = occurrence.due
        expires = occurrence.expires
        resolution = occurrence.resolution.rawValue
        isHidden = occurrence.isHidden
        isSignalled = occurrence.isSignalled
        isNotice = occurrence.notice.map { _ in true }
    }

    package var occurrence: Occurrence {
        Occurrence(
            id: id, task: task, taskIndex: taskIndex, number: number, local: local, due: due, expires: expires,
            resolution: Zone.Resolution(rawValue: resolution) ?? .unique, isHidden: isHidden, isSignalled: isSignalled)
    }
}
