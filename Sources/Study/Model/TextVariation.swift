// SPDX-License-Identifier: Apache-2.0

/// How what is said differs from a step's text; `RunTexts` makes the text by it.
package enum TextVariation: Sendable {
    /// An answer replaces a piece of it.
    case piped(Piping)
    /// It is computed when it is said; the card has the step's own text.
    case computed(any ComputedText)
}

/// A step's text that is computed when the step is presented, by a script for example. Platforms bring
/// their own.
package protocol ComputedText: Sendable {
    /// As plain text; nil = the step's own. Pure: the same facts give the same text.
    func text(_ facts: StudyFacts) -> String?
}
