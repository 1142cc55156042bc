// SPDX-License-Identifier: Apache-2.0
import Base

/// The events that `PanelSession` handles: presses and time, prompts from the scheduler, answers to its own
/// effects, and what the device knows.
package enum PanelEvent: Sendable {
    case button(ButtonEvent)
    /// The session's `wake` has come.
    case tick
    /// `putOffUntil` = it was put off before a restart, and comes again then.
    case promptDue(PromptItem, putOffUntil: MonotonicTime? = nil)
    /// The prompt has run out or was withdrawn; a run of it that is open may still be submitted.
    case promptWithdrawn(id: String)
    /// The prompt is forgotten, to be signalled as if new: its `promptDue` follows.
    case promptRenewed(id: String)
    /// What can be done now, in the order in which it is said.
    case listItems([ListItem])
    /// The answer to `openTask`. `run` is unique on the device; `now` is what the participant's
    /// wall clock shows.
    case opened(OpenedTask, facts: StudyFacts, run: String, now: LocalDateTime)
    /// A run that a restart broke off goes on.
    case resumed(OpenedTask, facts: StudyFacts, run: String, now: LocalDateTime, [String: BrokenPerformance])
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
