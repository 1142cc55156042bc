// SPDX-License-Identifier: Apache-2.0

/// Which variables a study's charts need, found as the server finds them when a study is
/// saved: each is kept once for every way in which it is stored and filtered, and the charts
/// name it by its place.
struct ESMiraObserved: Sendable {
    /// How a variable's values are kept.
    enum Storage: Int, Sendable {
        /// Sum and count of each day.
        case timed
        /// How often each value came.
        case frequency
        case perData
    }

    /// One way in which a variable is kept.
    struct Entry: Sendable {
        /// What tells it from all others, whatever its place.
        let name: String
        let key: String
        let storage: Storage
        /// Seconds.
        let interval: Int
        let conditions: [JSONValue]
        /// 0 all, 1 and, 2 or.
        let conditionType: JSONValue

        var json: JSONValue {
            .members([
                "conditions": .array(conditions), "conditionType": conditionType, "storageType": .int(storage.rawValue),
                "timeInterval": .int(interval),
            ])
        }

    }

    /// In the order of first use; the entries of a variable in theirs.
    private(set) var variables: [(key: String, entries: [Entry])] = []
    private var index: [String: Int] = [:]

    private var json: JSONValue {
        .object(variables.map { .init(name: $0.key, value: .array($0.entries.map(\.json))) })
    }

    /// Looks at an axis of a chart; gives it with the place of its variable.
    private mutating func take(_ axis: JSONValue, _ storage: Storage, interval: Int) -> JSONValue {
        guard let key = axis["variableName"]?.string, !key.isEmpty else { return axis }
        let conditions = axis["conditions"]?.array ?? []
        let marks = conditions.map { condition in
            let operation = condition["operator"].map(ESMiraValue.text) ?? "0"
            let value = ESMiraValue.text(condition["value"])
            return (condition["key"]?.string ?? "") + operation + value
        }
        let name = key + String(storage.rawValue) + String(interval) + marks.sorted().joined()
        if let place = index[name] { return axis.with("observedVariableIndex", .int(place)) }
        let entry = Entry(
            name: name, key: key, storage: storage, interval: interval, conditions: conditions,
            conditionType: axis["conditionType"] ?? .int(0))
        let place: Int
        if let known = variables.firstIndex(where: { $0.key == key }) {
            variables[known].entries.append(entry)
            place = variables[known].entries.count - 1
        } else {
            variables.append((key, [entry]))
            place = 0
        }
        index[name] = place
        return axis.with("observedVariableIndex", .int(place))
    }

    // MARK: A whole study

    /// The study with the places of its charts' variables, and what is to be kept for everybody.
    static func prepared(_ study: JSONValue) -> (study: JSONValue, shared: ESMiraObserved) {
        var shared = ESMiraObserved()
        var own = ESMiraObserved()
        var study = study
        let sharedCharts = (study["publicStatistics"]?["charts"]?.array ?? []).map { chart in
            var chart = chart
            Self.mark(&chart, "axisContainer", &shared)
            Self.markShared(&chart, &shared)
            return chart
        }
        let ownCharts = (study["personalStatistics"]?["charts"]?.array ?? []).map { chart in
            var chart = chart
            Self.mark(&chart, "axisContainer", &own)
            Self.markShared(&chart, &shared)
            return chart
        }
        for (name, charts, observed) in [
            ("publicStatistics", sharedCharts, shared), ("personalStatistics", ownCharts, own),
        ] {
            guard let statistics = study[name] else { continue }
            study = study.with(
                name, statistics.with("charts", .array(charts)).with("observedVariables", observed.json))
        }
        return (study, shared)
    }

    /// The variables that a chart shows of everybody; and how all of it is stored.
    private static func markShared(_ chart: inout JSONValue, _ shared: inout ESMiraObserved) {
        if chart["displayPublicVariable"]?.bool == true { mark(&chart, "publicVariables", &shared) }
        chart = chart.with("storageType", .int(storage(chart).rawValue))
    }

    /// Daily values and sums are kept by days, XY charts need every value.
    private static func storage(_ chart: JSONValue) -> Storage {
        switch ESMiraValue.whole(chart["dataType"]) {
        case 0, 2: .timed
        case 1: .frequency
        default: .perData
        }
    }

    private static func mark(_ chart: inout JSONValue, _ name: String, _ observed: inout ESMiraObserved) {
        guard let containers = chart[name]?.array else { return }
        let storage = storage(chart)
        let interval = storage == .timed ? 86_400 : 0
        let isXY = ESMiraValue.whole(chart["dataType"]) == 3
        var marked: [JSONValue] = []
        for var container in containers {
            if let axis = container["yAxis"] {
                container = container.with("yAxis", observed.take(axis, storage, interval: interval))
            }
            if let axis = container["xAxis"] {
                let taken =
                    isXY
                    ? observed.take(axis, storage, interval: interval)
                    : name == "axisContainer" ? axis.with("observedVariableIndex", .int(-1)) : axis
                container = container.with("xAxis", taken)
            }
            marked.append(container)
        }
        chart = chart.with(name, .array(marked))
    }
}
