// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import Study

/// A table of a TOML file that knows its path, so that every complaint names key and line.
///
/// Read with its typed getters, which give nil where the key is absent, then call `rejectUnknownKeys()`: a key
/// that was not read is a mistake in the file. Not `Sendable`; lives while a file is being read.
package final class ConfigTable {
    let source: ConfigSource
    /// Dotted path of this table; empty for the root.
    let path: String
    private let table: TOMLTable
    /// Keys that were read so far; `rejectUnknownKeys` refuses all others.
    private var asked: Set<String> = []
    private var children: [ConfigTable] = []

    init(_ table: TOMLTable, path: String, source: ConfigSource) {
        (self.table, self.path, self.source) = (table, path, source)
    }

    package func string(_ key: String) throws -> String? {
        try value(key, "a text in quotes") { if case .string(let text) = $0 { text } else { nil } }
    }

    package func integer(_ key: String, in range: ClosedRange<Int>) throws -> Int? {
        try value(key, "a whole number", Self.integer).map { try bounded($0, key, range) }
    }

    /// The 7-bit address of a chip.
    func address(_ key: String) throws -> UInt8? {
        let range: ClosedRange<UInt8> = 0x08...0x77
        guard let number = try value(key, "a whole number", Self.integer) else { return nil }
        guard let address = UInt8(exactly: number), range.contains(address) else {
            let found = UInt8(exactly: number).map(hexadecimal) ?? "\(number)"
            throw error(
                key, "\(found) is outside \(hexadecimal(range.lowerBound)) to \(hexadecimal(range.upperBound))")
        }
        return address
    }

    /// The path of a device file, or `simulated`.
    func deviceFile(_ key: String, like example: String) throws -> String? {
        guard let name = try string(key) else { return nil }
        guard name.hasPrefix("/") || name == BoardDescription.simulated else {
            throw error(key, DeviceNameError(name: name, expected: "a device file such as \(example)"))
        }
        return name
    }

    /// `words` say the range.
    func duration(
        _ key: String, _ range: ClosedRange<Duration>, _ words: String, orZero isZero: Bool = false
    ) throws -> Duration? {
        guard let text = try string(key) else { return nil }
        guard let time = try? Duration(parsing: text), range.contains(time) || isZero && time == .zero else {
            throw error(key, "'\(text)' is not a duration \(words)")
        }
        return time
    }

    /// With or without a point.
    package func number(_ key: String, in range: ClosedRange<Double>) throws -> Double? {
        let number = try value(key, "a number") { content -> Double? in
            switch content {
            case .integer(let number): Double(number)
            case .float(let number) where number.isFinite: number
            default: nil
            }
        }
        return try number.map { try bounded($0, key, range) }
    }

    private func bounded<Number>(_ number: Number, _ key: String, _ range: ClosedRange<Number>) throws -> Number {
        guard range.contains(number) else {
            throw error(key, "\(number) is outside \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// Rows of whole numbers, `[[1, 0], [0, 1]]`.
    package func integers(_ key: String) throws -> [[Int]]? {
        let expected = "rows of whole numbers in brackets"
        guard let rows = try value(key, expected, Self.array) else { return nil }
        return try rows.map { row in
            guard let row = Self.array(row.content) else { throw mismatch(key, expected, row.content) }
            return try row.map { number in
                guard let whole = Self.integer(number.content) else { throw mismatch(key, expected, number.content) }
                return whole
            }
        }
    }

    /// `["a", "b"]`.
    package func strings(_ key: String) throws -> [String]? {
        let expected = "texts in brackets"
        return try value(key, expected, Self.array)?.map { element in
            guard case .string(let text) = element.content else { throw mismatch(key, expected, element.content) }
            return text
        }
    }

    package func boolean(_ key: String) throws -> Bool? {
        try value(key, "true or false") { if case .boolean(let value) = $0 { value } else { nil } }
    }

    /// A text that has to be a raw value of `Choice`.
    package func choice<Choice: RawRepresentable & CaseIterable>(_ key: String, _: Choice.Type) throws -> Choice?
    where Choice.RawValue == String {
        guard let text = try string(key) else { return nil }
        guard let choice = Choice(rawValue: text) else {
            let known = Choice.allCases.map(\.rawValue).joined(separator: ", ")
            throw error(key, "'\(text)' is not one of: \(known)")
        }
        return choice
    }

    /// Throws unless the name at `bus` is one of the board's.
    func checkBus(_ bus: String, isOneOf names: [String]) throws {
        guard !names.contains(bus) else { return }
        throw error(
            "bus", "there is no [[bus]] named '\(bus)'", remedy: "there are: \(names.joined(separator: ", "))")
    }

    /// `value`, or a complaint that `key` is missing.
    package func required<Value>(_ key: String, _ value: Value?) throws -> Value {
        guard let value else {
            let alike = table.keys.first { !asked.contains($0) && Misspelling.isNear($0, key) }
            throw error(key, "is missing", remedy: (alike.map { "did you mean '\($0)' → '\(key)'?" } ?? "add it"))
        }
        return value
    }

    package func table(_ key: String) throws -> ConfigTable? {
        guard let inner = try value(key, "a table", Self.table) else { return nil }
        return child(inner, path: join(key))
    }

    /// The tables written as `[[key]]`.
    package func tables(_ key: String) throws -> [ConfigTable] {
        guard let array = try value(key, "tables written as [[\(key)]]", Self.array) else { return [] }
        return try array.enumerated().map { index, element in
            guard let inner = Self.table(element.content) else {
                throw error(key, "expected tables written as [[\(key)]]")
            }
            return child(inner, path: "\(join(key))[\(index)]")
        }
    }

    package func error(_ key: String, _ cause: String, remedy: String? = nil) -> ConfigError {
        ConfigError(
            file: source.file, path: join(key), line: source.line(of: join(key)), cause: cause, remedy: remedy)
    }

    /// An error at `key` of a part that refused in its own words.
    package func error(_ key: String, _ failure: any Error, remedy: String? = nil) -> ConfigError {
        ConfigError(file: source.file, path: join(key), line: source.line(of: join(key)), failure, also: remedy)
    }

    /// Throws when this table or one read from it holds a key that was not read.
    package func rejectUnknownKeys() throws {
        if let unknown = table.keys.first(where: { !asked.contains($0) }) {
            let known = asked.sorted().joined(separator: ", ")
            throw error(unknown, "unknown key", remedy: "known keys: \(known)")
        }
        for child in children { try child.rejectUnknownKeys() }
    }

    private func value<Value>(
        _ key: String, _ expected: String, _ get: (TOMLValue.Content) -> Value?
    ) throws -> Value? {
        asked.insert(key)
        guard let found = table[key] else { return nil }
        guard let value = get(found.content) else { throw mismatch(key, expected, found.content) }
        return value
    }

    private func mismatch(_ key: String, _ expected: String, _ found: TOMLValue.Content) -> ConfigError {
        error(key, "expected \(expected), found \(found.words)")
    }

    private func join(_ key: String) -> String { ConfigSource.join(path, key) }
    private static func integer(_ content: TOMLValue.Content) -> Int? {
        if case .integer(let number) = content { number } else { nil }
    }
    private static func array(_ content: TOMLValue.Content) -> [TOMLValue]? {
        if case .array(let values) = content { values } else { nil }
    }
    private static func table(_ content: TOMLValue.Content) -> TOMLTable? {
        if case .table(let table) = content { table } else { nil }
    }
    private func child(_ inner: TOMLTable, path: String) -> ConfigTable {
        let child = ConfigTable(inner, path: path, source: source)
        children.append(child)
        return child
    }
}

/// For tables that the agent does not know, but a platform does.
extension ConfigTable: SettingsTable {
    package func section(_ key: String) throws -> (any SettingsTable)? { try table(key) }

    package func complaint(_ key: String, _ message: String) -> any Error { error(key, message) }
}

extension TOMLValue.Content {
    /// For a complaint: what it is, and where it is short what it says.
    fileprivate var words: String {
        switch self {
        case .string(let text): "the text '\(text.prefix(40))'"
        case .integer(let number): "the number \(number)"
        case .float(let number): "the number \(number)"
        case .boolean(let value): "\(value)"
        case .time(let text): "the time \(text.prefix(40))"
        case .array(let values): "a list of \(values.count)"
        case .table: "a table"
        }
    }
}
