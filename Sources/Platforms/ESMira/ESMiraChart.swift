// SPDX-License-Identifier: Apache-2.0
import Study

/// A chart as the study has it (`ChartInfo.kt`, ESMira-apps f750e58), of the participant's answers or of all
/// participants'. `ESMiraChartReader` reads it, and `ESMiraDrawings` draws it.
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
        let index: Int
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
    /// Values are shown with %; for `frequency` they are shares of all answers in per cent.
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
