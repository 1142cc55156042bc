// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import SystemKit

/// Cells of BIDS' tables: separated by tabs, `n/a` where there is nothing.
enum BIDSCell {
    static func text(_ text: String?) -> String {
        guard let text, !text.isEmpty else { return "n/a" }
        // Characters are looked at only where one can be a line's end.
        guard text.utf8.contains(where: { $0 < 0x20 || $0 >= 0x80 }) else { return text }
        return String(text.map { $0 == "\t" || $0.isNewline ? " " : $0 })
    }

    static func number(_ value: Double?, _ decimals: Int) -> String {
        value.map { Decimals.text($0, decimals) }.flatMap { $0.isEmpty ? nil : $0 } ?? "n/a"
    }

    static func time(_ time: Instant?) -> String { text(time?.rfc3339Zulu(fractionDigits: 3)) }

    /// A line, with its end.
    static func line(_ cells: [String]) -> String { cells.joined(separator: "\t") + "\n" }
}

/// A small table with the description of its columns, such as `participants.tsv`, which `BIDSExport` writes
/// whole.
struct BIDSTable {
    struct Column {
        let name: String
        let description: String
        var units: String?
        var levels: [(value: String, words: String)] = []

        init(_ name: String, _ description: String, units: String? = nil, levels: [(String, String)] = []) {
            (self.name, self.description, self.units) = (name, description, units)
            self.levels = levels.map { (value: $0.0, words: $0.1) }
        }

        /// What the file beside the table says of it.
        var json: JSONText.Member {
            let levels = levels.map { JSONText.Member($0.value, .string($0.words)) }
            return .init(
                name,
                .object([
                    "Description": .string(description), "Units": units.map { .string($0) },
                    "Levels": levels.isEmpty ? nil : .object(levels),
                ]))
        }
    }

    let columns: [Column]
    private(set) var rows: [[String]] = []

    init(_ columns: [Column]) { self.columns = columns }

    mutating func add(_ row: [String?]) { rows.append(row.map { BIDSCell.text($0) }) }

    var text: String { ([columns.map(\.name)] + rows).map(BIDSCell.line).joined() }
    var json: JSONText { .object(columns.map(\.json)) }

    /// Writes the table, and beside it the JSON that describes its columns.
    func write(to folder: DatasetFolder, as stem: String) throws {
        try folder.write(text, to: stem + ".tsv")
        try folder.write(json, to: stem + ".json")
    }
}
