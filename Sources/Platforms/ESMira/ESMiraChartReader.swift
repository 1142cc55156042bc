// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// Reads the charts of a study. `ESMiraDecoder` calls `charts` for each of the two keys, then takes
/// `findings` back.
struct ESMiraChartReader {
    private let root: JSONPlace
    private let language: String
    /// Names of everything that is sent with an answer.
    private let columns: Set<String>
    private(set) var findings: Findings
    /// `Variable.index` where the file does not give it. A study saved by the server has every one, and
    /// a list `observedVariables`: there an absent one is -1. The editor's download has no such list and
    /// omits the default, 0.
    private var usualIndex = -1

    init(_ root: JSONPlace, language: String, columns: Set<String>, findings: Findings) {
        self.root = root
        self.language = language
        self.columns = columns
        self.findings = findings
    }

    /// The charts under the key `personalStatistics` or `publicStatistics` that the app would show.
    mutating func charts(_ statistics: String) -> [ESMiraChart] {
        guard let place = root.member(statistics), place.isObject else { return [] }
        usualIndex = place.member("observedVariables") == nil ? 0 : -1
        let isTranslated = (root.member("langCodes")?.elements?.count ?? 0) > 1
        return findings.list("charts", of: "charts", in: place).compactMap { chart in
            let only = findings.text("showOnlyLang", in: chart)
            guard !findings.flag("hideOnClient", in: chart), only.isEmpty || only == language || !isTranslated else {
                return nil
            }
            return self.chart(chart)
        }
    }

    private mutating func chart(_ place: JSONPlace) -> ESMiraChart {
        let kinds: [StudyDrawing.Kind] = [.line, .area, .bars, .dots, .pie]
        let showsOthers = findings.flag("displayPublicVariable", in: place)
        return ESMiraChart(
            title: findings.plain("title", in: place), blurb: findings.plain("chartDescription", in: place),
            kind: kinds[findings.number("chartType", 0...4, in: place, default: 0)],
            data: ESMiraChart.Data(rawValue: findings.number("dataType", 0...3, in: place, default: 0)) ?? .daily,
            value: ESMiraChart.Value(rawValue: findings.number("valueType", 0...2, in: place, default: 0)) ?? .mean,
            names: (findings.plain("xAxisLabel", in: place), findings.plain("yAxisLabel", in: place)),
            minimum: findings.decimal("minYValue", in: place), maximum: findings.decimal("maxYValue", in: place),
            isPercent: findings.flag("inPercent", in: place),
            isNumberRange: findings.flag("xAxisIsNumberRange", in: place),
            leastFit: findings.decimal("fitToShowLinearProgression", in: place),
            isHiddenMeanwhile: findings.flag("hideUntilCompletion", in: place),
            group: findings.number("showOnlyGroup", 0...1_000, in: place, default: 0),
            own: findings.list("axisContainer", of: "axes", in: place).map { axis($0) },
            others: showsOthers ? findings.list("publicVariables", of: "axes", in: place).map { axis($0) } : [])
    }

    private mutating func axis(_ place: JSONPlace) -> ESMiraChart.Axis {
        let y = variable(place.member("yAxis"))
        if !columns.contains(String(y.name.prefix { $0 != "~" })) {
            findings.unsupported("the chart shows '\(y.name)', which is not asked here", at: place)
        }
        let label = findings.plain("label", in: place)
        let isMarked =
            findings.flag("useThreshold", in: place) && findings.flag("useThresholdOnClient", in: place, default: true)
        return ESMiraChart.Axis(
            y: y, x: variable(place.member("xAxis")), label: label.isEmpty ? y.name : label,
            color: color("color", in: place, usual: "#00bbff"),
            threshold: isMarked
                ? (findings.decimal("threshold", in: place), color("thresholdColor", in: place, usual: "#dc4e9d")) : nil
        )
    }

    private mutating func variable(_ place: JSONPlace?) -> ESMiraChart.Variable {
        guard let place, place.isObject else {
            return ESMiraChart.Variable(name: "", index: -1, conditions: [], conditionType: 0)
        }
        let conditions = findings.list("conditions", of: "conditions", in: place).map { condition in
            ESMiraChart.Variable.Condition(
                key: findings.text("key", in: condition),
                value: condition.member("value").flatMap { $0.text ?? $0.shown } ?? "",
                comparison: findings.number("operator", 0...3, in: condition, default: 0))
        }
        return ESMiraChart.Variable(
            name: findings.text("variableName", in: place),
            index: findings.number("observedVariableIndex", -1...1_000_000, in: place, default: usualIndex),
            conditions: conditions,
            conditionType: findings.number("conditionType", 0...2, in: place, default: 0))
    }

    /// Only `#rrggbb` gets into a drawing; anything else becomes the usual colour.
    private mutating func color(_ key: String, in place: JSONPlace, usual: String) -> String {
        let text = findings.text(key, in: place)
        let digits = text.dropFirst()
        guard text.hasPrefix("#"), digits.count == 6, digits.allSatisfy({ $0.isASCII && $0.isHexDigit })
        else { return usual }
        return text
    }
}
