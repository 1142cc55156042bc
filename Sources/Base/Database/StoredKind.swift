// SPDX-License-Identifier: Apache-2.0

/// How a column of a row is stored (§2.1 of https://sqlite.org/fileformat2.html): its kind, and the bytes it
/// takes. `Salvage` recognises by it which table a row was of.
package enum StoredKind: Sendable, Hashable {
    case null, integer, real
    case text(Int)
    case blob(Int)

    /// Nil for the two types that are reserved.
    init?(serial: Int64) {
        switch serial {
        case 0: self = .null
        case 1...6, 8, 9: self = .integer
        case 7: self = .real
        case 12... where serial % 2 == 0: self = .blob(Int((serial - 12) / 2))
        case 13...: self = .text(Int((serial - 13) / 2))
        default: return nil
        }
    }
}
