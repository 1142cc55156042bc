// SPDX-License-Identifier: Apache-2.0

/// What a study gives for taking part, and for how much: ESMira's reader reads it, for `studyd reward`
/// (`ParticipantRequests`).
package struct RewardTerms: Sendable, Hashable {
    package struct Share: Sendable, Hashable {
        package let task: String
        /// Runs without which the server gives no reward at all; 0 = none are needed. `sum` does not
        /// look at it.
        package let least: Int
        /// For each run.
        package let rate: Double
        /// The most for all runs of the task; 0 = nothing is given for it.
        package let most: Double

        package init(task: String, least: Int, rate: Double, most: Double) {
            (self.task, self.least, self.rate, self.most) = (task, least, rate, most)
        }
    }

    /// A sum of money that is reckoned from what was done.
    package struct Amount: Sendable, Hashable {
        package let base: Double
        /// In all; 0 = without end.
        package let most: Double
        /// Printed behind it; may be empty.
        package let currency: String
        /// For the participant; may be empty.
        package let note: String

        package init(base: Double, most: Double, currency: String, note: String) {
            (self.base, self.most, self.currency, self.note) = (base, most, currency, note)
        }
    }

    /// It can be asked for this many calendar days after joining.
    package let afterDays: Int
    /// What to do with it, as plain text; may be empty.
    package let instructions: String
    package let amount: Amount?
    package let shares: [Share]

    package init(afterDays: Int, instructions: String, amount: Amount?, shares: [Share]) {
        (self.afterDays, self.instructions, self.amount, self.shares) = (afterDays, instructions, amount, shares)
    }

    /// The sum for these numbers of runs of each task; nil where there is none.
    package func sum(_ completed: [String: Int]) -> Double? {
        guard let amount else { return nil }
        let sum = shares.reduce(amount.base) { $0 + min(Double(completed[$1.task] ?? 0) * $1.rate, $1.most) }
        return amount.most > 0 ? min(sum, amount.most) : sum
    }
}
