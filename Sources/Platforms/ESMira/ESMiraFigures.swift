// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// Figures of variables, as the app keeps them of the participant's answers
/// (`ObservedVariable.createStatistic`) and as the server gives them of all participants'
/// (`statistics.php`).
struct ESMiraFigures: Sendable, Equatable {
    /// Of one day.
    struct Day: Sendable, Equatable {
        var sum = 0.0
        var count = 0
    }

    /// By days since 1970: the participant's are of the local calendar, the server's of UTC.
    var days: [Int: Day] = [:]
    /// How often each value came.
    var counts: [String: Int] = [:]
    /// Every value, by its position among all of them.
    var values: [Int: Double] = [:]

    /// Of the participant's own datasets. What is no number counts as 0, as in the app.
    init(_ variable: ESMiraChart.Variable, _ data: ESMiraChart.Data, _ sets: [ESMiraSet]) {
        for set in sets {
            guard let text = set.fields[variable.name], set.fits(variable) else { continue }
            let number = Double(text).flatMap { $0.isFinite ? $0 : nil } ?? 0
            switch data {
            case .daily, .sum:
                days[set.day, default: Day()].sum += number
                days[set.day, default: Day()].count += 1
            case .frequency: counts[text, default: 0] += 1
            case .pairs: values[values.count] = number
            }
        }
    }

    /// An entry of the server's answer: `storageType` 0 days, 1 values, 2 all values.
    init(_ entry: JSONNode) {
        guard case .object(let members)? = entry["data"]?.content else { return }
        for member in members.prefix(100_000) {
            switch (ESMiraServer.number(entry["storageType"]), Int(member.key)) {
            case (0, let second?):
                let day = Day(
                    sum: Self.decimal(member.value["sum"]) ?? 0, count: Self.count(member.value["count"]))
                days[second / 86_400] = day
            case (1, _): counts[member.key] = Self.count(member.value)
            case (2, let place?): values[place] = Self.decimal(member.value) ?? 0
            default: break
            }
        }
    }

    /// No more than can be added up, whatever the server says.
    private static func count(_ node: JSONNode?) -> Int {
        min(max(ESMiraServer.number(node) ?? 0, 0), 1_000_000_000)
    }

    private static func decimal(_ node: JSONNode?) -> Double? {
        switch node?.content {
        case .number(let text), .string(let text): Double(text).flatMap { $0.isFinite ? $0 : nil }
        default: nil
        }
    }

    /// What the server gave, by name and place; a list of one entry for each way in which a
    /// variable is kept. PHP writes an empty object as a list.
    static func read(_ dataset: JSONNode) -> [String: [ESMiraFigures]] {
        guard case .object(let members) = dataset.content else { return [:] }
        return members.prefix(10_000).reduce(into: [:]) { all, member in
            if case .array(let entries) = member.value.content { all[member.key] = entries.map(ESMiraFigures.init) }
        }
    }
}

/// A dataset of the participant's, as charts look at it.
struct ESMiraSet: Sendable {
    /// Days since 1970 by the local calendar.
    let day: Int
    /// As on the wire.
    let fields: [String: String]
    /// What else is known of it.
    let known: [String: String]

    /// `ObservedVariable.checkCondition`: numbers are compared as numbers, and with
    /// "or" one must hold.
    func fits(_ variable: ESMiraChart.Variable) -> Bool {
        guard variable.conditionType != 0 else { return true }
        let isOr = variable.conditionType == 2
        for condition in variable.conditions {
            let holds = Self.holds(condition, known[condition.key] ?? fields[condition.key] ?? "")
            if holds, isOr { return true }
            if !holds, !isOr { return false }
        }
        return !isOr
    }

    private static func holds(_ condition: ESMiraChart.Variable.Condition, _ text: String) -> Bool {
        let (left, right) = (Double(text), Double(condition.value))
        let isEqual = if let left, let right { left == right } else { text == condition.value }
        return switch condition.comparison {
        case 0: isEqual
        case 1: !isEqual
        case 2: (left ?? 0) >= (right ?? 0)
        default: (left ?? 0) <= (right ?? 0)
        }
    }
}
