// SPDX-License-Identifier: Apache-2.0
import Database

/// The ids of the entries that were fetched, in `mirror.sqlite`: `Mirror` does not fetch them again.
actor FetchedEntries {
    private let connection: Connection

    init(_ location: Connection.Location) throws {
        connection = try Connection(location)
        try Schema(version: 1, "CREATE TABLE fetched (id TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;").prepare(connection)
    }

    func has(_ id: String) throws -> Bool { try connection.hasRow("SELECT 1 FROM fetched WHERE id = ?", id) }

    func note(_ ids: [String]) throws {
        try connection.transaction {
            for id in ids { try connection.run("INSERT OR IGNORE INTO fetched VALUES (?)", id) }
        }
    }
}
