// SPDX-License-Identifier: Apache-2.0
import SystemKit

/// The steps by which a schema came to be what it is: one list, in which a step is never edited once it was released.
package struct Migrations: Sendable {
    /// One step.
    package struct Step: Sendable {
        /// What it brings; unique in its list.
        package let name: String
        /// Statements, separated by `;`.
        package let sql: String
        package init(_ name: String, _ sql: String) {
            self.name = name
            self.sql = sql
        }
    }

    /// In the order in which they are taken.
    private let steps: [Step]

    package init(_ steps: [Step]) { self.steps = steps }

    /// Takes the steps that the database does not have yet, each in a transaction of its own. Refuses a database that has steps
    /// this list does not know: it was written by a newer version.
    package func apply(to connection: Connection) throws {
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
package struct MigrationError: ExplainedError, Sendable, Hashable {
    /// The steps it has.
    private let found: [String]
    package init(found: [String]) { self.found = found }
    /// With the latest step.
    package var explanation: Explanation {
        Explanation(
            place: "database",
            cause: "written by another version of this program (its latest step is `\(found.last ?? "")`)",
            remedy: "install that version or start with a fresh state directory")
    }
}
