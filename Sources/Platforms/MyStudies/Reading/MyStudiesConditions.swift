// SPDX-License-Identifier: Apache-2.0
import Study

/// Holds where that option is chosen, or that word of a yes/no question given.
struct Chosen: Condition {
    let question: String
    let value: String

    var questionKeys: [String] { [question] }

    func holds(_ facts: StudyFacts) -> Bool {
        switch facts.answers[question] {
        case .choices(let values): values.contains(value)
        case .boolean(let answer): String(answer) == value
        default: false
        }
    }
}

/// Holds where none of these options is chosen, nor any word given.
struct NoneChosen: Condition {
    let question: String
    let values: [String]

    var questionKeys: [String] { [question] }
    func holds(_ facts: StudyFacts) -> Bool { !values.contains { Chosen(question: question, value: $0).holds(facts) } }
}

/// Holds never: what it hides is reached by a jump alone.
struct NeverShown: Condition {
    func holds(_ facts: StudyFacts) -> Bool { false }
}

/// Holds where the other is decided and does not.
struct Negation: Condition {
    private let condition: any Condition

    init(_ condition: any Condition) { self.condition = condition }

    var questionKeys: [String] { condition.questionKeys }
    /// An unanswered question decides nothing.
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
    /// The same jump, taken only where this holds too.
    func also(_ condition: any Condition) -> Jump { Jump(when: AllOf([condition, when]), to: to) }
}
