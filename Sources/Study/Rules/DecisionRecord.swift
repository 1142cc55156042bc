// SPDX-License-Identifier: Apache-2.0
import Base

/// A decision of `RuleEngine` as the log has it (`StudyEvent.decided`): `docs/rules.md` describes each member.
package struct DecisionRecord: LoggedRecord {
    package enum Result: String, LoggedRecord, CaseIterable {
        case treated, control, unavailable, missed
    }

    package let rule: String
    /// From 1, one more with each decision of the rule.
    package let index: Int
    package let task: String
    package let due: Instant
    /// When it was decided, at or after `due`.
    package let at: Instant
    /// The wall clock's time at `due`; for a rule with `at`, the time of day in the file, also where a change
    /// of offset skips it.
    package let local: LocalDateTime
    package let result: Result
    /// Only an available point has a probability, a label and a draw.
    package let available: Bool
    /// `DecisionReason`s why it is not available or was missed.
    package let reasons: [String]
    /// By feature, as of `due`; nil in a missed point.
    package let state: [String: FeatureReading]?
    package let probability: Double?
    /// The label of the draw's generator (`Chance.generator`).
    package let label: String?
    /// 0..<1; below `probability` = treated.
    package let draw: Double?
    /// Before this point; nil in a missed point and without a budget.
    package let budget: BudgetState?
    /// The feature that is measured after the point; nil = none.
    package let outcome: String?
    /// The digest of the file of rules.
    package let rules: String

    /// The budget after this point; nil without one.
    package var budgetAfter: BudgetState? {
        guard var budget else { return nil }
        if let probability { budget.spend(probability) }
        return budget
    }
    /// The id of the prompt that a treated point raises.
    package var occurrence: String { Self.occurrence(task, rule, index) }

    static func occurrence(_ task: String, _ rule: String, _ index: Int) -> String { "\(task)/rule.\(rule).\(index)" }
}
