// SPDX-License-Identifier: Apache-2.0
import Base
import Database
import Study

/// What rules decided: one row for each decision point, and for each rule its last decision and its budget.
/// `DecisionHistory` reads the tables.
enum DecisionProjection: Projection {
    static let name = "decision"
    static let version = 1
    static let tables = ["decision", "rule_state"]
    static let kinds: Set<String> = ["decided", "outcomeMeasured"]
    /// `outcome` is NULL where no outcome is due, else `awaited`, `measured`, or why it is missing. `last` and
    /// `budget` are JSON.
    static let definition = """
        CREATE TABLE decision (
            enrolment TEXT NOT NULL, rule TEXT NOT NULL, number INTEGER NOT NULL, due INTEGER NOT NULL,
            result TEXT NOT NULL, reason TEXT, occurrence TEXT, outcome TEXT, PRIMARY KEY (enrolment, rule, number))
            STRICT;
        CREATE INDEX decision_awaited ON decision (enrolment) WHERE outcome = 'awaited';
        CREATE INDEX decision_treated ON decision (enrolment) WHERE occurrence IS NOT NULL;
        CREATE TABLE rule_state (
            enrolment TEXT NOT NULL, rule TEXT NOT NULL, last TEXT NOT NULL, budget TEXT, PRIMARY KEY (enrolment, rule))
            STRICT;
        """

    static func apply(_ logged: LoggedEvent, to connection: Connection) throws {
        let enrolment = logged.stamp.enrolment
        switch logged.event {
        case .decided(let decision):
            let occurrence = decision.result == .treated ? decision.occurrence : nil
            let outcome = decision.outcome == nil ? nil : "awaited"
            try connection.run(
                "INSERT INTO decision VALUES (?, ?, ?, ?, ?, ?, ?, ?)", enrolment, decision.rule, decision.index,
                decision.due.nanoseconds, decision.result.rawValue, decision.reasons.first, occurrence, outcome)
            try connection.run(
                """
                INSERT INTO rule_state VALUES (?, ?, ?, ?) ON CONFLICT (enrolment, rule) DO UPDATE
                SET last = excluded.last, budget = coalesce(excluded.budget, budget)
                """, enrolment, decision.rule, try StoredJSON.text(decision),
                try decision.budgetAfter.map { try StoredJSON.text($0) })
        case .outcomeMeasured(let outcome):
            try connection.run(
                "UPDATE decision SET outcome = ? WHERE enrolment = ? AND rule = ? AND number = ?",
                outcome.missing?.rawValue ?? "measured", enrolment, outcome.rule, outcome.index)
        default: break
        }
    }
}
