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
            return ConfigTable(table, path: "", source: ConfigSource(file: file, lines: Self.scan(text)))
        } catch let error as TOMLParseError {
            let place = error.source.begin
            let message = "column \(place.column): \(error.description)"
            throw ConfigError(file: file, path: "", line: place.line, message: message)
        }
    }

    /// The line of a key, else of the table it should stand in.
    func line(of path: String, in table: String) -> Int? { lines[path] ?? lines[table] }

    /// Finds `[table]`, `[[array of tables]]` and `key =` lines; enough for complaints, since TOMLKit has judged the rest.
    private static func scan(_ text: String) -> [String: Int] {
        var lines: [String: Int] = [:]
        var counts: [String: Int] = [:]
        var table = ""
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let trimmed = line.drop { $0 == " " || $0 == "\t" }
            if trimmed.hasPrefix("[[") {
                let name = String(trimmed.dropFirst(2).prefix { $0 != "]" })
                table = "\(name)[\(counts[name, default: 0])]"
                counts[name, default: 0] += 1
                lines[table] = index + 1
            } else if trimmed.hasPrefix("[") {
                table = String(trimmed.dropFirst().prefix { $0 != "]" })
                lines[table] = index + 1
            } else if let equals = trimmed.firstIndex(of: "="), !trimmed.hasPrefix("#") {
                let key = trimmed[..<equals].split(whereSeparator: { $0 == " " || $0 == "\"" }).joined()
                let path = table.isEmpty ? key : "\(table).\(key)"
                if lines[path] == nil { lines[path] = index + 1 }
            }
        }
        return lines
    }
}
