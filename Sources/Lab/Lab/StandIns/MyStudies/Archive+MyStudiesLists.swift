// SPDX-License-Identifier: Apache-2.0
import Base
import Database

extension Archive {
    /// A list of a study, whatever its name's letters' case; nil where no run has made it.
    func list(_ name: String, study: String) throws -> MyStudiesList? {
        try connection.first("SELECT name, parent, columns FROM list WHERE study = ? AND name = ?", study, name) {
            row in
            let columns = try JSONReader.value(row.string(2)).members
            return MyStudiesList(
                name: try row.string(0), parent: try row.stringOrNil(1),
                columns: columns.map { .init(name: $0.name, kind: .init(rawValue: $0.value.string ?? "") ?? .text) })
        }
    }

    /// Makes the lists of a design, or adds the columns that are new in it. Throws where one is of
    /// another type than before, and changes nothing then.
    func ensure(_ lists: [MyStudiesList], study: String) throws {
        try connection.transaction {
            for list in lists {
                let joined = try self.list(list.name, study: study)?.joined(list) ?? list
                let columns = joined.columns.map { JSONValue.Member(name: $0.name, value: .string($0.kind.rawValue)) }
                try connection.run(
                    """
                    INSERT INTO list (study, name, parent, columns) VALUES (?, ?, ?, ?)
                    ON CONFLICT (study, name) DO UPDATE SET columns = excluded.columns
                    """, study, list.name, list.parent, JSONValue.object(columns).text)
            }
        }
    }

    /// A participant's rows of a list, in the order in which they were written.
    func rows(_ list: String, of participant: MyStudiesParticipant, limit: Int) throws -> [MyStudiesStoredRow] {
        try connection.rows(
            """
            SELECT listRow.id, listRow.parent, created, data FROM listRow JOIN list ON list.id = listRow.list
            WHERE study = ? AND name = ? AND participant = ? ORDER BY listRow.id LIMIT ?
            """, participant.study, list, participant.id, limit
        ) { row in
            MyStudiesStoredRow(
                id: try row.int(0), parent: try row.intOrNil(1), created: Instant(milliseconds: try row.int(2)),
                values: try JSONReader.value(row.string(3)).members)
        }
    }

    // MARK: For people

    /// Every list with the number of its rows, by study and name.
    func lists() throws -> [MyStudiesListCount] {
        try connection.rows(
            """
            SELECT study, name, columns, (SELECT count(*) FROM listRow WHERE listRow.list = list.id),
                (SELECT count(DISTINCT participant) FROM listRow WHERE listRow.list = list.id)
            FROM list ORDER BY study, name
            """
        ) { row in
            MyStudiesListCount(
                study: try row.string(0), name: try row.string(1),
                columns: try JSONReader.value(row.string(2)).members.map(\.name), rows: Int(try row.int(3)),
                participants: Int(try row.int(4)))
        }
    }

    /// Everybody who has ever enrolled, the latest first; `isOut` says of a study, key and token
    /// whether the staff have withdrawn them.
    func participants(_ isOut: (String, String, String?) -> Bool) throws -> [MyStudiesPerson] {
        try connection.rows(
            """
            SELECT participant.id, participant.study, short, sharing, enrolled, withdrawn, token IS NOT NULL,
                count(run.id), count(*) FILTER (WHERE status = 0), count(*) FILTER (WHERE status = 1),
                count(*) FILTER (WHERE status = 2), max(received), key, token
            FROM participant LEFT JOIN run ON run.participant = participant.id
            GROUP BY participant.id ORDER BY participant.id DESC
            """
        ) { row in
            let short = try row.string(2)
            let (study, token) = (try row.string(1), try row.stringOrNil(13))
            return MyStudiesPerson(
                id: try row.int(0), study: study, short: short.isEmpty ? "#\(try row.int(0))" : short,
                sharing: try row.string(3), enrolled: Instant(milliseconds: try row.int(4)),
                withdrawn: try row.intOrNil(5).map(Instant.init(milliseconds:)), hasToken: try row.bool(6),
                runs: Int(try row.int(7)), pending: Int(try row.int(8)), processed: Int(try row.int(9)),
                failed: Int(try row.int(10)), latest: try row.intOrNil(11).map(Instant.init(milliseconds:)),
                isOut: try row.stringOrNil(12).map { isOut(study, $0, token) } ?? false)
        }
    }

    /// The latest runs that were found wrong, the latest first.
    func failedRuns(limit: Int) throws -> [MyStudiesFailedRun] {
        try connection.rows(
            """
            SELECT study, short, activity, version, received, errors FROM run
            JOIN participant ON participant.id = run.participant WHERE status = 2 ORDER BY run.id DESC LIMIT ?
            """, limit
        ) { row in
            MyStudiesFailedRun(
                study: try row.string(0), short: try row.string(1), activity: try row.string(2),
                version: try row.string(3), received: Instant(milliseconds: try row.int(4)),
                errors: StoredRecord.texts(try row.string(5)))
        }
    }
}

struct MyStudiesStoredRow: Sendable {
    let id: Int64
    /// The row of the list above that it belongs to.
    let parent: Int64?
    let created: Instant
    let values: [JSONValue.Member]
}

/// A list at a glance.
struct MyStudiesListCount: Sendable {
    let study: String
    let name: String
    let columns: [String]
    let rows: Int
    let participants: Int
}

/// A participant at a glance, without the key.
struct MyStudiesPerson: Sendable {
    let id: Int64
    let study: String
    /// Six digits that stay the same and say nothing of the key.
    let short: String
    /// `true`, `false` or `NA`.
    let sharing: String
    let enrolled: Instant
    let withdrawn: Instant?
    let hasToken: Bool
    let runs: Int
    let pending: Int
    let processed: Int
    let failed: Int
    let latest: Instant?
    /// Withdrawn by the study's staff, whose key is known still.
    let isOut: Bool
}

/// A run that was found wrong.
struct MyStudiesFailedRun: Sendable {
    let study: String
    let short: String
    let activity: String
    let version: String
    let received: Instant
    let errors: [String]
}
