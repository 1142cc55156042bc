// SPDX-License-Identifier: Apache-2.0
import Base

/// A table of `LabTables` for programs and spreadsheets: the same names, units and rows as CSV and as JSON.
/// docs/lab.md has what they mean.
struct LabTable: Sendable {
    let name: String
    let columns: [String]
    let rows: [[JSONValue]]

    /// RFC 4180, UTF-8, a headline. What is not known is empty. A text that a spreadsheet would run
    /// as a formula has `'` before it.
    var csv: String {
        var text = columns.joined(separator: ",") + "\r\n"
        for row in rows {
            text += row.map(Self.field).joined(separator: ",")
            text += "\r\n"
        }
        return text
    }

    func json(at now: Instant) -> JSONValue {
        .members([
            "format": .string("studyd-table"), "version": .int(1), "table": .string(name),
            "at": .string(now.rfc3339Zulu()),
            "rows": .array(
                rows.map { row in .object(zip(columns, row).map { JSONValue.Member(name: $0, value: $1) }) }),
        ])
    }

    private static func field(_ value: JSONValue) -> String {
        switch value {
        case .null: ""
        case .string(let text): quoted(text)
        case .array(let values): quoted(values.map { $0.string ?? $0.text }.joined(separator: " "))
        default: quoted(value.text)
        }
    }

    static func quoted(_ text: String) -> String {
        // OWASP, CSV injection: these begin a formula in some spreadsheet.
        let isFormula = text.unicodeScalars.first.map { "=+-@\t\r\n＝＋－＠".unicodeScalars.contains($0) } ?? false
        let isNumber = Double(text) != nil
        let plain = isFormula && !isNumber ? "'" + text : text
        guard plain.unicodeScalars.contains(where: { "\",\r\n".unicodeScalars.contains($0) }) else { return plain }
        // By scalars: with a combining one behind it a quote is another character.
        return "\"" + plain.unicodeScalars.map { $0 == "\"" ? "\"\"" : String($0) }.joined() + "\""
    }
}
