// SPDX-License-Identifier: Apache-2.0
import Base

/// Why SQLite refused: the code, what was being done, and what to do about it. `Connection` throws it.
package struct DatabaseError: ExplainedError, Sendable, Hashable {
    /// What a caller may want to treat differently.
    package enum Kind: String, Sendable {
        /// SQLITE_FULL, or the system said ENOSPC: free some space, nothing is broken.
        case diskFull
        /// SQLITE_IOERR: the disk failed.
        case inputOutput
        /// SQLITE_CORRUPT or SQLITE_NOTADB: the file is damaged, or no database.
        case corrupt
        /// SQLITE_BUSY or SQLITE_LOCKED: another process held it for longer than the busy timeout.
        case busy
        /// SQLITE_CONSTRAINT: the values break a rule of the schema.
        case constraint
        /// SQLITE_CANTOPEN, SQLITE_PERM or SQLITE_READONLY: the path or its rights.
        case cannotOpen
        /// A column did not hold the type that the caller asked `Row` for.
        case type
        /// Everything else: a mistake in a statement.
        case other
    }

    package let kind: Kind
    /// SQLite's extended result code; 0 for `Kind.type`.
    package let code: Int32
    /// SQLite's own words.
    package let message: String
    /// The statement, or the path for `Kind.cannotOpen`.
    private let statement: String

    /// SQLITE_PERM, SQLITE_READONLY or SQLITE_AUTH: the file may not be written, and nothing
    /// is wrong with it.
    package var isRefusal: Bool { [3, 8, 23].contains(code & 0xFF) }

    package init(kind: Kind, code: Int32, message: String, statement: String) {
        (self.kind, self.code, self.message, self.statement) = (kind, code, message, statement)
    }

    /// The same with the path in place of the statement: which of several files it is, where it is opened.
    func naming(_ path: String) -> DatabaseError {
        DatabaseError(kind: kind, code: code, message: message, statement: path)
    }

    /// With the code, and the statement or the path.
    package var explanation: Explanation {
        Explanation(place: "database", cause: "\(message) (code \(code)) in `\(statement.prefix(200))`", remedy: remedy)
    }

    private var remedy: String {
        switch kind {
        case .diskFull: "free space on the disk that holds it"
        case .inputOutput: "check the disk or card (dmesg) and its free space"
        case .corrupt:
            "'studyd run' sets a device's damaged store aside and goes on with what can be read; bring another back from a backup"
        case .busy: "close the other program that has it open"
        case .constraint, .type, .other: "this is a bug; please report it"
        case .cannotOpen: "check that the directory exists and may be written by this user"
        }
    }
}
