// SPDX-License-Identifier: Apache-2.0
import Base

/// What the core of the agent wants done. The shell starts it, in this order; what
/// answers is named.
package enum CoreEffect: Sendable {
    case device(DeviceEffect)
    /// A spoken answer is to be heard.
    case playMemo(SealedRecording)
    /// In one transaction, in the order of these effects; answered with `.committed`.
    case commit(StudyCommit, EventStamp)
    /// A file that belongs to no answer is taken off the disk.
    case discard(SealedRecording)
    /// These are sealed by these anchors; answered with `.recorder(.sealed)`.
    case seal([RecordingDescription], [ClockAnchor])
    /// Readings of the clocks, by which open files get their times; the newest last.
    case anchors([ClockAnchor])
    /// What the log knows of these files' runs; answered with `.found`.
    case settle([SealedRecording], resumed: String?)
    /// The bytes of another version are to be kept; answered with `.updateKept`, or with a fault.
    case keepUpdate(PendingUpdate, source: String)
    /// Everything decided so far is to be on the disk, and the study read again; answered with
    /// `.reloaded`.
    case reload
    /// The enrolment is another: measuring ends, the log is asked; answered with `.entered`.
    case enter
    /// Measuring begins, for the present participant.
    case measure
    /// The participant leaves the study.
    case withdraw(deletesData: Bool?)
    /// The light shows a fault, or that there is no enrolment.
    case showFault(String, isNew: Bool)
    /// For operators: the place, and what is odd.
    case remark(String, String)
    /// What the conductor wanted, for the demo's drawing and the simulated participant.
    case conducted([StudyConductor.Effect])
    case finish
}
