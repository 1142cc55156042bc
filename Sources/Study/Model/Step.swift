// SPDX-License-Identifier: Apache-2.0

/// One thing that a task asks, says or has done: platforms' readers make it, and `TaskRun` presents it.
package struct Step: Sendable {
    /// The platform's id, unique in its task.
    package let key: String
    /// What is asked, as plain text.
    package let text: String
    package var format: AnswerFormat
    /// It must be answered before the section is left.
    package let isRequired: Bool
    /// Shown only while this holds; nil = always. A hidden step keeps the answer it has.
    package var visibleWhen: (any Condition)?
    /// Looked at in order once the step is answered; the first that holds decides where to go.
    /// Empty = the next step.
    package var jumps: [Jump]
    /// Looked at in order before the step is presented; the first that holds leads elsewhere, and
    /// the step is skipped.
    package var detours: [Jump] = []
    /// A board that cannot ask it leaves it out, and the study goes without the answer; else such a
    /// board takes no part in the study.
    package var isDispensable = false
    /// From here there is no way back.
    package var isOneWay = false
    /// Where it goes when its section is shuffled.
    package var inShuffle = ShufflePlace.anywhere
    /// Of all steps of a task with the same group exactly one is drawn at each opening; nil
    /// = not in a group.
    package let drawGroup: String?
    /// Its path in the study's file.
    package let path: String
    /// What kind of step the platform calls it, where results name that; empty where they do not.
    package let wireName: String
    /// The id that results carry; the key itself, unless several steps of the task share an id.
    package var wireKey: String
    /// What is said in place of the text; nil = the text.
    package var variation: TextVariation?

    package var piping: Piping? { if case .piped(let piping) = variation { piping } else { nil } }
    package var computedText: (any ComputedText)? { if case .computed(let text) = variation { text } else { nil } }

    /// A detour leads past it whatever was answered: it has no card.
    package var isAlwaysSkipped: Bool { detours.contains { $0.when is Always } }

    package init(
        key: String, text: String, format: AnswerFormat, isRequired: Bool = false,
        visibleWhen: (any Condition)? = nil, jumps: [Jump] = [], drawGroup: String? = nil, path: String = "",
        wireName: String = "", variation: TextVariation? = nil
    ) {
        self.key = key
        wireKey = key
        self.text = text
        self.format = format
        self.isRequired = isRequired
        self.visibleWhen = visibleWhen
        self.jumps = jumps
        self.drawGroup = drawGroup
        self.path = path
        self.wireName = wireName
        self.variation = variation
    }
}
