// SPDX-License-Identifier: Apache-2.0
import Base

/// The name of a TOML file, and the position of each key in it: `ConfigTable` reads from one.
package struct ConfigSource: Sendable, Hashable {
    let file: String
    private var lines: [String: Int] = [:]

    /// The most bytes a configuration or board file may have.
    package static let maximumSize = TOMLTable.maximumSize

    /// Parses `text`, which came from `file`; a syntax error names line and column.
    package static func parse(_ text: String, file: String) throws -> ConfigTable {
        guard text.utf8.count <= maximumSize else {
            throw ConfigError(file: file, cause: "is larger than \(maximumSize) bytes")
        }
        do throws(TOMLError) {
            let table = try TOMLTable(parsing: text.utf8)
            return ConfigTable(table, path: "", source: ConfigSource(file, table))
        } catch {
            let message = "column \(error.place.column): \(error.message)"
            throw ConfigError(file: file, line: error.place.line, cause: message)
        }
    }

    init(_ file: String, _ table: TOMLTable) {
        self.file = file
        record(table, "")
    }

    /// The path of a key within the table at `path`.
    static func join(_ path: String, _ key: String) -> String { path.isEmpty ? key : "\(path).\(key)" }

    /// The line of a key, else of the nearest table around it; nil when that is the whole file.
    func line(of path: String) -> Int? {
        var path = path[...]
        while true {
            if let line = lines[String(path)] { return line }
            guard let cut = path.lastIndex(where: { $0 == "." || $0 == "[" }) else { return nil }
            path = path[..<cut]
        }
    }

    private mutating func record(_ table: TOMLTable, _ path: String) {
        for key in table.keys { if let value = table[key] { record(value, Self.join(path, key)) } }
    }

    private mutating func record(_ value: TOMLValue, _ path: String) {
        lines[path] = value.place.line
        switch value.content {
        case .table(let table): record(table, path)
        case .array(let values): for (index, value) in values.enumerated() { record(value, "\(path)[\(index)]") }
        default: break
        }
    }
}
