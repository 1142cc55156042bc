// SPDX-License-Identifier: Apache-2.0

/// The steps of a task, in sections; an active task is one of them (`AnswerFormat.active`). A run
/// may present them in another order (`OpenedTask`).
package struct Questionnaire: Sendable {
    /// Sections in the order of the file.
    package let sections: [Section]
    /// Sections are shuffled at each opening.
    package let shufflesSections: Bool
    /// The platform's label of the last button.
    package let submitText: String

    package init(sections: [Section], shufflesSections: Bool, submitText: String) {
        (self.sections, self.shufflesSections, self.submitText) = (sections, shufflesSections, submitText)
    }

    /// One section without a heading, in the order of the file.
    package init(_ steps: [Step], submitText: String = "") {
        self.init(
            sections: [Section(name: "", steps: steps, shufflesSteps: false)], shufflesSections: false,
            submitText: submitText)
    }

    /// Every step of every section, in the order of the file.
    package var steps: [Step] { sections.flatMap(\.steps) }
}

package struct Section: Sendable {
    /// The page's heading; may be empty. Not unique.
    package let name: String
    /// In the order of the file, which `shufflesSteps` overrules at each opening.
    package private(set) var steps: [Step]
    /// Its steps are shuffled at each opening.
    package let shufflesSteps: Bool
    /// It is left by itself this long after its first step was presented, whatever is unanswered;
    /// nil = never.
    package var limit: Duration?
    /// From here there is no way back to the section before.
    package var isOneWay = false

    package init(name: String, steps: [Step], shufflesSteps: Bool, limit: Duration? = nil) {
        (self.name, self.steps, self.shufflesSteps, self.limit) = (name, steps, shufflesSteps, limit)
    }

    package func with(steps: [Step]) -> Section {
        var section = self
        section.steps = steps
        return section
    }
}

/// What becomes of a step when its section is shuffled.
package enum ShufflePlace: Sendable, Hashable {
    case anywhere
    /// It comes right behind the step before it in the file, wherever that comes.
    case behind
    /// It stays at the beginning or the end of its section.
    case fixed
}
