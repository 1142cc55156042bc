// SPDX-License-Identifier: Apache-2.0
import Base

/// How many treatments a day a rule is to give on average, as `RuleChancesReader` reads it. docs/rules.md has
/// the formulas.
package struct RuleBudget: Sendable, Hashable {
    package let perDay: Double
    /// The weight of the last day's number of points in the number expected for the next, 0...1.
    package let decay: Double
    /// The number of available points expected on the first day.
    package let expected: Double

    /// Limits of the probability, however much of the budget is left: an analysis needs both arms at every
    /// point.
    package static let bounds = 0.05...0.95
}
