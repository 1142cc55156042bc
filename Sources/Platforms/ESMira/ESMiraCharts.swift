// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// A chart as the study has it (`ChartInfo.kt`, ESMira-apps f750e58), of the participant's answers
/// or of all participants'.
struct ESMiraChart: Sendable {
    /// What is shown: a value for each day, how often each answer came, one total of all days, or
    /// two variables against each other. Raw values are the file's `dataType`.
    enum Data: Int, Sendable { case daily, frequency, sum, pairs }
    /// How the answers of a day, or of all days, become one value: the file's `valueType`.
    enum Value: Int, Sendable { case mean, sum, count }

    /// A variable, and which answers count.
    struct Variable: Sendable, Hashable {
        let name: String
        /// Index in the list of figures that the server gives for this variable; -1 = it has none.
        let place: Int
        let conditions: [Condition]
        /// 0 = every answer counts, 1 = all conditions must hold, 2 = one of them.
        let conditionType: Int

        /// Something that another answer, or what is known of the dataset, must be.
        struct Condition: Sendable, Hashable {
            let key: String
            let value: String
            /// 0 equal, 1 unequal, 2 at least, 3 at most.
            let comparison: Int
        }
    }

    /// One line, series of bars or set of dots, drawn in one colour.
    struct Axis: Sendable {
        let y: Variable
        let x: Variable
        let label: String
        let color: String
        /// From this value on another colour is used; nil = never.
        let threshold: (value: Double, color: String)?
    }

    let title: String
    let blurb: String
    let kind: StudyDrawing.Kind
    let data: Data
    let value: Value
    /// Labels of the two axes.
    let names: (x: String, y: String)
    /// Where the y axis begins; not used for `pairs`.
    let minimum: Double
    /// Where the y axis ends; 0 = at the greatest value drawn.
    let maximum: Double
    let isPercent: Bool
    /// For `frequency`: the x axis has every whole number between the least and the greatest answer.
    let isNumberRange: Bool
    /// A regression line is drawn through dots if it explains more than this percentage of the variance.
    let leastFit: Double
    /// Nothing is drawn until the study is over for the participant.
    let isHiddenMeanwhile: Bool
    /// 0 = for all groups.
    let group: Int
    /// Axes of the participant's answers in a personal chart, of all participants' answers in a public one.
    let own: [Axis]
    /// Axes of all participants' answers, drawn into a personal chart.
    let others: [Axis]
}

/// Reads the charts of a study. `ESMiraDecoder` calls `charts` for each of the two keys, then takes
/// `findings` back.
struct ESMiraChartReader {
    private let root: JSONPlace
    private let language: String
    /// Names of everything that is sent with an answer.
    private let columns: Set<String>
    private(set) var findings: Findings
    /// `Variable.place` where the file does not give it. A study saved by the server has every place, and
    /// a list `observedVariables`: there an absent one is -1. The editor's download has no such list and
    /// omits the default, 0.
    private var usualPlace = -1

    init(_ root: JSONPlace, language: String, columns: Set<String>, findings: Findings) {
        self.root = root
        self.language = language
        self.columns = columns
        self.findings = findings
    }

    /// The charts under the key `personalStatistics` or `publicStatistics` that the app would show.
    mutating func charts(_ statistics: String) -> [ESMiraChart] {
        guard let place = root.member(statistics), place.isObject else { return [] }
        usualPlace = place.member("observedVariables") == nil ? 0 : -1
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
            return ESMiraChart.Variable(name: "", place: -1, conditions: [], conditionType: 0)
        }
        let conditions = findings.list("conditions", of: "conditions", in: place).map { condition in
            ESMiraChart.Variable.Condition(
                key: findings.text("key", in: condition),
                value: condition.member("value").flatMap { $0.text ?? $0.shown } ?? "",
                comparison: findings.number("operator", 0...3, in: condition, default: 0))
        }
        return ESMiraChart.Variable(
            name: findings.text("variableName", in: place),
            place: findings.number("observedVariableIndex", -1...1_000_000, in: place, default: usualPlace),
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
