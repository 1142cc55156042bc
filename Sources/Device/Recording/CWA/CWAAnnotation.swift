// SPDX-License-Identifier: Apache-2.0

/// The annotation field: `name=value&…`, percent-encoded, padded with blanks; `CWAHeader` writes and reads it.
enum CWAAnnotation {
    static let size = 448

    /// Leaves out each pair that no longer fits.
    static func encode(_ pairs: [(name: String, value: String)]) -> [UInt8] {
        var text: [UInt8] = []
        for (name, value) in pairs {
            let pair = (text.isEmpty ? [] : [UInt8(ascii: "&")]) + escape(name) + [UInt8(ascii: "=")] + escape(value)
            guard text.count + pair.count <= size else { continue }
            text += pair
        }
        return text + [UInt8](repeating: 0x20, count: size - text.count)
    }

    static func decode(_ field: ArraySlice<UInt8>) -> [(name: String, value: String)] {
        let end = field.lastIndex { $0 != 0x20 && $0 != 0xFF && $0 != 0 }.map { $0 + 1 } ?? field.startIndex
        return field[field.startIndex..<end].split(separator: UInt8(ascii: "&")).map { pair in
            let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            return (unescape(parts[0]), parts.count > 1 ? unescape(parts[1]) : "")
        }
    }

    private static func escape(_ text: String) -> [UInt8] {
        let digits = Array("0123456789ABCDEF".utf8)
        return text.utf8.flatMap { byte -> [UInt8] in
            switch byte {
            // Digits, letters, `-`, `.`, `_`, `:` and `/`.
            case 48...57, 65...90, 97...122, 45, 46, 95, 58, 47: [byte]
            default: [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
    }

    private static func unescape(_ bytes: ArraySlice<UInt8>) -> String {
        var out: [UInt8] = []
        var rest = bytes
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), let code = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) {
                out.append(code)
                rest = rest.dropFirst(2)
            } else {
                out.append(byte == UInt8(ascii: "+") ? 0x20 : byte)
            }
        }
        return String(decoding: out, as: UTF8.self)
    }
}
