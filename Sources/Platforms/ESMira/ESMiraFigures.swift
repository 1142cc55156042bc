// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// What a chart needs of one variable, for `ESMiraDrawings`: computed from the participant's answers, as by the
/// app's `ObservedVariable.createStatistic`, or read from what the server says of all participants'
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
    init(_ variable: ESMiraChart.Variable, _ data: ESMiraChart.Data, _ sets: [ESMiraDataset]) {
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
    /// `ESMiraChart.Variable.index` points. PHP writes an empty object as a list, so that is no error.
    static func read(_ dataset: JSONNode) -> [String: [ESMiraFigures]] {
        guard case .object(let members) = dataset.content else { return [:] }
        return members.prefix(10_000).reduce(into: [:]) { all, member in
            if case .array(let entries) = member.value.content { all[member.key] = entries.map(ESMiraFigures.init) }
        }
    }
}
