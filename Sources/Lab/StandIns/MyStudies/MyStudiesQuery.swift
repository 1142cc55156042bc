// SPDX-License-Identifier: Apache-2.0

/// The one form of SQL that devices send, `SELECT a,"b c" FROM T`, with which they ask
/// `MyStudiesResponseServer` for what it has stored.
struct MyStudiesQuery: Hashable, Sendable {
    let columns: [String]
    let table: String

    private static let longest = 4_096

    /// Throws for any other form.
    init(_ sql: String) throws {
        let pattern = /SELECT\s+((?:\w+|"[^"]+")(?:\s*,\s*(?:\w+|"[^"]+"))*)\s+FROM\s+(\w+|"[^"]+")\s*;?\s*/
            .ignoresCase()
        guard sql.utf8.count <= Self.longest, let match = sql.wholeMatch(of: pattern) else {
            throw StandInFailure("Syntax error: this server plays SELECT column,… FROM list")
        }
        columns = match.1.matches(of: /\w+|"[^"]+"/).map { Self.plain($0.0) }
        table = Self.plain(match.2)
    }

    private static func plain(_ name: Substring) -> String { name.filter { $0 != "\"" } }
}
