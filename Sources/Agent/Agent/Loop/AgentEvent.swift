// SPDX-License-Identifier: Apache-2.0
import Device
import Study

/// What happens to the agent: all of it goes through the `Mailbox` to `StudyLoop`.
enum AgentEvent: Sendable {
    case edge(ButtonEdge)
    case device(DeviceNews)
    /// The time that the core wanted to be woken at has come, or the clock has changed.
    case alarm
    /// The start has more to do.
    case goOnStarting
    case committed([SubmittedRun])
    /// Something is wrong; nil = nothing any more.
    case fault(String?)
    /// With the enrolment that owns its samples; nil = none does.
    case recorder(RecorderNews, of: EnrolmentRecord?)
    /// A receiver's time is believed for the first time, or no longer is what it was.
    case clockFound
    /// Parts may have come or gone; asked every few seconds, which also shows that the loop is
    /// alive.
    case lookAround
    /// A question asks where the device is.
    case placeWanted
    /// The store was damaged, is whole again, or reaches the disk no more.
    case storeChanged
    /// The store on the disk, which might not be used, is in use again.
    case storeReturned
    /// The sound that is listened to for a reading has been heard for as long as it should; the
    /// reading's number.
    case soundReadingEnds(Int)
    /// What the sound of that reading came to; nil = it could not be measured.
    case soundRead([Double]?, Int)
    case delivered
    /// Whether nothing more waits for the stick; `isNews` the first time since it was plugged in.
    case removable(Bool, isNews: Bool)
    case enrolmentChanged
    /// A participant who has left, though the store refuses to record it: the study ends now.
    case leaving(LeavingWish)
    /// The servers have said something new to that enrolment; nothing to one that is over.
    case followed(StudyConductor.Event, of: String)
    /// Another version of the study is to be followed, once nothing is open on the panel.
    case studyUpdate(LoadedStudy, version: String, of: String)
    /// Something that an operator should know, and that is no fault of the device.
    case remark(place: String, message: String)
    case health(DeviceHealth.Reading)
    case stop
}
