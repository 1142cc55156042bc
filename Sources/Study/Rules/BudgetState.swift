// SPDX-License-Identifier: Apache-2.0
import Base

/// How far a rule's budget has come, as the log has it with each decision; `RuleTrack` goes on from it.
package struct BudgetState: LoggedRecord {
    /// Days since 1970-01-01 of the local date.
    package private(set) var day: Int
    /// The sum of probabilities that the day may have.
    package private(set) var allowance: Double
    package private(set) var spent = 0.0
    /// How many available points the day is expected to have.
    package private(set) var expected: Double
    /// How many it has had so far.
    package private(set) var seen = 0

    package init(_ budget: RuleBudget, day: LocalDate) {
        (self.day, allowance, expected) = (day.daysSinceEpoch, budget.perDay, budget.expected)
    }

    /// Begins a new day where `date` is later than `day`; what the last day left over is added. A date one
    /// day earlier, as after a journey west, belongs to the present day; an even earlier one comes from a
    /// clock that was wrong, and days are counted from there.
    mutating func beginDay(_ date: LocalDate, _ budget: RuleBudget) {
        guard date.daysSinceEpoch > day else {
            if date.daysSinceEpoch < day - 1 { day = date.daysSinceEpoch }
            return
        }
        let left = allowance - spent
        allowance = min(2 * budget.perDay, max(0, budget.perDay + left))
        expected = max(1, (1 - budget.decay) * expected + budget.decay * Double(seen))
        (day, spent, seen) = (date.daysSinceEpoch, 0, 0)
    }

    /// The probability of the next point; `share` is the part of the day that is left, 0...1.
    func probability(share: Double) -> Double {
        let wanted = (allowance - spent) / (1 + expected * share)
        return min(RuleBudget.bounds.upperBound, max(RuleBudget.bounds.lowerBound, wanted))
    }

    mutating func spend(_ probability: Double) {
        spent += probability
        seen += 1
    }
}
