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
        let separator = separator(text)
        var (rows, fields, field): ([Row], [String], String.UnicodeScalarView) = ([], [], .init())
        var (line, start, isQuoted, wasQuoted) = (1, 1, false, false)
        var index = text.startIndex
        while index < text.endIndex {
            let scalar = text[index]
            index = text.index(after: index)
            if scalar == "\n" { line += 1 }
            if isQuoted {
                guard scalar == "\"" else {
                    field.append(scalar)
                    continue
                }
                isQuoted = index < text.endIndex && text[index] == "\""
                if isQuoted {
                    field.append(scalar)
                    index = text.index(after: index)
                }
                continue
            }
            switch scalar {
            case "\"" where field.isEmpty: (isQuoted, wasQuoted) = (true, true)
            case separator:
                fields.append(content(field, wasQuoted))
                (field, wasQuoted) = (.init(), false)
            case "\n":
                fields.append(content(field, wasQuoted))
                if fields.contains(where: { !$0.isEmpty }) { rows.append(Row(line: start, fields: fields)) }
                (fields, field, wasQuoted, start) = ([], .init(), false, line)
            case "\r": break
            default: field.append(scalar)
            }
        }
        guard !isQuoted else {
            throw FileError(path: "\(file), line \(start)", message: "a quotation mark is not closed")
        }
        fields.append(content(field, wasQuoted))
        if fields.contains(where: { !$0.isEmpty }) { rows.append(Row(line: start, fields: fields)) }
        return rows
    }

    /// Without spaces around it, unless it was quoted.
    private static func content(_ field: String.UnicodeScalarView, _ isKept: Bool) -> String {
        isKept ? String(field) : String(Substring(String(field)).trimmed)
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
