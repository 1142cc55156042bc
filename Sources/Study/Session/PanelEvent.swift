// SPDX-License-Identifier: Apache-2.0
import Base

/// The events that `PanelSession` handles: presses and time, prompts from the scheduler, answers to its own
/// effects, and what the device knows. The string of `promptWithdrawn` and `promptRenewed` is the prompt's id.
package enum PanelEvent: Sendable {
    case button(ButtonEvent)
    /// The session's `wake` has come.
    case tick
    /// `putOffUntil` = it was put off before a restart, and comes again then.
    case promptDue(PromptItem, putOffUntil: MonotonicTime? = nil)
    /// The prompt has run out or was withdrawn; a run of it that is open may still be submitted.
    case promptWithdrawn(String)
    /// The prompt is forgotten, to be signalled as if new: its `promptDue` follows.
    case promptRenewed(String)
    /// What can be done now, in the order in which it is said.
    case listItems([ListItem])
    /// The answer to `openTask`. `run` is unique on the device; `now` is what the participant's
    /// wall clock shows.
    case opened(OpenedTask, facts: StudyFacts, run: String, now: LocalDateTime)
    /// A run that a restart broke off goes on, under the id it is known by.
    case resumed(String, OpenedTask, facts: StudyFacts, run: String, now: LocalDateTime, [String: BrokenPerformance])
    /// The other answer to `openTask`: it can no longer be opened.
    case notOpened
    /// What that run submitted is committed to the disk.
    case stored(SubmittedRun)
    case delivered
    /// Whether everything is on the stick that is plugged in, so that it may be pulled out; `isNews` = a
    /// stick was plugged in since the participant heard that last.
    case removable(Bool, isNews: Bool)
    /// Something is wrong, in one sentence; nil = nothing is wrong any more.
    case fault(String?)
    /// Whether samples arrive and are being stored.
    case recording(Bool)
    /// Whether the wall clock can be believed.
    case clock(isKnown: Bool)
    case device(DeviceNews)
    /// Kept for the menu's "last message", without being said now.
    case message(String)
    /// Said at once when the panel is idle, else as soon as it is; and kept for the menu.
    case news(String)
}

/// What the panel wants; `StudyConductor.perform` carries it out. A string without a label is the id of
/// `openTask`, or of the prompt.
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
    case promptPresented(String)
    case acceptPrompt(String)
    case putOff(String)
    case decline(String)
    case openList, leaveList
    case openMenu, leaveMenu
    /// An id of a prompt or of a list item, or the task key of a button; answered with `.opened`
    /// or `.notOpened`.
    case openTask(String)
    /// The first question was presented.
    case runOpened(String)
    /// To be kept, so that the run can go on after a restart.
    case progress(TaskProgress)
    /// Answered with `.stored` once it is committed. The id is that of `openTask`.
    case submitted(String, RunRecord)
    /// Left or interrupted.
    case runLeft(String, RunRecord)
    case promptsOff, promptsOn
    /// Confirmed twice. Whether the study is to delete what it has; nil = by its own rule.
    case withdrawRequested(deletesData: Bool?)
}
