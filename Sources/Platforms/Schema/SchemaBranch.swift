// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// A question's branching: it is shown while this holds. `SchemaBranchReader` makes it; `Navigator` asks it
/// before the question comes.
///
/// The app has a bug that applies a slider's rule to the wrong question; here it acts on the
/// question that carries it.
package struct SchemaBranch: Condition, Hashable {
    package enum Rule: Sendable, Hashable {
        /// Answer and value are the same, type included: hidden then if `hides`, otherwise
        /// shown only then.
        case equal(JSONText?, hides: Bool)
        /// Shown from this number on. A slider that was not moved counts as 0.
        case atLeast(Int)
        /// Shown up to this number.
        case atMost(Int)
    }

    /// A question whose answer decides.
    package struct Driver: Sendable, Hashable {
        package let key: String
        /// The kind of question, from which the spelling of its answer follows.
        package let format: AnswerFormat
        /// How the answer is compared, and whether that shows or hides.
        package let rule: Rule
    }

    /// The questions with the id that the rule names, in the order of the file: one, unless several have
    /// the same id.
    private let candidates: [Driver]

    package init(_ candidates: [Driver]) { self.candidates = candidates }

    package var questionKeys: [String] { candidates.map(\.key) }

    /// The answer is compared as it would be spelled on the wire; an unanswered one is `""` there,
    /// and 0 as a number.
    ///
    /// Where several questions have the id, in the app the one answered last decides; here the last one in
    /// the file that has an answer.
    package func holds(_ facts: StudyFacts) -> Bool {
        let answered = candidates.last { facts.answers[$0.key] != nil }
        guard let driver = answered ?? candidates.last else { return true }
        // The zone matters for dates only, and no rule looks at a date.
        let answer = SchemaAnswer(facts.answers[driver.key], to: driver.format, in: .utc).json
        switch driver.rule {
        case .equal(let value, let hides): return (answer == value) != hides
        case .atLeast(let limit): return (answer.double ?? 0) >= Double(limit)
        case .atMost(let limit): return (answer.double ?? 0) <= Double(limit)
        }
    }
}
