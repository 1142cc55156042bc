// SPDX-License-Identifier: Apache-2.0
import SystemKit

/// A table as spreadsheets save it (RFC 4180): the first row names the columns. Commas, or the
/// semicolons of countries that write commas in numbers; any line ends, with or without a byte
/// order mark.
package struct SeparatedTable: Sendable, Hashable {
    package struct Row: Sendable, Hashable {
        /// In the file, from 1.
        package let line: Int
        fileprivate let fields: [String]
    }

    /// Lower-case, without spaces around them.
    package let columns: [String]
    package let rows: [Row]
    /// The most bytes of a file.
    package static let maximumSize = 1 << 20

    package init(parsing bytes: [UInt8], file: String, limit: Int = maximumSize) throws(FileError) {
        guard bytes.count <= limit else {
            throw FileError(path: file, message: "is larger than \(limit >> 20) MiB")
        }
        guard !bytes.starts(with: [0xFF, 0xFE]), !bytes.starts(with: [0xFE, 0xFF]) else {
            throw FileError(path: file, message: "is saved as UTF-16", remedy: "save it as CSV UTF-8")
        }
        var text = String(decoding: bytes, as: UTF8.self).unicodeScalars[...]
        guard !text.contains("\u{FFFD}") else {
            throw FileError(path: file, message: "is not in UTF-8", remedy: "save it as CSV UTF-8")
        }
        if text.first == "\u{FEFF}" { text = text.dropFirst() }
        // A CR alone ends the lines of "CSV (Macintosh)".
        if !text.contains("\n") { text = String.UnicodeScalarView(text.map { $0 == "\r" ? "\n" : $0 })[...] }
        var all = try Self.read(text, file)
        guard !all.isEmpty else { throw FileError(path: file, message: "has no row with the names of columns") }
        columns = all.removeFirst().fields.map { $0.lowercased() }
        rows = all
    }

    /// Nil where there is no such column, or nothing is in it.
    package func value(_ column: String, in row: Row) -> String? {
        guard let index = columns.firstIndex(of: column), index < row.fields.count else { return nil }
        return row.fields[index].isEmpty ? nil : row.fields[index]
    }

    /// A row that has more fields than there are columns.
    package var longRow: Row? { rows.first { row in row.fields.dropFirst(columns.count).contains { !$0.isEmpty } } }

    /// Rows with at least one field that is not empty.
    private static func read(_ text: Substring.UnicodeScalarView, _ file: String) throws(FileError) -> [Row] {
        var reader = RowReader(separator: separator(text))
        for scalar in text { reader.take(scalar) }
        guard !reader.isQuoted else {
            throw FileError(path: "\(file), line \(reader.start)", message: "a quotation mark is not closed")
        }
        reader.endRow()
        return reader.rows
    }

    /// Cuts a text into rows and fields, one scalar after another.
    private struct RowReader {
        private enum Place {
            case plain
            case quoted
            /// Behind a quotation mark in a quoted field: a second one stands for itself, all else ends the quote.
            case afterMark
        }

        private let separator: Unicode.Scalar
        private(set) var rows: [Row] = []
        /// The line in which the row under way begins.
        private(set) var start = 1
        private var line = 1
        private var fields: [String] = []
        private var field = String.UnicodeScalarView()
        /// The field under way is or was in quotation marks: spaces around it are kept.
        private var keepsSpaces = false
        private var place = Place.plain

        init(separator: Unicode.Scalar) { self.separator = separator }

        var isQuoted: Bool { place == .quoted }

        mutating func take(_ scalar: Unicode.Scalar) {
            if scalar == "\n" { line += 1 }
            switch (place, scalar) {
            case (.quoted, "\""): place = .afterMark
            case (.quoted, _): field.append(scalar)
            case (.afterMark, "\""):
                field.append(scalar)
                place = .quoted
            default:
                place = .plain
                takePlain(scalar)
            }
        }

        private mutating func takePlain(_ scalar: Unicode.Scalar) {
            switch scalar {
            case "\"" where field.isEmpty: (place, keepsSpaces) = (.quoted, true)
            case separator: endField()
            case "\n": endRow()
            case "\r": break
            default: field.append(scalar)
            }
        }

        private mutating func endField() {
            fields.append(keepsSpaces ? String(field) : String(Substring(String(field)).trimmed))
            (field, keepsSpaces) = (.init(), false)
        }

        mutating func endRow() {
            endField()
            if fields.contains(where: { !$0.isEmpty }) { rows.append(Row(line: start, fields: fields)) }
            (fields, start) = ([], line)
        }
    }

    /// By the first line.
    private static func separator(_ text: Substring.UnicodeScalarView) -> Unicode.Scalar {
        let first = text.prefix { $0 != "\n" }
        return first.contains(";") && !first.contains(",") ? ";" : ","
    }
}

extension Substring {
    /// Without spaces and tabs around it.
    fileprivate var trimmed: Substring {
        var text = drop { $0 == " " || $0 == "\t" }
        while let last = text.last, last == " " || last == "\t" { text.removeLast() }
        return text
    }
}
