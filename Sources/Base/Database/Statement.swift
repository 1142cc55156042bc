// SPDX-License-Identifier: Apache-2.0
import CSQLite

/// A prepared statement, kept by its connection and used again. Belongs to the connection's thread.
final class Statement {
    let pointer: OpaquePointer
    private let sql: String
    private let connection: OpaquePointer

    init(_ sql: String, connection: OpaquePointer) throws(DatabaseError) {
        var pointer: OpaquePointer?
        let code = sqlite3_prepare_v3(connection, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &pointer, nil)
        guard code == SQLITE_OK, let pointer else { throw DatabaseError(connection, statement: sql) }
        self.pointer = pointer
        self.sql = sql
        self.connection = connection
    }

    deinit { sqlite3_finalize(pointer) }

    /// Binds values to the `?` in order; their number has to match.
    func bind(_ values: [any DatabaseBindable]) throws(DatabaseError) {
        precondition(Int(sqlite3_bind_parameter_count(pointer)) == values.count, "wrong number of values for \(sql)")
        for (index, value) in values.enumerated() { try bind(value.databaseValue, at: Int32(index + 1)) }
    }

    /// Steps once. True when there is a row.
    func step() throws(DatabaseError) -> Bool {
        switch sqlite3_step(pointer) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        default: throw DatabaseError(connection, statement: sql)
        }
    }

    /// Makes it ready for the next use and lets go of bound values.
    func reset() {
        sqlite3_reset(pointer)
        sqlite3_clear_bindings(pointer)
    }

    private func bind(_ value: DatabaseValue, at index: Int32) throws(DatabaseError) {
        let code =
            switch value {
            case .null: sqlite3_bind_null(pointer, index)
            case .integer(let value): sqlite3_bind_int64(pointer, index, value)
            case .real(let value): sqlite3_bind_double(pointer, index, value)
            case .text(let value): bind(text: value, at: index)
            case .blob(let value): studyd_sqlite_bind_blob(pointer, index, value, Int32(clamping: value.count))
            }
        guard code == SQLITE_OK else { throw DatabaseError(connection, statement: sql) }
    }

    private func bind(text: String, at index: Int32) -> Int32 {
        var text = text
        return text.withUTF8 { utf8 in
            utf8.withMemoryRebound(to: CChar.self) { characters in
                guard let start = characters.baseAddress else { return studyd_sqlite_bind_text(pointer, index, "", 0) }
                return studyd_sqlite_bind_text(pointer, index, start, Int32(clamping: characters.count))
            }
        }
    }
}

extension DatabaseError {
    /// Reads the connection's latest error; call it before the connection is used again.
    init(_ connection: OpaquePointer, statement: String) {
        let code = sqlite3_extended_errcode(connection)
        self.init(
            kind: Self.kind(code, systemError: sqlite3_system_errno(connection)), code: code,
            message: String(cString: sqlite3_errmsg(connection)), statement: statement)
    }

    /// The kind of an extended result code; `systemError` is the errno below it.
    static func kind(_ code: Int32, systemError: Int32) -> Kind {
        let outOfSpace: Int32 = 28  // ENOSPC of Linux
        switch code & 0xFF {
        case SQLITE_FULL: return .diskFull
        case SQLITE_IOERR: return systemError == outOfSpace ? .diskFull : .inputOutput
        case SQLITE_CORRUPT, SQLITE_NOTADB: return .corrupt
        case SQLITE_BUSY, SQLITE_LOCKED: return .busy
        case SQLITE_CONSTRAINT: return .constraint
        case SQLITE_CANTOPEN, SQLITE_PERM, SQLITE_READONLY: return .cannotOpen
        default: return .other
        }
    }
}
