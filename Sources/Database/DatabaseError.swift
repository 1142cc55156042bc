// SPDX-License-Identifier: Apache-2.0

/// Why SQLite refused: the code, what was being done, and what to do about it.
public struct DatabaseError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What a caller may want to treat differently.
    public enum Kind: String, Sendable {
        /// SQLITE_FULL, or the system said ENOSPC: free some space, nothing is broken.
        case diskFull
        /// SQLITE_IOERR: the disk did not do as told.
        case inputOutput
        /// SQLITE_CORRUPT or SQLITE_NOTADB: the file is damaged, or no database.
        case corrupt
        /// SQLITE_BUSY or SQLITE_LOCKED: another process held it for longer than the busy timeout.
        case busy
        /// SQLITE_CONSTRAINT: the values break a rule of the schema.
        case constraint
        /// SQLITE_CANTOPEN, SQLITE_PERM or SQLITE_READONLY: the path or its rights.
        case cannotOpen
        /// A column did not hold what the statement was read as.
        case type
        /// Everything else: a mistake in a statement.
        case other
    }

    /// What a caller may want to treat differently.
    public let kind: Kind
    /// SQLite's extended result code; 0 for `Kind.type`.
    public let code: Int32
    /// SQLite's own words.
    public let message: String
    /// The statement, or the path for `Kind.cannotOpen`.
    public let statement: String

    public init(kind: Kind, code: Int32, message: String, statement: String) {
        self.kind = kind
        self.code = code
        self.message = message
        self.statement = statement
    }

    /// Names the code, the statement and the remedy.
    public var description: String { "database: \(message) (code \(code)) in `\(statement.prefix(200))`: \(remedy)" }

    private var remedy: String {
        switch kind {
        case .diskFull: "free space on the disk that holds the state directory"
        case .inputOutput: "check the disk or card (dmesg) and its free space"
        case .corrupt: "'studyd run' sets a damaged store aside and goes on with what can be read of it"
        case .busy: "stop the other program that has it open"
        case .constraint, .type, .other: "this is a fault of the program, please report it"
        case .cannotOpen: "check that the directory exists and may be written by this user"
        }
    }
}
