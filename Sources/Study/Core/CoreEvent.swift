// SPDX-License-Identifier: Apache-2.0
import Base

/// The events that `StudyCore` handles: from the panel, the recorders, the servers and the clock, and
/// answers to its own effects.
package enum CoreEvent: Sendable {
    /// The agent has started.
    case began(version: String)
    /// Passed on to the conductor: a press, or what the device reports (a light shown, a position, a reading).
    case conductor(StudyConductor.Event)
    case tick
    /// Rows are on the disk, with these submissions among them.
    case committed([SubmittedRun])
    /// Something that an operator should know, and that is no fault of the device: where, and what.
    case remark(String, String)
    /// Rows for the log of the present enrolment; nothing follows from them.
    case noted([StudyEvent])
    /// What is wrong with the device, in one sentence, nil = nothing; and whether it is the agent
    /// itself that fails.
    case fault(String?, ofAgent: Bool)
    /// From the recorder thread; `of` is the enrolment that the samples belong to, nil = none.
    case recorder(RecorderNews, of: EnrolmentRecord?)
    /// The participant of this enrolment left: nothing more of it is to be sent or kept. nil = none.
    case left(forGood: String?)
    /// Files of tasks that were recorded before this start, and what became of their runs.
    case found([SealedRecording], RunKnowledge)
    /// Files of this boot that are sealed once its clock is trusted.
    case waiting([RecordingDescription])
    /// The study begins to run, or there is none (any more).
    indirect case entered(StudyEntry)
    /// The same enrolment with another version of its study.
    indirect case reloaded(ActiveStudy?)
    /// News for that enrolment, from its servers or by the participant's change of prompt times.
    case followed(StudyConductor.Event, of: String)
    /// That enrolment is to go on with another version of its study.
    case update(PendingUpdate, of: String)
    /// The bytes of another version are on the disk.
    case updateKept(version: String, fileDigest: String)
    /// A study was taken on or left: what the present one holds is released, and `entered` follows.
    case enrolmentChanged
    /// Nothing more is to happen: the last file is sealed.
    case stopped
}

/// What the log says of an enrolment when it begins to run.
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

/// A run that was open when the device went off.
package struct LeftRun: Sendable {
    /// The task's id in the study.
    package let task: String
    /// Which opening of the task, from 1.
    package let opening: Int
    /// The prompt that it answers; nil = begun from the list.
    package let occurrence: String?
    /// Rows of its progress (`StudyEvent.taskProgress`), in the order of the log.
    package let rows: [Row]

    package typealias Row = (step: String?, values: [String: Double], stamp: EventStamp)

    /// As the log has it.
    package init(task: String, opening: Int, occurrence: String?, rows: [Row]) {
        (self.task, self.opening, self.occurrence, self.rows) = (task, opening, occurrence, rows)
    }
}

/// What the log knows of runs for which files were found.
package struct RunKnowledge: Sendable {
    /// The latest enrolment; nil where there never was one.
    package var latest: EnrolmentRecord?
    /// Runs of it that were submitted, as `task/opening`.
    package var submitted: Set<String> = []
    /// Ids of the spoken answers that its submissions name.
    package var named: Set<String> = []
    /// The open run that goes on: its files are kept for it.
    package var resumed: String?

    package init(latest: EnrolmentRecord?, resumed: String?) { (self.latest, self.resumed) = (latest, resumed) }

    /// Whether the latest enrolment submitted the run of that name (`StudyConductor.runName`):
    /// `<enrolment>-<task index>-<opening>`.
    func wasSubmitted(_ run: String, of task: String) -> Bool {
        guard let latest, run.hasPrefix(latest.id + "-") else { return false }
        let opening = run.split(separator: "-").last.flatMap { Int($0) } ?? 0
        return submitted.contains("\(task)/\(opening)")
    }
}

/// Another version of the study, with which an enrolment is to go on.
package struct PendingUpdate: Sendable {
    /// What the server sent, read.
    package let loaded: LoadedStudy
    /// The server's name of that version.
    package let version: String

    package init(loaded: LoadedStudy, version: String) { (self.loaded, self.version) = (loaded, version) }
}
