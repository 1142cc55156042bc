// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// Draws the charts of a study as `ChartBuilder.kt` of the app does (ESMira-apps f750e58), except that days are
/// those of the local calendar. `studyd history` calls it.
struct ESMiraDrawings: StudyDrawings {
    /// Charts of the participant's answers, in which those of others may be drawn as well.
    let personal: [ESMiraChart]
    /// Charts of all participants' answers.
    let shared: [ESMiraChart]
    let study: ESMiraStudy
    /// By the keys of their tasks.
    let questionnaires: [String: ESMiraQuestionnaire]

    var wantsPublic: Bool { !shared.isEmpty || personal.contains { !$0.others.isEmpty } }

    /// Figures (values by day, counts by answer) of one side: the participant's, or all participants'.
    private struct Source {
        var figures: [ESMiraChart.Variable: ESMiraFigures] = [:]

        /// From the first to the last day on which there is anything, ten years at most.
        var days: ClosedRange<Int>? {
            let all = figures.values.flatMap(\.days.keys)
            guard let first = all.min(), let last = all.max() else { return nil }
            return first...min(last, first + 3_660)
        }
    }

    /// `others` is the server's answer about all participants; nil = it was not asked.
    func drawings(
        of runs: [DoneRun], others: [UInt8]?, in context: ScheduleContext, isOver: Bool
    ) -> [StudyDrawing] {
        let sets = runs.compactMap { set($0, in: context) }
        var own = Source()
        for chart in personal {
            for variable in chart.own.flatMap({ [$0.y, $0.x] }) where own.figures[variable] == nil {
                own.figures[variable] = ESMiraFigures(variable, chart.data, sets)
            }
        }
        let given = others.flatMap { answer -> [String: [ESMiraFigures]]? in
            if case .dataset(let dataset) = ESMiraAnswer(answer) { ESMiraFigures.read(dataset) } else { nil }
        }
        var all = Source()
        for variable in (shared.flatMap(\.own) + personal.flatMap(\.others)).flatMap({ [$0.y, $0.x] }) {
            let entries = given?[variable.name] ?? []
            if entries.indices.contains(variable.index) { all.figures[variable] = entries[variable.index] }
        }
        let group = study.group(context.enrolment.condition)
        func isShown(_ chart: ESMiraChart) -> Bool { chart.group == 0 || chart.group == group }
        func drawing(_ chart: ESMiraChart, isPublic: Bool) -> StudyDrawing {
            self.drawing(
                chart, own: isPublic ? all : own, others: isPublic ? Source() : all, isPublic: isPublic,
                isOver: isOver, isAnswered: given != nil)
        }
        return personal.filter(isShown).map { drawing($0, isPublic: false) }
            + shared.filter(isShown).map { drawing($0, isPublic: true) }
    }

    /// A finished run as the dataset that the app would have stored; nil for a task without a questionnaire.
    private func set(_ run: DoneRun, in context: ScheduleContext) -> ESMiraDataset? {
        guard let questionnaire = questionnaires[run.task] else { return nil }
        let period = context.zone.period(at: run.submitted)
        let known = [
            "studyVersion": String(study.version), "studyLang": study.language,
            "group": String(study.group(context.enrolment.condition)), "timezone": period.abbreviation,
            "responseTime": String(run.submitted.milliseconds), "appType": ESMiraWire.appType,
        ]
        var fields = Dictionary(questionnaire.fields(run.answers).map { ($0.name, $0.value) }) { $1 }
        if let began = run.began {
            fields[ESMiraQuestionnaire.durationKey] = String(run.submitted.milliseconds - began.milliseconds)
        }
        return ESMiraDataset(
            day: context.zone.local(run.submitted).date.daysSinceEpoch, fields: fields, known: known)
    }

    /// `own` holds the figures that `chart.own` shows: those of all participants where `isPublic`.
    private func drawing(
        _ chart: ESMiraChart, own: Source, others: Source, isPublic: Bool, isOver: Bool, isAnswered: Bool
    ) -> StudyDrawing {
        var remark: String?
        if chart.isHiddenMeanwhile, !isOver {
            remark = "visible when the study is finished"
        } else if isPublic || !chart.others.isEmpty, !isAnswered {
            remark = "the server was not asked what others answered, or did not say"
        }
        let isHidden = chart.isHiddenMeanwhile && !isOver
        var rows: [StudyDrawing.Row] = []
        if !isHidden {
            let words = words(chart, own, others)
            // A pie has no place for others.
            let shown = chart.kind == .pie ? [] : chart.others
            // What others answered is drawn on the participant's own days (`ChartBuilder.addPublicData`).
            let days = own.days ?? others.days
            rows = shown.map { row(chart, $0, others, words, days, isPublic: true) }
            rows += chart.own.map { row(chart, $0, own, words, days, isPublic: isPublic) }
        }
        return StudyDrawing(
            kind: chart.kind, title: chart.title, blurb: chart.blurb, axes: chart.names,
            minimum: chart.data == .pairs ? nil : chart.minimum,
            maximum: chart.maximum == 0 ? nil : chart.maximum, isPercent: chart.isPercent, rows: rows, remark: remark)
    }

    /// The x axis of a `frequency` chart: all whole numbers of the range, or the values that occurred,
    /// sorted. Empty answers are left out.
    private func words(_ chart: ESMiraChart, _ own: Source, _ others: Source) -> [String] {
        guard chart.data == .frequency else { return [] }
        let counted =
            chart.own.compactMap { own.figures[$0.y]?.counts.keys }
            + chart.others.compactMap { others.figures[$0.y]?.counts.keys }
        let found = Set(counted.flatMap { $0 }).subtracting([""])
        guard chart.isNumberRange else {
            return found.sorted { first, second in
                if let first = Int(first), let second = Int(second) { first < second } else { first < second }
            }
        }
        let numbers = found.compactMap { Double($0) }.filter { abs($0) < 1_000_000 }
        // The app starts its maximum at the smallest number above 0, so a range of negative numbers extends
        // to 0 (`ChartBuilder.setMinMaxForFreqDistr`).
        guard let least = numbers.min(), let most = numbers.max().map({ max($0, 0) }) else { return [] }
        return (Int(least)...min(Int(most), Int(least) + 10_000)).map(String.init)
    }

    private func row(
        _ chart: ESMiraChart, _ axis: ESMiraChart.Axis, _ source: Source, _ words: [String],
        _ days: ClosedRange<Int>?, isPublic: Bool
    ) -> StudyDrawing.Row {
        let points = points(chart, axis, source, words, days).map { point in
            let isMarked = !isPublic && axis.threshold.map { point.y >= $0.value } ?? false
            return StudyDrawing.Point(
                x: point.x, y: point.y, label: point.label, color: isMarked ? axis.threshold?.color : nil)
        }
        let trend = chart.kind == .dots ? Self.trend(points, leastFit: chart.leastFit) : []
        return StudyDrawing.Row(
            label: axis.label, color: axis.color, isPublic: isPublic, points: points, trend: trend)
    }

    private func points(
        _ chart: ESMiraChart, _ axis: ESMiraChart.Axis, _ source: Source, _ words: [String], _ days: ClosedRange<Int>?
    ) -> [(x: Double, y: Double, label: String)] {
        let figures = source.figures[axis.y]
        switch chart.data {
        case .daily:
            guard let figures, !figures.days.isEmpty, let days else { return [] }
            return days.map { day in
                (
                    Double(day - days.lowerBound), Self.value(figures.days[day] ?? .init(), chart.value),
                    "\(LocalDate(daysSinceEpoch: day))"
                )
            }
        case .sum:
            let total = (figures?.days.values.map { $0 } ?? []).reduce(into: ESMiraFigures.Day()) {
                $0.sum += $1.sum
                $0.count += $1.count
            }
            return [(0, Self.value(total, chart.value), "")]
        case .frequency:
            guard let figures else { return [] }
            let all = words.reduce(0) { $0 + (figures.counts[$1] ?? 0) }
            return words.enumerated().map { place, word in
                let count = Double(figures.counts[word] ?? 0)
                return (Double(place), chart.isPercent ? (all > 0 ? 100 * count / Double(all) : 0) : count, word)
            }
        case .pairs:
            // Values of x and y that have the same position belong together.
            let heights = figures?.values ?? [:]
            let pairs = (source.figures[axis.x]?.values ?? [:]).sorted { $0.key < $1.key }.map {
                ($0.value, heights[$0.key] ?? 0)
            }
            return pairs.sorted { $0.0 < $1.0 }.map { ($0.0, $0.1, "") }
        }
    }

    private static func value(_ day: ESMiraFigures.Day, _ value: ESMiraChart.Value) -> Double {
        switch value {
        case .mean: day.count > 0 ? day.sum / Double(day.count) : 0
        case .sum: day.sum
        case .count: Double(day.count)
        }
    }

    /// The line of least squares, where it explains more than this percentage
    /// (`ScatterChartBuilder.createLinearRegression`).
    private static func trend(_ points: [StudyDrawing.Point], leastFit: Double) -> [StudyDrawing.Point] {
        let n = Double(points.count)
        guard points.count >= 2, let least = points.map(\.x).min(), let most = points.map(\.x).max() else { return [] }
        func sum(_ part: (StudyDrawing.Point) -> Double) -> Double { points.reduce(0) { $0 + part($1) } }
        let (x, y, xy, xx, yy) = (sum(\.x), sum(\.y), sum { $0.x * $0.y }, sum { $0.x * $0.x }, sum { $0.y * $0.y })
        let spread = n * xx - x * x
        let fit = (n * xy - x * y) / (spread * (n * yy - y * y)).squareRoot()
        guard fit.isFinite, fit * fit * 100 > leastFit else { return [] }
        let slope = (n * xy - x * y) / spread
        let foot = (y - slope * x) / n
        return [least, most].map { .init(x: $0, y: foot + slope * $0, label: "") }
    }
}
