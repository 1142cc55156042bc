// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// The first value of a dataset that differs from what is recomputed, in words.
package struct ProofDifference: Error, Sendable, Hashable, CustomStringConvertible {
    package let description: String
}

/// Compares `decisions.csv` of a dataset with the log that it was made from.
struct DecisionTableCheck {
    /// Participant, enrolment, rule and number.
    typealias Key = [String]

    private typealias Row = SeparatedTable.Row
    private let table: SeparatedTable
    private let places: [(key: Key, row: Row)]
    private let byKey: [Key: Row]

    init(_ table: SeparatedTable) {
        self.table = table
        let names = ["id", "enrolment", "rule", "decision"]
        places = table.rows.map { row in (names.map { table.value($0, in: row) ?? "" }, row) }
        byKey = Dictionary(places.map { ($0.key, $0.row) }, uniquingKeysWith: { $1 })
    }

    private static func difference(_ key: Key, _ words: String) -> ProofDifference {
        ProofDifference(
            description: "\(key.first ?? ""): rule \(key.dropFirst(2).joined(separator: ", decision ")): \(words)")
    }

    /// The decisions that the log has; throws the first that differs in the table or is missing there.
    func check(
        _ rows: [LoggedEvent], of participant: String, _ enrolment: String
    ) throws(ProofDifference) -> Set<Key> {
        var outcomes: [String: OutcomeRecord] = [:]
        for row in rows where row.stamp.enrolment == enrolment {
            if case .outcomeMeasured(let one) = row.event { outcomes["\(one.rule)/\(one.index)"] = one }
        }
        var known: Set<Key> = []
        for row in rows where row.stamp.enrolment == enrolment {
            guard case .decided(let decision) = row.event else { continue }
            let key = [participant, enrolment, decision.rule, String(decision.index)]
            known.insert(key)
            guard let found = byKey[key] else {
                throw Self.difference(key, "is in the log, and not in decisions.csv")
            }
            let cells = Self.cells(decision) + Self.cells(outcomes["\(decision.rule)/\(decision.index)"])
            for cell in cells where !isSame(cell, in: found) {
                let shown = table.value(column(cell.name), in: found) ?? "empty"
                throw Self.difference(
                    key, "\(cell.name) is \(shown) in decisions.csv, and \(cell.logged) in the log")
            }
        }
        return known
    }

    /// Throws where the table has rows of which no log knows, or one twice.
    func checkNoMore(than known: Set<Key>) throws(ProofDifference) {
        var rest = known
        for (key, _) in places where rest.remove(key) == nil {
            throw Self.difference(key, "is in decisions.csv, and \(known.contains(key) ? "twice" : "not in the log")")
        }
    }

    /// A value of the log, under the name of its column.
    private struct Cell {
        let name: String
        let logged: String
        var number: Double?

        init(_ name: String, _ text: String?) { (self.name, logged) = (name, text ?? "empty") }
        init(_ name: String, _ number: Double?) {
            (self.name, self.number) = (name, number)
            logged = number.map { "\($0)" } ?? "empty"
        }
        init(_ name: String, _ time: Instant?) { self.init(name, time?.rfc3339Zulu(fractionDigits: 3)) }
    }

    private func isSame(_ cell: Cell, in row: Row) -> Bool {
        let shown = table.value(column(cell.name), in: row)
        guard let number = cell.number else { return shown ?? "empty" == cell.logged }
        return shown.flatMap { Double($0) } == number
    }

    /// A feature may be called like a column.
    private func column(_ name: String) -> String {
        table.columns.contains("feature." + name) ? "feature." + name : name
    }

    private static func cells(_ decision: DecisionRecord) -> [Cell] {
        let isDrawn = decision.probability != nil
        var cells = [
            Cell("task", decision.task), Cell("due_utc", decision.due), Cell("decided_utc", decision.at),
            Cell("result", decision.result.rawValue), Cell("available", isDrawn ? "1" : "0"),
            Cell("reasons", decision.reasons.isEmpty ? nil : decision.reasons.joined(separator: " ")),
            Cell("probability", decision.probability ?? 0),
            Cell("treatment", decision.result == .treated ? "1" : "0"), Cell("draw", decision.draw),
            Cell("budget_allowance", decision.budget?.allowance), Cell("budget_spent", decision.budget?.spent),
            Cell("rules", decision.rules),
        ]
        for (name, reading) in (decision.state ?? [:]).sorted(by: { $0.key < $1.key }) {
            cells += [
                Cell(name, reading.value), Cell("\(name)_coverage", reading.coverage),
                Cell("\(name)_from_utc", reading.from), Cell("\(name)_to_utc", reading.to),
            ]
        }
        return cells
    }

    private static func cells(_ outcome: OutcomeRecord?) -> [Cell] {
        [
            Cell("outcome", outcome?.value), Cell("outcome_observed", outcome?.value == nil ? "0" : "1"),
            Cell("outcome_missing", outcome?.missing?.rawValue), Cell("coverage", outcome?.coverage),
        ]
    }
}
