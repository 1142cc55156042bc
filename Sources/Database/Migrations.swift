// SPDX-License-Identifier: Apache-2.0

/// The steps by which a schema came to be what it is: one list, in which a step is never edited once it was released.
public struct Migrations: Sendable {
    /// One step.
    public struct Step: Sendable {
        /// What it brings; unique in its list.
        public let name: String
        /// Statements, separated by `;`.
        public let sql: String
        public init(_ name: String, _ sql: String) {
            self.name = name
            self.sql = sql
        }
    }

    /// In the order in which they are taken.
    public let steps: [Step]

    public init(_ steps: [Step]) { self.steps = steps }

    /// Takes the steps that the database does not have yet, each in a transaction of its own. Refuses a database that has steps
    /// this list does not know: it was written by a newer version.
    public func apply(to connection: Connection) throws {
        try connection.execute(
            "CREATE TABLE IF NOT EXISTS migration (position INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT")
        let done = try connection.rows("SELECT name FROM migration ORDER BY position") { try $0.string(0) }
        guard done == Array(steps.map(\.name).prefix(done.count)) else { throw MigrationError(found: done) }
        for (position, step) in steps.enumerated().dropFirst(done.count) {
            try connection.transaction {
                // A command may have opened the same new database at the same moment, and have taken the step first.
                guard
                    try connection.first(
                        "SELECT 1 FROM migration WHERE position = ?", position, read: { try $0.int(0) }) == nil
                else { return }
                try connection.execute(step.sql)
                try connection.run("INSERT INTO migration VALUES (?, ?)", position, step.name)
            }
        }
    }
}

/// A database with steps that this version does not know.
public struct MigrationError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The steps it has.
    public let found: [String]
    public init(found: [String]) { self.found = found }
    /// Names the latest step and the remedy.
    public var description: String {
        "database: written by another version of this program (its latest step is `\(found.last ?? "")`): "
            + "install that version or start with a fresh state directory"
    }
}
