// SPDX-License-Identifier: Apache-2.0

/// A value as SQLite stores it: what `Row` reads, and what is bound to a statement.
package enum DatabaseValue: Sendable, Hashable {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
    case blob([UInt8])

    /// What it is, without what it says: answers have no place in a message.
    var kind: String {
        switch self {
        case .null: "nothing"
        case .integer: "a whole number"
        case .real: "a number"
        case .text: "a text"
        case .blob: "bytes"
        }
    }
}
