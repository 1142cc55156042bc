// SPDX-License-Identifier: Apache-2.0
import Base
import Database

/// Which rows of one database in the lab's folder are a participant's, and which files belong to them. Each
/// store says so beside its tables, and `Erasure` counts and deletes them.
package struct ParticipantRows: Sendable {
    /// `?1` in its SQL is the participant.
    package struct Table: Sendable {
        let name: String
        /// What a row is, for people; nil = not counted.
        let noun: String?
        let condition: String
        /// Changes rows that have to stay, instead of deleting them.
        let statement: String?

        package init(
            _ name: String, _ noun: String?, where condition: String = "user = ?1", instead statement: String? = nil
        ) { (self.name, self.noun, self.condition, self.statement) = (name, noun, condition, statement) }
    }

    /// Notes the highest number of a participant's rows before these go, so that no other row gets it (`next`).
    package static func highest(
        _ column: String, of table: String, where condition: String = "user = ?1", series: String? = nil
    ) -> Table { Table("highest", nil, instead: noteHighest(column, of: table, where: condition, series: series)) }

    /// SQL of what `highest` does.
    package static func noteHighest(
        _ column: String, of table: String, where condition: String, series: String? = nil
    ) -> String {
        """
        INSERT INTO highest SELECT \(series ?? "'\(table)'"), max(\(column)) FROM \(table)
        WHERE \(condition) GROUP BY 1 ON CONFLICT (name) DO UPDATE SET number = max(number, excluded.number)
        """
    }

    /// The table that `highest` writes, where it is missing.
    package static let highestNumbers =
        "CREATE TABLE IF NOT EXISTS highest (name TEXT PRIMARY KEY, number INTEGER NOT NULL) STRICT, WITHOUT ROWID"

    /// SQL of the number of a new row.
    package static func next(_ column: String, of table: String) -> String {
        """
        (SELECT coalesce(max(number), 0) + 1 FROM (SELECT max(\(column)) AS number FROM \(table)
            UNION ALL SELECT number FROM highest WHERE name = '\(table)'))
        """
    }

    /// The database's name in the folder.
    let file: String
    /// As its `Schema` has it.
    let version: Int
    /// In the order of deletion: a condition may look at tables that follow.
    let tables: [Table]
    /// Everybody of whom there are rows: tables, and in SQL whose a row is. Empty where other databases know them all.
    private let people: KeyValuePairs<String, String>
    /// Paths in the folder; not all of them need be there.
    let files: @Sendable (Connection, String) throws -> [String]
    /// The bytes of files, by their paths in the folder; nil where rows do not say that.
    let sizes: (@Sendable (Connection) throws -> [String: Int64])?
    /// Its names are those of accounts, which may be other than the participants'.
    let isOfAccounts: Bool

    package init(
        _ file: String, version: Int = 1, names: KeyValuePairs<String, String> = [:], _ tables: [Table],
        files: @escaping @Sendable (Connection, String) throws -> [String] = { _, _ in [] },
        sizes: (@Sendable (Connection) throws -> [String: Int64])? = nil, isOfAccounts: Bool = false
    ) {
        (self.file, self.version, people, self.tables, self.files) = (file, version, names, tables, files)
        (self.sizes, self.isOfAccounts) = (sizes, isOfAccounts)
    }

    /// How many there are, such as `2 posts`.
    func counts(of participant: String, in connection: Connection) throws -> [String] {
        var counts: [(noun: String, count: Int)] = []
        for table in try present(connection) {
            guard let noun = table.noun else { continue }
            let sql = "SELECT count(*) FROM \(table.name) WHERE \(table.condition)"
            let count = try connection.first(sql, participant) { Int(try $0.int(0)) } ?? 0
            if let place = counts.firstIndex(where: { $0.noun == noun }) {
                counts[place].count += count
            } else {
                counts.append((noun, count))
            }
        }
        return counts.filter { $0.count > 0 }.map { Plural.of($0.count, $0.noun) }
    }

    /// Deletes them, all or none, and then what is left of them in the file.
    func delete(of participant: String, in connection: Connection) throws {
        if tables.contains(where: { $0.name == "highest" }) { try connection.execute(Self.highestNumbers) }
        let tables = try present(connection)
        try connection.transaction {
            for table in tables {
                try connection.run(table.statement ?? "DELETE FROM \(table.name) WHERE \(table.condition)", participant)
            }
        }
        do { try connection.compact() } catch let error as DatabaseError where error.kind == .diskFull {
            // The file keeps its size. What was deleted is overwritten (`secure_delete`), and the log is empty.
        }
    }

    func names(in connection: Connection) throws -> [String] {
        let present = try Self.present(connection)
        return try people.filter { present.contains($0.key) }.flatMap { table, name in
            try connection.rows("SELECT DISTINCT CAST(\(name) AS TEXT) FROM \(table)") { try $0.stringOrNil(0) ?? "" }
        }
    }

    /// Without those that a folder of an earlier version does not have.
    private func present(_ connection: Connection) throws -> [Table] {
        let names = try Self.present(connection)
        return tables.filter { names.contains($0.name) }
    }

    private static func present(_ connection: Connection) throws -> [String] {
        try connection.rows("SELECT name FROM sqlite_schema WHERE type = 'table'") { try $0.string(0) }
    }
}
