// SPDX-License-Identifier: Apache-2.0
import Base

/// Reads one table `[feature.NAME]` of a file of rules, for `StudyRulesReader`.
struct RuleFeatureReader {
    private(set) var table: RuleTable
    let sensors: RuleSensors

    /// Nil where something is wrong, which `table.problems` has then.
    mutating func readFeature(named name: String) -> RuleFeature? {
        table.refuseUnknown(["from", "is", "epoch", "window", "reduce", "needs"])
        let epoch = table.readDuration("epoch", from: .seconds(1)) ?? .seconds(60)
        let window = table.readDuration("window", from: .seconds(1)) ?? epoch
        let kind = readKind()
        var found: (RuleFeature.Reduction, RuleSensors.Column)?
        if let kind {
            if let columns = kind.columns(epoch) {
                found = readReduction(among: columns)
            } else {
                table.reject("epoch", "\(epoch.text) is no length that \(kind.name) has", "use \(sensors.epochs)")
            }
        }
        if window.nanoseconds % max(1, epoch.nanoseconds) != 0 {
            table.reject("window", "\(window.text) is no multiple of the epoch, \(epoch.text)", nil)
        }
        var needs = 0.8
        if table.has("needs") {
            needs = table.number("needs") ?? 0
            if !(needs > 0 && needs <= 1) {
                table.reject("needs", "is no share above 0 and up to 1", "write e.g. 0.8")
            }
        }
        guard table.problems.isEmpty, let kind, let (reduction, column) = found else { return nil }
        return RuleFeature(
            name: name, source: kind.source, kind: kind.name, epoch: epoch, window: window, reduction: reduction,
            column: column.name, unit: column.unit, needs: needs)
    }

    private mutating func readKind() -> RuleSensors.Kind? {
        guard let name = table.requireText("is"), let source = table.requireText("from") else { return nil }
        guard let kind = sensors.kinds.first(where: { $0.name == name }) else {
            let near = Misspelling.nearest(name, in: sensors.kinds.map(\.name))
            return table.rejectValue(
                "is", "there is no feature '\(name)'",
                near.map { "did you mean '\($0)'?" } ?? "use \(sensors.kinds.map(\.name).joined(separator: ", "))")
        }
        guard kind.source == source else {
            return table.rejectValue("from", "\(name) is not made of '\(source)'", "write from = \"\(kind.source)\"")
        }
        if let present = sensors.present, !present.sources.contains(source) {
            table.reject("from", "nothing here gives '\(source)'", present.remedy)
        }
        return kind
    }

    /// `reduce = "sum-x"`: a reduction, and a column by its name or what its name ends with. The column may
    /// be left out where the feature has only one.
    private mutating func readReduction(
        among columns: [RuleSensors.Column]
    ) -> (RuleFeature.Reduction, RuleSensors.Column)? {
        let text = table.has("reduce") ? table.requireText("reduce") ?? "" : "mean"
        let parts = text.split(separator: "-", maxSplits: 1).map(String.init)
        guard let reduction = parts.first.flatMap(RuleFeature.Reduction.init) else {
            let all = RuleFeature.Reduction.allCases.map(\.rawValue).joined(separator: ", ")
            return table.rejectValue("reduce", "'\(text)' is no way to sum up a window", "begin with \(all)")
        }
        let fitting = columns.filter { parts.count < 2 || $0.name == parts[1] || $0.name.hasSuffix("_" + parts[1]) }
        guard fitting.count == 1 else {
            let ends = columns.map { $0.name.split(separator: "_").last.map(String.init) ?? $0.name }
            return table.rejectValue(
                "reduce", fitting.isEmpty ? "there is no column '\(parts[1])'" : "does not say which column",
                "use \(ends.map { "\(reduction.rawValue)-\($0)" }.joined(separator: ", "))")
        }
        return (reduction, fitting[0])
    }
}
