// SPDX-License-Identifier: Apache-2.0
import Base

/// The tables of a database: the agent's store and each of the lab's databases has one. Their version is kept
/// in SQLite's `user_version`.
package struct Schema: Sendable {
    /// Raised with every change to the statements, without migrations: another version is refused. Never 0, which is an
    /// empty database's.
    private let version: Int
    /// Statements, separated by `;`.
    private let sql: String

    package init(version: Int, _ sql: String) { (self.version, self.sql) = (version, sql) }

    /// Makes the tables in an empty database, all or none. Refuses a database with tables of
    /// another version and leaves it as it is.
    package func prepare(_ connection: Connection) throws {
        guard try Self.version(of: connection) != version else { return }
        try connection.transaction {
            // A command may have opened the same new database at the same moment.
            guard try !Self.has(version, connection) else { return }
            try connection.execute(sql + "; PRAGMA user_version = \(version)")
        }
    }

    /// False for an empty database; throws for one with tables of another version.
    package static func has(_ version: Int, _ connection: Connection) throws -> Bool {
        let found = try self.version(of: connection)
        guard found != version else { return true }
        let hasTables = try connection.first("SELECT 1 FROM sqlite_schema LIMIT 1") { try $0.int(0) } != nil
        guard found == 0, !hasTables else {
            throw DatabaseVersionError(path: try path(of: connection), found: found, needed: version)
        }
        return false
    }

    private static func version(of connection: Connection) throws -> Int {
        try connection.first("PRAGMA user_version") { Int(try $0.int(0)) } ?? 0
    }

    /// Empty for a database in memory.
    private static func path(of connection: Connection) throws -> String {
        try connection.first("PRAGMA database_list") { try $0.stringOrNil(2) ?? "" } ?? ""
    }
}

/// A database has tables of another version; `found` is 0 where its tables have no version.
package struct DatabaseVersionError: ExplainedError, Sendable, Hashable {
    /// Empty in memory.
    private let path: String
    private let found: Int
    private let needed: Int
    /// No version of this program left it so.
    package var isUnversioned: Bool { found == 0 }

    package init(path: String = "", found: Int, needed: Int) {
        (self.path, self.found, self.needed) = (path, found, needed)
    }

    package var explanation: Explanation {
        let place = path.isEmpty ? "database" : path
        if isUnversioned {
            return Explanation(
                place: place, cause: "has tables without a version, which this program does not make",
                remedy: "start with an empty folder")
        }
        return Explanation(
            place: place,
            cause:
                "was written by another version of this program: its tables are of version \(found), and this one knows \(needed)",
            remedy: "install that version or start with an empty folder")
    }
}
