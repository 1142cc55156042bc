// SPDX-License-Identifier: Apache-2.0

/// The steps of a task, in sections, as a platform's reader found them; an active task is one of them
/// (`AnswerFormat.active`). A run may present them in another order (`OpenedTask`).
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
