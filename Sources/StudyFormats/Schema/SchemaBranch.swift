// SPDX-License-Identifier: Apache-2.0
import StudyModel
import Times

/// A question's branching: it is shown while this holds.
///
/// The app has a bug that applies a slider's rule to the wrong question; here it acts on the question that carries it.
public struct SchemaBranch: Condition, Hashable {
    /// What is compared.
    public enum Rule: Sendable, Hashable {
        /// Answer and value are the same, type included: hidden then if `hides`, otherwise shown only then.
        case equal(JSONText?, hides: Bool)
        /// Shown from this number on. A slider that was not moved counts as 0.
        case atLeast(Int)
        /// Shown up to this number.
        case atMost(Int)
    }

    /// The question that decides.
    public let driver: String
    /// How it is answered, from which the spelling of its answer follows.
    public let format: AnswerFormat
    /// How the answer is compared, and whether that shows or hides.
    public let rule: Rule

    /// A rule about the answer to `driver`.
    public init(driver: String, format: AnswerFormat, rule: Rule) {
        self.driver = driver
        self.format = format
        self.rule = rule
    }

    /// `driver` alone.
    public var drivers: [String] { [driver] }

    /// The answer is compared as it would be spelled on the wire; an unanswered one is `""` there, and 0 as a number.
    public func holds(_ facts: StudyFacts) -> Bool {
        // The zone matters for dates only, and those drive nothing.
        let answer = SchemaAnswer(facts.answers[driver], to: format, in: .utc).json
        switch rule {
        case .equal(let value, let hides): return (answer == value) != hides
        case .atLeast(let limit): return Self.number(answer) >= Double(limit)
        case .atMost(let limit): return Self.number(answer) <= Double(limit)
        }
    }

    private static func number(_ answer: JSONText) -> Double {
        if case .number(let value) = answer { value } else { 0 }
    }
}
