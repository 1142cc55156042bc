// SPDX-License-Identifier: Apache-2.0
import Study

/// Never holds: `MyStudiesActivityReader` gives it to hidden steps, which are reached only by a jump.
struct NeverShown: Condition {
    func holds(_ facts: StudyFacts) -> Bool { false }
}

/// Holds where all questions of `condition` are answered and it does not hold. `MyStudiesActivityReader` makes it of
/// the `preLoadLogic` of a step, for the step that is to follow where the comparison fails.
struct Negation: Condition {
    let condition: any Condition

    var questionKeys: [String] { condition.questionKeys }
    func holds(_ facts: StudyFacts) -> Bool {
        condition.questionKeys.allSatisfy { facts.hasAnswer(to: $0) } && !condition.holds(facts)
    }
}

extension StudyFacts {
    /// Something was answered, and not taken back.
    func hasAnswer(to question: String) -> Bool {
        switch answers[question] {
        case nil, .cleared, .choices([]): false
        default: true
        }
    }
}

extension Jump {
    /// The same jump, taken only where `condition` holds as well as its own.
    func also(_ condition: any Condition) -> Jump { Jump(when: AllOf([condition, when]), to: to) }
}
