// SPDX-License-Identifier: Apache-2.0
import Base

/// A value as `tomllib_reference.py` writes it.
enum Reading {
    static func line(_ bytes: [UInt8]) -> String {
        guard let table = try? TOMLTable(parsing: bytes) else { return "error" }
        return line(.table(table))
    }

    static func line(_ content: TOMLValue.Content) -> String {
        switch content {
        case .string(let text): "s" + hex(text.utf8)
        case .integer(let number): "i\(number)"
        case .float(let number):
            number.isNaN
                ? "fnan" : "f" + hex((0..<8).map { UInt8(truncatingIfNeeded: number.bitPattern >> (56 - 8 * $0)) })
        case .boolean(let value): value ? "b1" : "b0"
        case .time(let text): "t" + python(text)
        case .array(let values): "[" + values.map { line($0.content) }.joined(separator: ",") + "]"
        case .table(let table): "{" + pairs(table).joined(separator: ",") + "}"
        }
    }

    private static func pairs(_ table: TOMLTable) -> [String] {
        table.keys.map { (hex($0.utf8), table[$0].map { line($0.content) } ?? "") }.sorted { $0.0 < $1.0 }
            .map { "\($0):\($1)" }
    }

    /// As `isoformat` spells it: microseconds, six digits of them or none.
    static func python(_ text: String) -> String {
        var text = text
        var offset = ""
        if text.hasSuffix("Z") {
            text.removeLast()
            offset = "+00:00"
        } else if text.count > 11, let sign = text.dropFirst(11).firstIndex(where: { $0 == "+" || $0 == "-" }) {
            offset = text[sign...] == "-00:00" ? "+00:00" : String(text[sign...])
            text = String(text[..<sign])
        }
        guard let point = text.firstIndex(of: ".") else { return text + offset }
        let digits = (text[text.index(after: point)...] + "000000").prefix(6)
        return text[..<point] + (digits == "000000" ? "" : "." + digits) + offset
    }

    private static func hex(_ bytes: some Sequence<UInt8>) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
