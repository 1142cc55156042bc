// SPDX-License-Identifier: Apache-2.0
import Base
import Study
import SystemKit

/// The first value of a dataset that differs from what is recomputed, in words.
package struct ProofDifference: Error, Sendable, Hashable, CustomStringConvertible {
    package let description: String
}

/// Compares `decisions.csv` of a dataset with the log that it was made from. `DatasetProof` calls `check` for each
/// enrolment, then `checkNoMore`.
struct DecisionTableCheck {
    /// Participant, enrolment, rule and number.
    typealias Key = [String]

    private typealias Row = SeparatedTable.Row
    private let table: SeparatedTable
    private let places: [(key: Key, row: Row)]
    private let byKey: [Key: Row]
    /// The names of the features, and of their columns: a feature may be called like another column.
    private let features: [(name: String, column: String)]
    private static let keyNames = ["id", "enrolment", "rule", "decision"]
    /// Columns that follow from the others and from the data of time zones.
    private static let wallNames: Set = ["due_local", "decided_local", "utc_offset", "day"]

    init(_ table: SeparatedTable) {
        self.table = table
        places = table.rows.map { row in (Self.keyNames.map { table.value($0, in: row) ?? "" }, row) }
        byKey = Dictionary(places.map { ($0.key, $0.row) }, uniquingKeysWith: { $1 })
        features = table.columns.filter { table.columns.contains($0 + "_recordings") }.map { column in
            (column.hasPrefix("feature.") ? String(column.dropFirst("feature.".count)) : column, column)
        }
    }

    private static func difference(_ key: Key, _ words: String) -> ProofDifference {
        ProofDifference(
            description: "\(key.first ?? ""): rule \(key.dropFirst(2).joined(separator: ", decision ")): \(words)")
    }

    /// The decisions that the log has, and the table's columns that it does not tell; throws the first decision
    /// that differs in the table or is missing there.
    func check(
        _ rows: [LoggedEvent], of enrolment: Enrolment
    ) throws(ProofDifference) -> (decided: Set<Key>, added: [String]) {
        var outcomes: [String: OutcomeRecord] = [:]
        for row in rows where row.stamp.enrolment == enrolment.id {
            if case .outcomeMeasured(let one) = row.event { outcomes["\(one.rule)/\(one.index)"] = one }
        }
        let clock = WallClock(enrolment, rows)
        var (known, added): (Set<Key>, [String]) = ([], [])
        for row in rows where row.stamp.enrolment == enrolment.id {
            guard case .decided(let decision) = row.event else { continue }
            let key = [enrolment.participant.text, enrolment.id, decision.rule, String(decision.index)]
            known.insert(key)
            guard let found = byKey[key] else {
                throw Self.difference(key, "is in the log, and not in decisions.csv")
            }
            let cells =
                Self.cells(decision, clock) + stateCells(decision)
                + Self.cells(outcomes["\(decision.rule)/\(decision.index)"])
            if known.count == 1 { added = try columns(besides: Self.keyNames + cells.map(\.name)) }
            let wrong = cells.filter { !isSame($0, in: found) }
            guard let cell = wrong.first else { continue }
            let shown = table.value(cell.name, in: found) ?? "empty"
            throw Self.difference(
                key,
                "\(cell.name) is \(shown) in decisions.csv, and \(cell.logged) in the log" + Self.remedy(for: wrong))
        }
        return (known, added)
    }

    private static func remedy(for wrong: [Cell]) -> String {
        wrong.allSatisfy { wallNames.contains($0.name) }
            ? "; exported by an older version or with other time zone data: export it again" : ""
    }

    /// The columns that are not compared: a newer export may have some. Throws for one that comes twice.
    private func columns(besides compared: [String]) throws(ProofDifference) -> [String] {
        var seen: Set<String> = []
        for column in table.columns where !seen.insert(column).inserted {
            throw ProofDifference(description: "decisions.csv has a column '\(column)' twice")
        }
        return table.columns.filter { !compared.contains($0) }
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
        let shown = table.value(cell.name, in: row)
        guard let number = cell.number else { return shown ?? "empty" == cell.logged }
        return shown.flatMap { Double($0) } == number
    }

    private static func cells(_ decision: DecisionRecord, _ clock: WallClock) -> [Cell] {
        let (isDrawn, budget) = (decision.probability != nil, decision.budget)
        let times: [Cell] = [
            Cell("due_utc", decision.due), Cell("due_local", clock.local(decision.due)),
            Cell("utc_offset", clock.offset(decision.due)), Cell("decided_utc", decision.at),
            Cell("decided_local", clock.local(decision.at)), Cell("day", String(clock.day(decision.due))),
        ]
        let draw: [Cell] = [
            Cell("result", decision.result.rawValue), Cell("available", isDrawn ? "1" : "0"),
            Cell("reasons", decision.reasons.isEmpty ? nil : decision.reasons.joined(separator: " ")),
            Cell("probability", decision.probability ?? 0),
            Cell("treatment", decision.result == .treated ? "1" : "0"), Cell("draw", decision.draw),
        ]
        let spent: [Cell] = [
            Cell("budget_day", budget.map { String($0.day) }), Cell("budget_allowance", budget?.allowance),
            Cell("budget_spent", budget?.spent), Cell("budget_expected", budget?.expected),
            Cell("budget_seen", budget.map { String($0.seen) }),
        ]
        return [Cell("task", decision.task)] + times + draw + spent + [Cell("rules", decision.rules)]
    }

    /// Of each feature in the table, empty where the decision had none, and of each that the table lacks.
    private func stateCells(_ decision: DecisionRecord) -> [Cell] {
        let state = decision.state ?? [:]
        let lacking = state.keys.filter { name in !features.contains { $0.name == name } }.sorted()
        return (features + lacking.map { (name: $0, column: $0) }).flatMap { name, column -> [Cell] in
            let reading = state[name]
            let recordings = reading?.recordings ?? []
            return [
                Cell(column, reading?.value), Cell("\(column)_coverage", reading?.coverage),
                Cell("\(column)_from_utc", reading?.from), Cell("\(column)_to_utc", reading?.to),
                Cell(
                    "\(column)_recordings",
                    recordings.isEmpty ? nil : recordings.map { String($0) }.joined(separator: " ")),
            ]
        }
    }

    private static func cells(_ outcome: OutcomeRecord?) -> [Cell] {
        [
            Cell("outcome_feature", outcome?.feature), Cell("outcome", outcome?.value),
            Cell("outcome_observed", outcome?.value == nil ? "0" : "1"),
            Cell("outcome_missing", outcome?.missing?.rawValue), Cell("coverage", outcome?.coverage),
        ]
    }
}

/// What the participant's wall clock showed, as the export has it.
private struct WallClock {
    private let enrolment: Enrolment
    /// The zones of later, in the order of the log, and since when they were the device's.
    private var journeys: [(since: Instant, zone: Zone)] = []

    /// `rows` are all of the enrolment and of the device, in the order of the log.
    init(_ enrolment: Enrolment, _ rows: [LoggedEvent]) {
        self.enrolment = enrolment
        for (index, row) in rows.enumerated() {
            guard case .zoneChanged(_, let name, _) = row.event, let zone = try? Zone.load(name) else { continue }
            // The row is written as the agent starts, when the clock may not be set yet: what is known of it in
            // that boot dates it; without that, it is not from before any earlier row.
            let anchor = rows[index...].lazy.compactMap { Self.anchor($0, of: row.stamp.bootID) }.first
            let since = anchor.map { $0.instant(at: row.stamp.monotonic) }
            journeys.append((since ?? rows[...index].map(\.stamp.wall).max() ?? row.stamp.wall, zone))
        }
    }

    private static func anchor(_ row: LoggedEvent, of boot: String) -> ClockAnchor? {
        guard row.stamp.bootID == boot, case .anchored(let record) = row.event, record.anchor.isTrusted else {
            return nil
        }
        return record.anchor
    }

    func local(_ time: Instant) -> String { shown(time).text(fractionDigits: 3) }

    func offset(_ time: Instant) -> String {
        let offset = seconds(time)
        return offset == 0 ? "+00:00" : Zone.text(offset: offset)
    }

    /// The day of the study; 1 is that of the enrolment.
    func day(_ time: Instant) -> Int {
        shown(time).date.daysSinceEpoch - enrolment.local.date.daysSinceEpoch + 1
    }

    private func shown(_ time: Instant) -> LocalDateTime { LocalDateTime(time, offset: seconds(time)) }

    private func seconds(_ time: Instant) -> Int {
        (journeys.last { $0.since <= time }?.zone ?? enrolment.zone).period(at: time).offset
    }
}
