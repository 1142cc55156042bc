// SPDX-License-Identifier: Apache-2.0
import TOMLKit

/// The text of a TOML file, and where in it each key stands.
public struct ConfigSource: Sendable, Hashable {
    let file: String
    private let lines: [String: Int]

    /// The most bytes a configuration or board file may have.
    public static let maximumSize = 1 << 20

    /// Parses `text`, which came from `file`; a syntax error names line and column.
    public static func parse(_ text: String, file: String) throws -> ConfigTable {
        guard text.utf8.count <= maximumSize else {
            throw ConfigError(file: file, path: "", line: nil, message: "is larger than \(maximumSize) bytes")
        }
        do {
            let table = try TOMLTable(string: text)
            return ConfigTable(table, path: "", source: ConfigSource(file: file, lines: ConfigScanner(text).lines))
        } catch let error as TOMLParseError {
            let place = error.source.begin
            let message = "column \(place.column): \(error.description)"
            throw ConfigError(file: file, path: "", line: place.line, message: message)
        }
    }

    /// The line of a key, else of the nearest table around it; nil when that is the whole file.
    func line(of path: String) -> Int? {
        var path = path[...]
        while true {
            if let line = lines[String(path)] { return line }
            guard let cut = path.lastIndex(where: { $0 == "." || $0 == "[" }) else { return nil }
            path = path[..<cut]
        }
    }
}

/// Finds `[table]`, `[[array of tables]]` and `key =` lines; enough for complaints, since TOMLKit has judged the rest.
struct ConfigScanner {
    /// Where each key and table stands, from 1.
    private(set) var lines: [String: Int] = [:]
    private var counts: [String: Int] = [:]
    private var table = ""
    /// The quotes that end the text of several lines that is open.
    private var quotes: String?

    /// Looks through `text`.
    init(_ text: String) {
        // Bytes, because Swift takes the end of a line written by Windows for one character that is no newline.
        let rows = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for (index, row) in rows.enumerated() {
            take(String(decoding: row, as: UTF8.self).filter { $0 != "\r" && $0 != "\t" && $0 != " " }, index + 1)
        }
    }

    /// `line` comes without white space.
    private mutating func take(_ line: String, _ number: Int) {
        if let open = quotes {
            if line.firstRange(of: open) != nil { quotes = nil }
        } else if line.hasPrefix("[[") {
            let name = resolve(line.dropFirst(2).prefix { $0 != "]" })
            table = "\(name)[\(counts[name, default: 0])]"
            lines[name] = lines[name] ?? number
            counts[name, default: 0] += 1
            lines[table] = number
        } else if line.hasPrefix("[") {
            table = resolve(line.dropFirst().prefix { $0 != "]" })
            lines[table] = lines[table] ?? number
        } else if !line.hasPrefix("#"), let equals = line.firstIndex(of: "=") {
            let key = line[..<equals].filter { $0 != "\"" && $0 != "'" }
            let path = table.isEmpty ? key : "\(table).\(key)"
            lines[path] = lines[path] ?? number
            let value = line[equals...].dropFirst()
            quotes = ["\"\"\"", "'''"].first { value.hasPrefix($0) && value.dropFirst(3).firstRange(of: $0) == nil }
        }
    }

    /// A table within an array of tables belongs to the last of them: `[a.b]` after the second `[[a]]` is `a[1].b`.
    private func resolve(_ name: Substring) -> String {
        var path = ""
        for part in name.filter({ $0 != "\"" && $0 != "'" }).split(separator: ".") {
            if let count = counts[path] { path += "[\(count - 1)]" }
            path += path.isEmpty ? String(part) : ".\(part)"
        }
        return path
    }
}
