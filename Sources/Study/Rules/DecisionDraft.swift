// SPDX-License-Identifier: Apache-2.0
import Base

/// A decision of `RuleEngine` on its way to its `DecisionRecord`.
struct DecisionDraft {
    let rule: StudyRule
    let index: Int
    let due: Instant
    let at: Instant
    let local: LocalDateTime
    let rules: String
    var state: [String: FeatureReading]?
    var reasons: [String] = []
    var budget: BudgetState?
    var outcome: String?
    var probability: Double?
    var label: String?
    var draw: Double?

    func missed(_ reason: String) -> DecisionRecord {
        var draft = self
        draft.reasons = [reason]
        return draft.record(.missed)
    }

    func record(_ result: DecisionRecord.Result) -> DecisionRecord {
        DecisionRecord(
            rule: rule.name, index: index, task: rule.task, due: due, at: at, local: local, result: result,
            available: probability != nil, reasons: reasons, state: state, probability: probability, label: label,
            draw: draw, budget: budget, outcome: outcome, rules: rules)
    }
}
