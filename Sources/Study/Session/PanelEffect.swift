// SPDX-License-Identifier: Apache-2.0
import Base

/// What `PanelSession` wants; `StudyConductor.perform` carries it out.
package enum PanelEffect: Sendable {
    case device(DeviceEffect)
    /// Every edge, for the log.
    case press(ButtonEvent)
    /// The event marker of that number was pressed.
    case marked(button: Int, at: MonotonicTime)
    /// The participant pauses the sensors: nothing that is measured in that span is to be kept.
    case pauseSensors(Range<MonotonicTime>)
    /// The pause ended, and was this long.
    case resumeSensors(Range<MonotonicTime>, byHand: Bool)
    case promptPresented(id: String)
    case acceptPrompt(id: String)
    case putOff(prompt: String)
    case decline(prompt: String)
    case openList, leaveList
    case openMenu, leaveMenu
    /// The id of a prompt or of a list item, or the task key of a button; answered with `.opened`
    /// or `.notOpened`.
    case openTask(id: String)
    /// To be kept, so that the run can go on after a restart.
    case progress(TaskProgress)
    /// Answered with `.stored` once it is committed.
    case submitted(RunRecord)
    /// Left or interrupted.
    case runLeft(RunRecord)
    case promptsOff, promptsOn
    /// Confirmed twice. Whether the study is to delete what it has; nil = by its own rule.
    case withdrawRequested(deletesData: Bool?)
}
