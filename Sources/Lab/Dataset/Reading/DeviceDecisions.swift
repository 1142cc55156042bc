// SPDX-License-Identifier: Apache-2.0
import Base

/// What the event log of a device holds of the decisions of one enrolment, for `StudyTrial`: a row `decided`
/// for each, and later perhaps a row `outcomeMeasured` of the same rule and index.
struct DeviceDecisions {
    private let rows: [TrialRow]
    private let enrolment: DeviceEnrolmentRow

    /// Rows of other enrolments are not looked at.
    init(_ rows: [TrialRow], of enrolment: DeviceEnrolmentRow) {
        (self.rows, self.enrolment) = (rows.filter { $0.enrolment == enrolment.id }, enrolment)
    }

    /// In the order in which they fell due.
    var all: [StudyDecision] {
        var decisions: [StudyDecision] = []
        var places: [String: Int] = [:]
        for row in rows {
            if row.kind == "decided" {
                guard let decision = decision(row.body["decision"]) else { continue }
                places["\(decision.rule)/\(decision.index)"] = decisions.count
                decisions.append(decision)
            } else if row.kind == "outcomeMeasured", let outcome = row.body["outcome"],
                let rule = outcome["rule"]?.string,
                let index = outcome.int("index"),
                let place = places["\(rule)/\(index)"]
            {
                decisions[place].outcome = StudyDecision.Outcome(
                    feature: outcome["feature"]?.string ?? "", reading: reading(outcome),
                    missing: outcome["missing"]?.string)
            }
        }
        return decisions.sorted { ($0.due.instant, $0.rule, $0.index) < ($1.due.instant, $1.rule, $1.index) }
    }

    /// The features in any of them.
    var features: Set<String> {
        rows.reduce(into: []) { $0.formUnion($1.body["decision"]?["state"]?.members.map(\.key) ?? []) }
    }

    private func decision(_ text: JSONText?) -> StudyDecision? {
        guard let text, let rule = text["rule"]?.string, let index = text.int("index"), let due = time(text["due"]),
            let decided = time(text["at"]), let result = text["result"]?.string
        else { return nil }
        return StudyDecision(
            enrolment: enrolment.id, rule: rule, index: index, task: text["task"]?.string ?? "", due: due,
            decided: decided, day: enrolment.day(of: due), result: result,
            reasons: text["reasons"]?.array.compactMap(\.string) ?? [], probability: text["probability"]?.double,
            label: text["label"]?.string, draw: text["draw"]?.double, budget: text["budget"].flatMap(budget),
            state: Dictionary(
                (text["state"]?.members ?? []).map { ($0.key, reading($0.value)) }, uniquingKeysWith: { $1 }),
            rules: text["rules"]?.string ?? "")
    }

    private func reading(_ text: JSONText) -> StudyDecision.Reading {
        StudyDecision.Reading(
            value: text["value"]?.double, coverage: text["coverage"]?.double, from: time(text["from"]),
            to: time(text["to"]), recordings: text["recordings"]?.array.compactMap { Int($0.plain) } ?? [])
    }

    private func budget(_ text: JSONText) -> StudyDecision.Budget? {
        guard let day = text.int("day"), let allowance = text["allowance"]?.double, let spent = text["spent"]?.double,
            let expected = text["expected"]?.double, let seen = text.int("seen")
        else { return nil }
        return StudyDecision.Budget(day: day, allowance: allowance, spent: spent, expected: expected, seen: seen)
    }

    private func time(_ text: JSONText?) -> StudyTime? { enrolment.timeOrNil(text.flatMap { Int64($0.plain) }) }
}

extension JSONText {
    fileprivate func int(_ name: String) -> Int? { self[name].flatMap { Int($0.plain) } }
}
