// SPDX-License-Identifier: Apache-2.0

/// A page of a `Questionnaire`.
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
