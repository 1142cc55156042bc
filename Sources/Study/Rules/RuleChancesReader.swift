// SPDX-License-Identifier: Apache-2.0
import Base

/// Reads how probable a prompt is, from `probability` or `budget` in a rule's table, for `RuleReader`.
struct RuleChancesReader {
    /// Limits of probabilities without `--extreme`: outside them one arm is too rare to be analysed.
    private static let usualProbabilities = 0.05...0.95

    /// The rule's table, to be given back to its reader with what was found to be wrong.
    private(set) var table: RuleTable
    private let features: [RuleFeature]
    private let allowsExtremes: Bool

    init(_ table: RuleTable, _ features: [RuleFeature], allowsExtremes: Bool) {
        (self.table, self.features, self.allowsExtremes) = (table, features, allowsExtremes)
    }

    /// Nil where something is wrong, which `table.problems` has then. The other keys of the rule say how many
    /// points a day can have, which its budget must fit.
    mutating func readChances(
        _ points: StudyRule.Points, rearm: Duration, _ quiet: QuietHours
    ) -> StudyRule.Chances? {
        guard table.has("probability") != table.has("budget") else {
            return table.rejectValue(
                table.has("budget") ? "budget" : "",
                table.has("budget") ? "is given together with probability" : "has no probability",
                "write either probability or budget")
        }
        if table.has("budget") {
            return readBudget(most: Self.mostPoints(points, rearm, quiet)).map { .budget($0) }
        }
        if let number = table.number("probability") {
            guard let (cause, remedy) = fault(of: number) else {
                return .table([.init(condition: nil, probability: number)])
            }
            return table.rejectValue("probability", cause, remedy)
        }
        guard let rows = table.tables("probability"), !rows.isEmpty, rows.count <= 16 else {
            return table.rejectValue(
                "probability", "is no number, and no list of 1 to 16 tables",
                "write e.g. [{ when = \"move < 500\", p = 0.6 }, { p = 0.3 }]")
        }
        return readRows(rows).map { .table($0) }
    }

    private mutating func readRows(_ tables: [RuleTable]) -> [StudyRule.Chances.Row]? {
        let rows = tables.indices.compactMap { readRow(tables[$0], isLast: $0 == tables.count - 1) }
        guard rows.count == tables.count else { return nil }
        if rows.last?.condition != nil {
            table.reject(
                "probability", "says nothing where no condition holds", "end it with a row { p = … } without when")
        }
        return rows
    }

    private mutating func readRow(_ given: RuleTable, isLast: Bool) -> StudyRule.Chances.Row? {
        var own = given
        defer { table.takeProblems(of: own) }
        own.refuseUnknown(["when", "p"])
        guard let number = own.number("p") else {
            return own.rejectValue("p", "is missing, or no number", "write e.g. p = 0.3")
        }
        let condition = own.has("when") ? own.readCondition("when", features, allowsSpans: false) : nil
        if let (cause, remedy) = fault(of: number) { return own.rejectValue("p", cause, remedy) }
        guard !own.has("when") || condition != nil else { return nil }
        if condition == nil, !isLast {
            own.reject(
                "p", "always holds: the rows after it can never be reached", "give it a when, or move it to the end")
        }
        return StudyRule.Chances.Row(condition: condition, probability: number)
    }

    /// What is wrong with a probability, and what to do; nil = nothing.
    private func fault(of number: Double) -> (cause: String, remedy: String)? {
        guard number > 0, number < 1 else {
            return ("\(number) is no probability between 0 and 1", "a point that is certain needs no draw")
        }
        guard !allowsExtremes, !Self.usualProbabilities.contains(number) else { return nil }
        return (
            "\(number) lies outside 0.05 to 0.95, where one arm is too rare to be analysed",
            "change it, or add --extreme"
        )
    }

    /// It must be within reach: every point has a probability within `RuleBudget.bounds`.
    private mutating func readBudget(most: Double) -> RuleBudget? {
        guard var own = table.table("budget") else {
            return table.rejectValue("budget", "is no table", "write { per_day = 1.5, decay = 0.3 }")
        }
        defer { table.takeProblems(of: own) }
        own.refuseUnknown(["per_day", "decay", "expect"])
        let perDay = own.number("per_day") ?? 0
        let decay = own.has("decay") ? own.number("decay") ?? -1 : 0.3
        let expected = own.has("expect") ? own.number("expect") ?? 0 : most
        guard perDay > 0, perDay <= 100 else {
            return own.rejectValue("per_day", "is no number above 0 and up to 100", "write e.g. per_day = 1.5")
        }
        guard (0...1).contains(decay) else {
            return own.rejectValue("decay", "is no number from 0 to 1", "write e.g. decay = 0.3")
        }
        guard expected >= 1, expected <= most else {
            return own.rejectValue(
                "expect", "is no number from 1 to \(Self.short(most)), the most points of a day", nil)
        }
        let bounds = RuleBudget.bounds
        // The average may miss `per_day` by 5 %.
        if most * bounds.lowerBound > 1.05 * perDay {
            return own.rejectValue(
                "per_day",
                "cannot be kept: \(Self.short(most)) points a day at 0.05 are \(Self.short(most * 0.05)), and \(Self.short(perDay)) are asked for",
                "let points come more rarely (rearm, every, quiet)")
        }
        if expected * bounds.upperBound < 0.95 * perDay {
            return own.rejectValue(
                "per_day",
                "cannot be reached: \(Self.short(expected)) points a day at 0.95 are \(Self.short(expected * 0.95))",
                "let points come more often, or lower it")
        }
        return RuleBudget(perDay: perDay, decay: decay, expected: expected)
    }

    /// The most points that a day can have.
    private static func mostPoints(_ points: StudyRule.Points, _ rearm: Duration, _ quiet: QuietHours) -> Double {
        let active = quiet.active()
        switch points {
        case .at(let times): return Double(times.count { !quiet.contains($0) })
        case .every(let period): return (Double(active) / (period.seconds * 1000)).rounded(.up)
        case .when, .event: return (Double(active) / (rearm.seconds * 1000)).rounded(.down) + 1
        }
    }

    /// With at most two digits after the point.
    private static func short(_ number: Double) -> String {
        let rounded = (number * 100).rounded() / 100
        return rounded == rounded.rounded() ? "\(Int(rounded))" : "\(rounded)"
    }
}
