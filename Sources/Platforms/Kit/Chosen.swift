// SPDX-License-Identifier: Apache-2.0
import Study

/// Holds where the option `value` is chosen; of a yes/no question `value` is `true` or `false`. The readers of
/// ESMira and FDA MyStudies make jumps and hidden steps of it.
package struct Chosen: Condition {
    private let value: String
    private let question: String

    package init(_ value: String, of question: String) { (self.value, self.question) = (value, question) }

    package var questionKeys: [String] { [question] }

    package func holds(_ facts: StudyFacts) -> Bool {
        switch facts.answers[question] {
        case .choices(let values): values.contains(value)
        case .boolean(let answer): String(answer) == value
        default: false
        }
    }
}

/// Holds where none of `values` is chosen, as `Chosen` has it.
package struct NoneChosen: Condition {
    private let values: [String]
    private let question: String

    package init(_ values: [String], of question: String) { (self.values, self.question) = (values, question) }

    package var questionKeys: [String] { [question] }
    package func holds(_ facts: StudyFacts) -> Bool { !values.contains { Chosen($0, of: question).holds(facts) } }
}
