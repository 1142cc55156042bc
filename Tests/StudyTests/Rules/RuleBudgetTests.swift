// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Study

@Suite struct RuleBudgetTests {
    /// Treatments a day over a year, where a share of points is available.
    private static func perDay(_ points: String, budget: Double, available: Double, every minutes: Int64) throws -> (
        drawn: Double, expected: Double
    ) {
        let text =
            RuleSample.move
            + "[rule.r]\ntask = \"a\"\n\(points)\nquiet = [\"22:00-08:00\"]\nbudget = { per_day = \(budget), decay = 0.3 }\navailable = [\"no run open\"]\n"
        var bench = try RuleBench(text)
        var generator = SplitMix64(seed: 5)
        let days = 365
        for _ in 0..<(Int64(days) * 1440 / minutes) {
            bench.isRunOpen = generator.unit() >= available
            bench.pass(minutes * 60)
            if points.contains("button") { bench.send(.marked("x")) }
        }
        let treated = bench.decisions.count { $0.result == .treated }
        let spent = bench.decisions.compactMap(\.probability).reduce(0, +)
        #expect(bench.decisions.compactMap(\.probability).allSatisfy { (0.05...0.95).contains($0) })
        return (Double(treated) / Double(days), spent / Double(days))
    }

    /// The sum of probabilities is what the trial asked for; what was drawn scatters around it.
    @Test(arguments: [
        ("every = \"30m\"", 1.5, 1.0, Int64(30)), ("every = \"30m\"", 1.5, 0.6, 30), ("every = \"30m\"", 4, 0.3, 30),
        ("every = \"1h\"", 3, 0.8, 60), ("at = [\"09:00\", \"12:00\", \"15:00\", \"18:00\", \"21:00\"]", 2, 0.7, 60),
        ("event = \"button\"\nrearm = \"45m\"", 1.5, 0.5, 45), ("event = \"button\"\nrearm = \"30m\"", 2, 0.9, 120),
    ])
    func aBudgetIsKeptWithinFivePercent(points: String, budget: Double, available: Double, minutes: Int64) throws {
        let (drawn, expected) = try Self.perDay(points, budget: budget, available: available, every: minutes)
        #expect(abs(expected / budget - 1) <= 0.05, "\(expected) a day")
        // Four standard deviations of a sum of independent draws.
        #expect(abs(drawn - expected) <= 4 * (expected / 365).squareRoot(), "\(drawn) drawn, \(expected) expected")
    }

    /// One point an hour, 24 a day, from 11:00 on; the one at 12:00 is not available, that at 14:00 is missed.
    /// p = (allowance − spent) ÷ (1 + expected × share of the day that is left), of docs/rules.md.
    @Test func aDecisionHasTheBudgetThatItFound() throws {
        var bench = try RuleBench(
            "[rule.r]\ntask = \"a\"\nevery = \"1h\"\nbudget = { per_day = 3 }\navailable = [\"no run open\"]\n")
        for isRunOpen in [false, true, false] {
            bench.isRunOpen = isRunOpen
            bench.pass(3600)
        }
        bench.pass(2 * 3600)
        bench.pass(0)
        #expect(bench.lines.map { $0.prefix(5) } == ["11:00", "12:00", "13:00", "14:00", "15:00"])
        let spent = bench.decisions.compactMap(\.probability)
        try #require(spent.count == 3)
        let (first, second) = (3.0 / (1 + 13), (3 - 3.0 / 14) / (1 + 11))
        for (found, wanted) in zip(spent, [first, second, (3 - first - second) / (1 + 9)]) {
            #expect(abs(found - wanted) < 1e-12)
        }
        let budgets = bench.decisions.map(\.budget)
        #expect(budgets.map { $0?.spent } == [0, spent[0], spent[0], nil, spent[0] + spent[1]])
        #expect(budgets.map { $0?.seen } == [0, 1, 1, nil, 2])
        for budget in budgets.compactMap(\.self) {
            #expect((budget.day, budget.allowance, budget.expected) == (20_514, 3, 24), "2 March 2026")
        }
    }

    @Test func aDayHandsOverWhatItHasLeftAndNoMoreThanItself() {
        let terms = RuleBudget(perDay: 1.5, decay: 0.5, expected: 10)
        var state = BudgetState(terms, day: LocalDate(daysSinceEpoch: 100))
        #expect(state.probability(share: 1) == 1.5 / 11)
        state.spend(0.5)
        state.beginDay(LocalDate(daysSinceEpoch: 100), terms)
        #expect(state.spent == 0.5, "the same day")
        state.beginDay(LocalDate(daysSinceEpoch: 99), terms)
        #expect(state.spent == 0.5, "a journey west")
        state.beginDay(LocalDate(daysSinceEpoch: 100), terms)
        #expect((state.day, state.spent) == (100, 0.5), "after which the day comes again")
        state.beginDay(LocalDate(daysSinceEpoch: 103), terms)
        #expect((state.allowance, state.spent, state.seen, state.expected) == (2.5, 0, 0, 5.5))
        state.beginDay(LocalDate(daysSinceEpoch: 104), terms)
        #expect(state.allowance == 3, "never more than twice")
        state.spend(3)
        state.beginDay(LocalDate(daysSinceEpoch: 102), terms)
        #expect((state.day, state.spent) == (102, 3), "a clock that was ahead: the same day by another name")
        state.beginDay(LocalDate(daysSinceEpoch: 103), terms)
        #expect((state.day, state.allowance, state.spent) == (103, 1.5, 0), "the next is renewed")
    }
}
