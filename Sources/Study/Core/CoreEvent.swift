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
