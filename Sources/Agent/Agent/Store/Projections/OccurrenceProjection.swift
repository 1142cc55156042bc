// SPDX-License-Identifier: Apache-2.0
import Base
import Database
import Study

/// Each occurrence that was prompted or ended: one row, one outcome. Occurrences that fell due only by a
/// clock that had jumped ahead are deleted again (`occurrencesReturned`). Read by `EnrolmentHistory` and
/// `PromptOutcomes`.
enum OccurrenceProjection: Projection {
    static let name = "occurrence"
    static let version = 2
    static let tables = ["occurrence"]
    static let kinds: Set<String> = ["prompted", "presented", "concluded", "occurrencesReturned"]
    static let definition = """
        CREATE TABLE occurrence (
            enrolment TEXT NOT NULL, id TEXT NOT NULL, task TEXT NOT NULL, due INTEGER NOT NULL, record TEXT NOT NULL,
            prompted INTEGER, presented INTEGER, outcome TEXT, ended INTEGER, PRIMARY KEY (enrolment, id)) STRICT;
        CREATE INDEX occurrence_open ON occurrence (enrolment, outcome, due);
        """

    static func apply(_ logged: LoggedEvent, to connection: Connection) throws {
        let wall = logged.stamp.wall.nanoseconds
        let enrolment = logged.stamp.enrolment
        switch logged.event {
        case .prompted(let occurrence):
            try insert(occurrence, enrolment, connection)
            try connection.run(
                "UPDATE occurrence SET prompted = coalesce(prompted, ?) WHERE enrolment = ? AND id = ?", wall,
                enrolment, occurrence.id)
        case .presented(let id):
            try connection.run(
                "UPDATE occurrence SET presented = coalesce(presented, ?) WHERE enrolment = ? AND id = ?", wall,
                enrolment, id)
        case .concluded(let occurrence, let outcome):
            try insert(occurrence, enrolment, connection)
            let changed = try connection.run(
                "UPDATE occurrence SET outcome = ?, ended = ? WHERE enrolment = ? AND id = ? AND outcome IS NULL",
                outcome.stored, wall, enrolment, occurrence.id)
            guard changed == 1 else { throw try conflict(occurrence.id, outcome, enrolment, connection) }
        case .occurrencesReturned(let ids):
            for id in ids {
                try connection.run("DELETE FROM occurrence WHERE enrolment = ? AND id = ?", enrolment, id)
            }
        default: break
        }
    }

    private static func insert(_ occurrence: OccurrenceRecord, _ enrolment: String, _ connection: Connection) throws {
        try connection.run(
            """
            INSERT INTO occurrence (enrolment, id, task, due, record) VALUES (?, ?, ?, ?, ?)
            ON CONFLICT DO NOTHING
            """, enrolment, occurrence.id, occurrence.task, occurrence.due.nanoseconds,
            try StoredJSON.text(occurrence))
    }

    private static func conflict(
        _ id: String, _ refused: Outcome, _ enrolment: String, _ connection: Connection
    ) throws -> StoreError {
        let has = try connection.first(
            "SELECT outcome FROM occurrence WHERE enrolment = ? AND id = ?", enrolment, id
        ) { try $0.stringOrNil(0) }
        return .secondOutcome(occurrence: id, has: (has ?? nil) ?? "unknown", refused: refused.stored)
    }
}

/// An occurrence with how it went, as `EnrolmentHistory.occurrences` reads it.
package struct OccurrenceView: Sendable, Hashable {
    /// As it was planned when it was first logged; a later plan does not change it.
    package let occurrence: Occurrence
    /// When its prompt was due to be given; nil when it never was.
    package let prompted: Instant?
    /// When its signal was given; nil when it never was.
    package let presented: Instant?
    /// Nil while it is open.
    package let outcome: Outcome?
}

extension OccurrenceView {
    /// The columns in the order of `columns`.
    init(_ row: Row) throws {
        let record = try StoredJSON.value(OccurrenceRecord.self, from: row.string(0))
        self.init(
            occurrence: record.occurrence, prompted: try row.instantOrNil(1), presented: try row.instantOrNil(2),
            outcome: try row.stringOrNil(3).flatMap { Outcome(stored: $0) })
    }

    static let columns = "record, prompted, presented, outcome"
}
