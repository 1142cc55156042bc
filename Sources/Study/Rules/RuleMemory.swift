// SPDX-License-Identifier: Apache-2.0
import Base

/// What the log has of an enrolment's decisions, from which `RuleEngine` goes on after a restart.
package struct RuleMemory: Sendable {
    package struct Rule: Sendable {
        package let last: DecisionRecord
        /// After the last decision that was not `missed`; nil without a budget.
        package let budget: BudgetState?

        package init(last: DecisionRecord, budget: BudgetState?) { (self.last, self.budget) = (last, budget) }
    }

    /// A decision point whose outcome was not measured yet.
    package struct Pending: Sendable {
        package let rule: String
        package let index: Int
        package let due: Instant

        package init(rule: String, index: Int, due: Instant) {
            (self.rule, self.index, self.due) = (rule, index, due)
        }
    }

    /// A zone in which the wall clock was before, and the last moment at which the device is known to have been on
    /// in it.
    package struct Stay: Sendable {
        package let zone: Zone
        package var until: Instant

        package init(zone: Zone, until: Instant) { (self.zone, self.until) = (zone, until) }
    }

    package var rules: [String: Rule] = [:]
    package var pending: [Pending] = []
    /// Oldest first.
    package var stays: [Stay] = []
    /// When a prompt was given out last.
    package var lastPrompt: Instant?

    package init() {}
}
