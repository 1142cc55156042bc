// SPDX-License-Identifier: Apache-2.0

/// A prompt that waits for the participant: `StudyConductor` gives it to `PanelSession`.
package struct PromptItem: Sendable, Hashable {
    package let id: String
    /// Spoken where there is a loudspeaker.
    package let text: PromptText
    /// The number of the card that is presented after the prompt, where the task is a single yes/no question: one
    /// press then answers it. nil for all other tasks.
    package var quickCard: Int?
}

extension PromptItem {
    /// The prompt of a task, with its card where a single press can answer it; `message` in place
    /// of the task's own.
    package init(id: String, task: StudyTask, cards: CardIndex, message: String? = nil) {
        let steps = task.content.steps
        var card: Int?
        if steps.count == 1, case .yesNo = steps[0].format { card = cards.number(task: task.key, step: steps[0].key) }
        let text = message.map { PromptText(title: task.prompt.title, message: $0) } ?? task.prompt
        self.init(id: id, text: text, quickCard: card)
    }
}

/// One entry of the panel's list of what can be done now, made by `ParticipantSchedule`.
package struct ListItem: Sendable, Hashable {
    /// What `openTask` will ask for: an occurrence's id, or a task's key.
    package let id: String
    /// Spoken.
    package let name: String
    /// True for what is not a task of the study itself: writing to those who run it, changing prompt times.
    package var isAside = false
}

extension PromptText {
    /// What the menu tells again.
    var lastMessage: String { message.isEmpty ? title : "\(title). \(message)" }
}
