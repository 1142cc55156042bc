// SPDX-License-Identifier: Apache-2.0

/// A value that callers of `Connection` can bind to a `?` of a statement.
package protocol DatabaseBindable {
    var databaseValue: DatabaseValue { get }
}

extension DatabaseValue: DatabaseBindable {
    /// Itself: a value read from one row can be bound to the next statement.
    package var databaseValue: DatabaseValue { self }
}
extension Int64: DatabaseBindable {
    package var databaseValue: DatabaseValue { .integer(self) }
}
extension Int: DatabaseBindable {
    /// INTEGER, which holds every `Int` of 32 and of 64-bit devices.
    package var databaseValue: DatabaseValue { .integer(Int64(self)) }
}
extension Bool: DatabaseBindable {
    package var databaseValue: DatabaseValue { .integer(self ? 1 : 0) }
}
extension Double: DatabaseBindable {
    /// SQLite cannot store NaN: it becomes NULL.
    package var databaseValue: DatabaseValue { .real(self) }
}
extension String: DatabaseBindable {
    /// TEXT in UTF-8, with whatever the text holds: nothing has to be escaped.
    package var databaseValue: DatabaseValue { .text(self) }
}
extension [UInt8]: DatabaseBindable {
    /// BLOB, byte for byte; at most 10⁹ bytes (SQLITE_MAX_LENGTH).
    package var databaseValue: DatabaseValue { .blob(self) }
}
extension Optional: DatabaseBindable where Wrapped: DatabaseBindable {
    package var databaseValue: DatabaseValue { map(\.databaseValue) ?? .null }
}
