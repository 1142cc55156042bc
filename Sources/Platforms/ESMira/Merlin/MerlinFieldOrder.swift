// SPDX-License-Identifier: Apache-2.0

/// The order in which an object's fields are written: that of the hash table in which Android keeps them
/// (`java.util.HashMap`), which a text made of an object shows. For `MerlinHeap`.
enum MerlinFieldOrder {
    static func sorted<Field>(_ fields: [(name: String, field: Field)]) -> [Field] {
        var size: UInt32 = 16
        while fields.count * 4 > Int(size) * 3 { size *= 2 }
        let placed = fields.enumerated().map {
            (bucket: bucket($0.element.name) & (size - 1), $0.offset, $0.element.field)
        }
        return placed.sorted { ($0.bucket, $0.1) < ($1.bucket, $1.1) }.map(\.2)
    }

    private static func bucket(_ name: String) -> UInt32 {
        var hash: UInt32 = 0
        for unit in name.utf16 { hash = hash &* 31 &+ UInt32(unit) }
        return hash ^ hash >> 16
    }
}
