// SPDX-License-Identifier: Apache-2.0
import Base

/// What `StudyCore` wants done. Its caller (`StudyLoop`, `StudySimulation`) carries the effects of one
/// event out in their order; where a `CoreEvent` answers, the case names it.
package enum CoreEffect: Sendable {
    case device(DeviceEffect)
    /// Plays a spoken answer back to the participant.
    case playMemo(SealedRecording)
    /// In one transaction, in the order of these effects; answered with `.committed`.
    case commit(StudyCommit, EventStamp)
    /// Deletes a file that belongs to no submission.
    case discard(SealedRecording)
    /// Seals these files, with times from these anchors; answered with `.recorder(.sealed)`.
    case seal([RecordingDescription], [ClockAnchor])
    /// All clock readings so far, from which open files get their times; the newest last.
    case anchors([ClockAnchor])
    /// Asks the log what became of these files' runs, to keep or discard them; `resumed` is the run
    /// that goes on. Answered with `.found`.
    case settle([SealedRecording], resumed: String?)
    /// Stores the bytes of another version of the study; answered with `.updateKept`, or with a fault.
    case keepUpdate(PendingUpdate, source: String)
    /// Waits until every commit so far is on the disk, then reads the study again; answered with
    /// `.reloaded`.
    case reload
    /// The enrolment has changed: ends measuring and reads the present enrolment from the log; answered
    /// with `.entered`.
    case enter
    /// Starts measuring for the present participant, unless it runs already with the same needs.
    case measure
    /// The participant leaves the study.
    case withdraw(deletesData: Bool?)
    /// Shows a fault by the light, or that there is no enrolment; `isNew` = it was not shown last.
    case showFault(String, isNew: Bool)
    /// Writes a line to the system's journal: where something is odd, and what.
    case remark(String, String)
    /// All effects of the conductor's last call, for the demo's drawing and the simulated participant;
    /// nothing is to be done.
    case conducted([StudyConductor.Effect])
    /// The last commit was given out: once all are on the disk, the loop may end.
    case finish
}
