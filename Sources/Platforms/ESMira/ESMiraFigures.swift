// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// What a chart needs of one variable: computed from the participant's answers, as by the app's
/// `ObservedVariable.createStatistic`, or read from what the server says of all participants'
/// (`statistics.php`). Of `days`, `counts` and `values` one is filled, as the chart's data wants.
struct ESMiraFigures: Sendable, Equatable {
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

    /// From the participant's own datasets. A text that is not a number counts as 0, as in the app.
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

    /// From an entry of the server's answer. `storageType` 0: sums by day, whose key is in seconds since
    /// 1970; 1: how often each value came; 2: every value by its position.
    init(_ entry: JSONNode) {
        guard case .object(let members)? = entry["data"]?.content else { return }
        for member in members.prefix(100_000) {
            switch (ESMiraServer.number(entry["storageType"]), Int(member.key)) {
            case (0, let second?):
                let day = Day(
                    sum: member.value["sum"]?.decimal ?? 0, count: Self.count(member.value["count"]))
                days[second / 86_400] = day
            case (1, _): counts[member.key] = Self.count(member.value)
            case (2, let place?): values[place] = member.value.decimal ?? 0
            default: break
            }
        }
    }

    /// Clamped, so that sums cannot overflow whatever the server says.
    private static func count(_ node: JSONNode?) -> Int {
        min(max(ESMiraServer.number(node) ?? 0, 0), 1_000_000_000)
    }

    /// The server's figures by the variable's name. Each has a list, into which
    /// `ESMiraChart.Variable.place` points. PHP writes an empty object as a list, so that is no error.
    static func read(_ dataset: JSONNode) -> [String: [ESMiraFigures]] {
        guard case .object(let members) = dataset.content else { return [:] }
        return members.prefix(10_000).reduce(into: [:]) { all, member in
            if case .array(let entries) = member.value.content { all[member.key] = entries.map(ESMiraFigures.init) }
        }
    }
}

/// A submitted questionnaire of the participant, as charts look at it.
struct ESMiraSet: Sendable {
    /// Days since 1970 by the local calendar.
    let day: Int
    /// The answers, as they are sent.
    let fields: [String: String]
    /// Metadata that conditions may name, such as `group`; it goes before an answer of the same name.
    let known: [String: String]

    /// Whether it counts for the variable, by the app's `ObservedVariable.checkCondition`. Numbers
    /// are compared as numbers.
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
