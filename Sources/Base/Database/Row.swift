// SPDX-License-Identifier: Apache-2.0
import Base
import CSQLite

/// The current row of a statement, as `Connection` hands it to the closure that reads a query. Valid only
/// inside that closure.
///
/// Columns are counted from 0. The typed reads throw where the column holds something else.
package struct Row {
    let statement: OpaquePointer
    let sql: String

    /// As it is stored.
    package subscript(column: Int) -> DatabaseValue {
        let index = Int32(column)
        switch sqlite3_column_type(statement, index) {
        case SQLITE_INTEGER: return .integer(sqlite3_column_int64(statement, index))
        case SQLITE_FLOAT: return .real(sqlite3_column_double(statement, index))
        case SQLITE_TEXT: return .text(text(index))
        case SQLITE_BLOB: return .blob(blob(index))
        default: return .null
        }
    }

    package var values: [DatabaseValue] { (0..<Int(sqlite3_column_count(statement))).map { self[$0] } }

    package func int(_ column: Int) throws(DatabaseError) -> Int64 {
        guard case .integer(let value) = self[column] else { throw wrong(column, "a whole number") }
        return value
    }
    package func intOrNil(_ column: Int) throws(DatabaseError) -> Int64? {
        self[column] == .null ? nil : try int(column)
    }
    /// A number; whole ones too.
    package func double(_ column: Int) throws(DatabaseError) -> Double {
        switch self[column] {
        case .real(let value): return value
        case .integer(let value): return Double(value)
        default: throw wrong(column, "a number")
        }
    }
    package func string(_ column: Int) throws(DatabaseError) -> String {
        guard case .text(let value) = self[column] else { throw wrong(column, "a text") }
        return value
    }
    package func stringOrNil(_ column: Int) throws(DatabaseError) -> String? {
        self[column] == .null ? nil : try string(column)
    }
    package func bytes(_ column: Int) throws(DatabaseError) -> [UInt8] {
        guard case .blob(let value) = self[column] else { throw wrong(column, "bytes") }
        return value
    }
    package func bytesOrNil(_ column: Int) throws(DatabaseError) -> [UInt8]? {
        self[column] == .null ? nil : try bytes(column)
    }
    /// Nanoseconds since 1970.
    package func instant(_ column: Int) throws(DatabaseError) -> Instant { Instant(nanoseconds: try int(column)) }
    package func instantOrNil(_ column: Int) throws(DatabaseError) -> Instant? {
        self[column] == .null ? nil : try instant(column)
    }
    /// True for any whole number but 0.
    package func bool(_ column: Int) throws(DatabaseError) -> Bool { try int(column) != 0 }

    private func text(_ index: Int32) -> String {
        String(decoding: raw(sqlite3_column_text(statement, index).map { UnsafeRawPointer($0) }, index), as: UTF8.self)
    }
    private func blob(_ index: Int32) -> [UInt8] { Array(raw(sqlite3_column_blob(statement, index), index)) }

    /// The bytes behind a column; the pointer has to be asked for before the length.
    private func raw(_ start: UnsafeRawPointer?, _ index: Int32) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : Int(sqlite3_column_bytes(statement, index)))
    }

    private func wrong(_ column: Int, _ expected: String) -> DatabaseError {
        DatabaseError(
            kind: .type, code: 0, message: "column \(column) holds \(self[column].kind) instead of \(expected)",
            statement: sql)
    }
}
