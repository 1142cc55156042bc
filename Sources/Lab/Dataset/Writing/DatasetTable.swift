// SPDX-License-Identifier: Apache-2.0
import Base

/// A table of the dataset: `answers.csv` with its columns. `Tables` defines them, a `TableWriter` writes each.
package struct DatasetTable<Row>: Sendable {
    package let name: String
    package let words: String
    /// Columns that together name a row; a package says so where no row lacks one of them, as Table Schema demands.
    package let key: [String]
    package let columns: [Column<Row>]

    package init(_ name: String, _ words: String, key: [String] = [], _ columns: [Column<Row>]) {
        (self.name, self.words, self.key, self.columns) = (name, words, key, columns)
    }

    /// In groups, because compilers take minutes for a sum of literals with closures.
    package init(_ name: String, _ words: String, key: [String] = [], groups: [[Column<Row>]]) {
        self.init(name, words, key: key, groups.flatMap(\.self))
    }

    package var file: String { name + ".csv" }
    var header: String { CSVLine.text(columns.map(\.name)) }
    func cells(_ row: Row) -> [String] { columns.map { $0.cell(row) ?? "" } }

    /// As a resource of a Data Package.
    func json(bytes: Int, sha256: String, isKeyed: Bool = true) -> JSONText {
        var schema: [JSONText.Member] = [
            .init("fields", .array(columns.map(\.json))), .init("missingValues", .array([.string("")])),
        ]
        if isKeyed, !key.isEmpty { schema.append(.init("primaryKey", .array(key.map { .string($0) }))) }
        return .object([
            "name": .string(name), "type": .string("table"), "path": .string(file),
            "profile": .string("tabular-data-resource"), "description": .string(words), "format": .string("csv"),
            "mediatype": .string("text/csv"), "encoding": .string("utf-8"), "dialect": CSVLine.dialect,
            "bytes": .integer(Int64(bytes)), "hash": .string("sha256:\(sha256)"), "schema": .object(schema),
        ])
    }
}

/// A line of RFC 4180, ended by a line feed.
enum CSVLine {
    /// How a Data Package describes this format. Without it, frictionless guesses by the punctuation of the
    /// first hundred lines, texts included.
    static let dialect: JSONText = .object([
        "delimiter": .string(","), "quoteChar": .string("\""), "doubleQuote": .boolean(true),
        "skipInitialSpace": .boolean(false),
    ])

    static func text(_ cells: [String]) -> String { cells.map(quoted).joined(separator: ",") + "\n" }

    private static func quoted(_ cell: String) -> String {
        let isPlain = cell.utf8.allSatisfy { $0 != 0x22 && $0 != 0x2C && $0 != 0x0A && $0 != 0x0D }
        // By scalars: a quote with a combining mark after it is another `Character`.
        let escaped = cell.unicodeScalars.map { $0 == "\"" ? "\"\"" : String($0) }.joined()
        return isPlain ? cell : "\"" + escaped + "\""
    }
}
