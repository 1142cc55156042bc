// SPDX-License-Identifier: Apache-2.0

/// SQLite's code for how one column of a row is stored (§2.1 of https://sqlite.org/fileformat2.html), read by
/// `SalvagedRow`'s search of a damaged file.
struct SerialType {
    let kind: StoredKind
    private let code: Int64

    /// Nil for the two codes that are reserved.
    init?(_ code: Int64) {
        guard let kind = StoredKind(serial: code) else { return nil }
        (self.kind, self.code) = (kind, code)
    }

    /// Bytes of the value.
    var size: Int {
        switch code {
        case 0, 8, 9: 0
        case 1...4: Int(code)
        case 5: 6
        case 6, 7: 8
        default: Int((code - 12) / 2)
        }
    }

    /// The value in these `size` bytes.
    func value(_ bytes: ArraySlice<UInt8>) -> DatabaseValue {
        switch kind {
        case .null: .null
        case .integer: .integer(code == 9 ? 1 : Self.signed(bytes))  // 8 and 9 are 0 and 1, without bytes
        case .real: .real(Double(bitPattern: bytes.reduce(0) { $0 << 8 | UInt64($1) }))
        case .text: .text(String(decoding: bytes, as: UTF8.self))
        case .blob: .blob(Array(bytes))
        }
    }

    private static func signed(_ bytes: ArraySlice<UInt8>) -> Int64 {
        let start: Int64 = (bytes.first ?? 0) & 0x80 == 0 ? 0 : -1
        return bytes.reduce(start) { $0 << 8 | Int64($1) }
    }
}
