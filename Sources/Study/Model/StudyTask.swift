// SPDX-License-Identifier: Apache-2.0

/// One thing a participant is asked to do: a schema module, an ESMira questionnaire, a MyStudies activity.
/// Platforms' decoders make it.
package struct StudyTask: Sendable {
    /// Unique in the study and stable over restarts: the platform's own id, else made
    /// from the position.
    package let key: String
    /// Zero-based position in the file; `module_index` on schema's wire.
    package let index: Int
    /// Sent with results: the name as the file gives it, or the task's version where a platform wants that.
    package let wireName: String
    /// The name as plain text, spoken and printed.
    package let name: String
    package let prompt: PromptText
    /// The arm this task belongs to; nil = every participant's, whatever the arm.
    package let condition: String?
    package let schedule: any Schedule
    /// Whether it can be opened now; checked again whenever a fact changes.
    package let unlocked: any Condition
    /// True for a task that stays in the list for ever and may be answered again and again.
    package let isSticky: Bool
    /// The heading of sticky tasks in the list; empty where there is none.
    package let listLabel: String
    package private(set) var content: Questionnaire
    /// How its answers are shown back; nil where they are not.
    package let graph: GraphDescription?
    /// What is recorded in the background while it is done.
    package let recorders: [TaskRecorder]
    /// What follows by itself when a run of it is submitted; nil = nothing.
    package var ending: (any RunEnding)?
    /// When it can be opened, besides its schedule and `unlocked`; nil = whenever those say so.
    package var opening: OpeningRules?
    package var purpose = Purpose.study
    /// It is beside what the study asks: a simulated participant never begins it, and a board that
    /// cannot ask it goes without.
    package var isAside: Bool { purpose != .study }

    package enum Purpose: Sendable, Hashable {
        /// It is part of what the study asks.
        case study
        /// What is written in it goes to those who run the study, as a message.
        case message
        /// What is answered in it changes how the study runs for the participant.
        case settings
    }

    package init(
        key: String, index: Int, wireName: String, name: String, prompt: PromptText, condition: String?,
        schedule: any Schedule, unlocked: any Condition = Always(), isSticky: Bool = false, listLabel: String = "",
        content: Questionnaire, graph: GraphDescription? = nil, recorders: [TaskRecorder] = []
    ) {
        self.key = key
        self.index = index
        self.wireName = wireName
        self.name = name
        self.prompt = prompt
        self.condition = condition
        self.schedule = schedule
        self.unlocked = unlocked
        self.isSticky = isSticky
        self.listLabel = listLabel
        self.content = content
        self.graph = graph
        self.recorders = recorders
    }

    // Parts of `opening`, with their defaults where it is nil.
    package var rest: Duration? { opening?.rest }
    package var hours: OpenHours? { opening?.hours }
    package var aliveWhile: any Condition { opening?.aliveWhile ?? Always() }

    /// Its steps by their keys; made at each call.
    var stepsByKey: [String: Step] { Dictionary(content.steps.map { ($0.key, $0) }) { first, _ in first } }

    package func leavingOut(_ isLeftOut: (Step) -> Bool) -> StudyTask {
        guard content.steps.contains(where: isLeftOut) else { return self }
        var task = self
        let sections = content.sections.map { section in
            section.with(steps: section.steps.filter { !isLeftOut($0) })
        }
        task.content = Questionnaire(
            sections: sections, shufflesSections: content.shufflesSections, submitText: content.submitText)
        return task
    }
}
