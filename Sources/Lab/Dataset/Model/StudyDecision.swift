// SPDX-License-Identifier: Apache-2.0

/// A decision of a rule at one of its points, and its outcome: docs/rules.md describes each member.
/// `DeviceDecisions` reads it from a log; a row of `decisions.csv`.
package struct StudyDecision: Sendable, Hashable {
    /// A feature's value over a window of epochs.
    package struct Reading: Sendable, Hashable {
        /// Nil where too little was covered.
        package let value: Double?
        /// 0...1.
        package let coverage: Double?
        /// From the begin of the first epoch that counted to the end of the last one.
        package let from: StudyTime?
        package let to: StudyTime?
        /// Numbers of the recordings that it was computed from.
        package let recordings: [Int]
    }

    /// What was measured after the decision.
    package struct Outcome: Sendable, Hashable {
        package let feature: String
        package let reading: Reading
        /// Why there is no value.
        package let missing: String?
    }

    /// How far the rule's budget had come before this point.
    package struct Budget: Sendable, Hashable {
        /// Days since 1970-01-01 of the local date.
        package let day: Int
        package let allowance: Double
        package let spent: Double
        package let expected: Double
        package let seen: Int
    }

    package let enrolment: String
    package let rule: String
    /// From 1, one more with each decision of the rule.
    package let index: Int
    package let task: String
    package let due: StudyTime
    package let decided: StudyTime
    /// The day of the study; the first is that of the enrolment.
    package let day: Int?
    /// `treated`, `control`, `unavailable` or `missed`.
    package let result: String
    package let reasons: [String]
    /// Nil where the participant was not available.
    package let probability: Double?
    package let label: String?
    package let draw: Double?
    package let budget: Budget?
    /// What was measured before the decision, by feature; empty in a missed point.
    package let state: [String: Reading]
    /// Nil where none is due, or its window is not over.
    package var outcome: Outcome?
    /// The digest of the rules.
    package let rules: String

    package var isTreated: Bool { result == "treated" }
    package var isAvailable: Bool { isTreated || result == "control" }
}
