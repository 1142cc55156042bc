// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc

/// docs/recording.schema.json, and as much of JSON Schema 2020-12 as it uses, for every test that
/// writes descriptions. `SchemaTests` compares it with Python's jsonschema.
package enum DescriptionSchema {
    package static let root = #filePath.split(separator: "/").dropLast(3).reduce("") { "\($0)/\($1)" }
    package static let path = root + "/docs/recording.schema.json"

    private static let schema = Result { try JSONDecoder().decode(SchemaValue.self, from: Data(bytes(path))) }

    /// What does not fit, each with its place; empty for a description that is as the
    /// schema wants it.
    package static func faults(of description: [UInt8]) throws -> [String] {
        let schema = try schema.get()
        let value = try JSONDecoder().decode(SchemaValue.self, from: Data(description))
        return Validator(definitions: schema["$defs"]).faults(value, schema, "")
    }

    /// The same of every description in a folder and the folders in it, each with its file.
    package static func faults(below folder: String) -> [String] {
        names(in: folder).flatMap { name -> [String] in
            let path = "\(folder)/\(name)"
            guard isDescription(name) else { return isFolder(path) ? faults(below: path) : [] }
            let faults = (try? self.faults(of: bytes(path))) ?? ["is no JSON"]
            return faults.map { "\(name): \($0)" }
        }
    }

    /// `000042-accelerometer.json`, or `.open` while it is written.
    private static func isDescription(_ name: String) -> Bool {
        guard name.hasSuffix(".json") || name.hasSuffix(".open") else { return false }
        let digits = name.prefix { $0.isNumber }
        return digits.count >= 6 && name.dropFirst(digits.count).first == "-"
    }

    private static func isFolder(_ path: String) -> Bool {
        var info = stat()
        return lstat(path, &info) == 0 && info.st_mode & S_IFMT == S_IFDIR
    }

    private static func names(in path: String) -> [String] {
        guard let folder = opendir(path) else { return [] }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            names.append(withUnsafePointer(to: &entry.pointee.d_name.0) { String(cString: $0) })
        }
        return names.filter { $0 != "." && $0 != ".." }.sorted()
    }

    private static func bytes(_ path: String) throws -> [UInt8] {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw CocoaError(.fileReadNoSuchFile) }
        defer { close(file) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 65_536)
        while case let count = read(file, &piece, piece.count), count > 0 { bytes += piece[..<count] }
        return bytes
    }
}

/// Any JSON.
enum SchemaValue: Decodable, Equatable {
    case null
    case bool(Bool)
    case number(Double)
    case text(String)
    case list([SchemaValue])
    case object([String: SchemaValue])

    init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        if value.decodeNil() {
            self = .null
        } else if let bool = try? value.decode(Bool.self) {
            self = .bool(bool)
        } else if let number = try? value.decode(Double.self) {
            self = .number(number)
        } else if let text = try? value.decode(String.self) {
            self = .text(text)
        } else if let list = try? value.decode([SchemaValue].self) {
            self = .list(list)
        } else {
            self = .object(try value.decode([String: SchemaValue].self))
        }
    }

    subscript(key: String) -> SchemaValue? {
        if case .object(let members) = self { members[key] } else { nil }
    }
    var number: Double? { if case .number(let number) = self { number } else { nil } }
    var text: String? { if case .text(let text) = self { text } else { nil } }
    var list: [SchemaValue] { if case .list(let list) = self { list } else { [] } }
}

private struct Validator {
    let definitions: SchemaValue?

    func faults(_ value: SchemaValue, _ schema: SchemaValue, _ place: String) -> [String] {
        if case .bool(let isAllowed) = schema { return isAllowed ? [] : ["\(place) must not be there"] }
        var faults: [String] = []
        if let name = schema["$ref"]?.text?.split(separator: "/").last {
            faults += self.faults(value, definitions?[String(name)] ?? .bool(false), place)
        }
        if let type = schema["type"]?.text, !isOf(type, value) { return faults + ["\(place) is no \(type)"] }
        if let constant = schema["const"], constant != value { faults.append("\(place) is not \(constant)") }
        if let choices = schema["enum"]?.list, !choices.contains(value) {
            faults.append("\(place): \(value) is none of the known")
        }
        switch value {
        case .text(let text): faults += textFaults(text, schema, place)
        case .number(let number): faults += numberFaults(number, schema, place)
        case .list(let list): faults += listFaults(list, schema, place)
        case .object(let members): faults += objectFaults(members, schema, place)
        case .null, .bool: break
        }
        for part in schema["allOf"]?.list ?? [] { faults += self.faults(value, part, place) }
        if let condition = schema["if"] {
            let branch = self.faults(value, condition, place).isEmpty ? schema["then"] : schema["else"]
            if let branch { faults += self.faults(value, branch, place) }
        }
        return faults
    }

    private func objectFaults(_ members: [String: SchemaValue], _ schema: SchemaValue, _ place: String) -> [String] {
        let required = (schema["required"]?.list ?? []).compactMap(\.text)
        var faults = required.filter { members[$0] == nil }.map { "\(place)/\($0) is missing" }
        for (key, value) in members {
            if let names = schema["propertyNames"] { faults += self.faults(.text(key), names, "\(place)/\(key)") }
            if let known = schema["properties"]?[key] ?? schema["additionalProperties"] {
                faults += self.faults(value, known, "\(place)/\(key)")
            }
        }
        return faults
    }

    private func listFaults(_ list: [SchemaValue], _ schema: SchemaValue, _ place: String) -> [String] {
        var faults: [String] = []
        let count = Double(list.count)
        if let least = schema["minItems"]?.number, count < least { faults.append("\(place) is too short") }
        if let most = schema["maxItems"]?.number, count > most { faults.append("\(place) is too long") }
        guard let items = schema["items"] else { return faults }
        for (index, item) in list.enumerated() { faults += self.faults(item, items, "\(place)/\(index)") }
        return faults
    }

    private func textFaults(_ text: String, _ schema: SchemaValue, _ place: String) -> [String] {
        if let least = schema["minLength"]?.number, Double(text.count) < least { return ["\(place) is too short"] }
        guard let pattern = schema["pattern"]?.text else { return [] }
        guard let expression = try? Regex(pattern) else { return ["\(place): the pattern is none"] }
        return text.firstMatch(of: expression) == nil ? ["\(place): '\(text)' has another form"] : []
    }

    private func numberFaults(_ number: Double, _ schema: SchemaValue, _ place: String) -> [String] {
        let isSmall = schema["minimum"]?.number.map { number < $0 } ?? false
        let isZero = schema["exclusiveMinimum"]?.number.map { number <= $0 } ?? false
        let isLarge = schema["maximum"]?.number.map { number > $0 } ?? false
        return isSmall || isZero || isLarge ? ["\(place): \(number) is out of bounds"] : []
    }

    private func isOf(_ type: String, _ value: SchemaValue) -> Bool {
        switch (type, value) {
        case ("object", .object), ("array", .list), ("string", .text), ("boolean", .bool), ("number", .number): true
        case ("integer", .number(let number)): number == number.rounded()
        default: false
        }
    }
}
