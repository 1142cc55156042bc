// SPDX-License-Identifier: Apache-2.0
import Base

/// What the devices of a panel are to do, and what is to be logged. A question or the panel itself asks for
/// it; `TaskRun`, `PanelSession` and `StudyConductor` pass it unchanged to the agent's loop, which has the
/// devices.
package enum DeviceEffect: Sendable, Hashable {
    /// To be played at once, in place of whatever is being played; its `speech` is spoken
    /// after the steps.
    case signal(SignalPlan)
    /// Silence and darkness at once.
    case stopSignals
    case play(MediaReference)
    case stopPlaying
    /// Voice memos are named by the id given to the question, with a number for each attempt.
    case startRecording(String)
    case stopRecording(String)
    case playRecording(String)
    case discardRecording(String)
    /// Sensors, in the background and beside each other, until they are stopped.
    case startRecorders([TaskRecording])
    /// By their ids.
    case stopRecorders([String])
    /// Something happened at that time: it is marked in those recordings whose format can hold a mark.
    case mark(MonotonicTime)
    /// Nothing that is measured in that span is kept; an earlier span is replaced by it.
    case withhold(Range<MonotonicTime>)
    /// Where the device is now is asked for; answered with `DeviceNews.position` or `.noPosition`.
    case takePosition
    /// Something that the study's staff must know: it is logged, and not said to the participant.
    case remark(String)
    /// Something is to be measured now; answered with `DeviceNews.reading`. The id is unique on the device.
    case takeReading(DeviceReading, id: String)
}
