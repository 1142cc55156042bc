// SPDX-License-Identifier: Apache-2.0
import Base

/// A schema of Apache Avro 1.11, as RADAR-base's registry gives it for a `RadarTopic`. Pure.
struct AvroSchema: Sendable, Hashable {
    indirect enum Shape: Sendable, Hashable {
        case null, boolean, int, long, float, double, bytes, string
        case fixed(name: String, size: Int)
        /// `fallback` is the enum's own default: the symbol for a text that is none of `symbols`.
        case enumeration(name: String, symbols: [String], fallback: String?)
        case array(Shape)
        case map(Shape)
        case union([Shape])
        case record(name: String, fields: [Field])
        /// A type that was defined before, by its full name.
        case named(String)
    }

    struct Field: Sendable, Hashable {
        let name: String
        let shape: Shape
        /// The field's default; nil where the schema gives none.
        let fallback: JSONText?
    }

    let root: Shape
    private let types: [String: Shape]

    init(parsing text: String) throws {
        var rules = JSONRules()
        rules.maximumSize = 1 << 20
        var reader = AvroSchemaReader()
        root = try reader.shape(try JSONNode(Array(text.utf8), rules), in: "")
        types = reader.types
    }

    /// The shape that a `.named` one refers to; any other shape itself.
    func resolved(_ shape: Shape) -> Shape {
        if case .named(let name) = shape { types[name] ?? .null } else { shape }
    }

    /// What a value of a union with this branch is wrapped in (Avro 1.11, "JSON Encoding").
    func branchName(_ shape: Shape) -> String {
        switch shape {
        case .null: "null"
        case .boolean: "boolean"
        case .int: "int"
        case .long: "long"
        case .float: "float"
        case .double: "double"
        case .bytes: "bytes"
        case .string: "string"
        case .array: "array"
        case .map: "map"
        case .union: "union"
        case .fixed(let name, _), .enumeration(let name, _, _), .record(let name, _), .named(let name): name
        }
    }

    /// The fields of the record that it describes; none where it describes something else.
    var fields: [Field] { if case .record(_, let fields) = root { fields } else { [] } }
}

/// What is wrong with a schema, or with a value for it.
struct AvroFault: ExplainedError, Sendable, Hashable {
    /// Which field: `Questionnaire.answers[2].value`; or which line of the schema.
    let path: String
    let cause: String
    var explanation: Explanation { Explanation(place: path, cause: cause) }
}

/// Reads the JSON of a schema and collects its named types. The JSON reader limits nesting, and so recursion.
private struct AvroSchemaReader {
    private(set) var types: [String: AvroSchema.Shape] = [:]

    private static let plain: [String: AvroSchema.Shape] = [
        "null": .null, "boolean": .boolean, "int": .int, "long": .long, "float": .float, "double": .double,
        "bytes": .bytes, "string": .string,
    ]

    mutating func shape(_ node: JSONNode, in namespace: String) throws -> AvroSchema.Shape {
        switch node.content {
        case .string(let name): return try shape(called: name, in: namespace)
        case .array(let branches): return .union(try branches.map { try shape($0, in: namespace) })
        case .object:
            guard let type = node["type"] else { throw fault("a type without 'type'", node) }
            guard case .string(let kind) = type.content else { return try shape(type, in: namespace) }
            return try shape(of: kind, node, in: namespace)
        default: throw fault("\(node.summary) instead of a type", node)
        }
    }

    private func shape(called name: String, in namespace: String) throws -> AvroSchema.Shape {
        if let plain = Self.plain[name] { return plain }
        let full = Self.full(name, in: namespace)
        for known in [full, name] where types[known] != nil { return .named(known) }
        throw AvroFault(path: name, cause: "is a type that the schema does not define")
    }

    private mutating func shape(
        of kind: String, _ node: JSONNode, in namespace: String
    ) throws -> AvroSchema.Shape {
        switch kind {
        case "array", "map":
            guard let items = node[kind == "array" ? "items" : "values"] else {
                throw fault("\(kind) of nothing", node)
            }
            let inner = try shape(items, in: namespace)
            return kind == "array" ? .array(inner) : .map(inner)
        case "record", "error", "enum", "fixed": return try named(kind, node, in: namespace)
        default: return try shape(called: kind, in: namespace)
        }
    }

    private mutating func named(_ kind: String, _ node: JSONNode, in outer: String) throws -> AvroSchema.Shape {
        guard let own = node["name"]?.text, !own.isEmpty else { throw fault("a \(kind) without a name", node) }
        let name = Self.full(own, in: node["namespace"]?.text ?? outer)
        guard types[name] == nil else { throw AvroFault(path: name, cause: "is defined twice") }
        // A placeholder, since the type's own fields may refer to it.
        types[name] = .null
        let namespace = name.lastIndex(of: ".").map { String(name[..<$0]) } ?? ""
        let shape: AvroSchema.Shape
        switch kind {
        case "enum":
            let symbols = node["symbols"]?.elements.compactMap(\.text) ?? []
            guard !symbols.isEmpty else { throw AvroFault(path: name, cause: "has no symbols") }
            shape = .enumeration(name: name, symbols: symbols, fallback: node["default"]?.text)
        case "fixed":
            guard let size = node["size"]?.wholeNumber, (0...1 << 20).contains(size) else {
                throw AvroFault(path: name, cause: "has no size")
            }
            shape = .fixed(name: name, size: Int(size))
        default:
            let fields = try (node["fields"]?.elements ?? []).map { field -> AvroSchema.Field in
                guard let label = field["name"]?.text, let type = field["type"] else {
                    throw fault("a field without name or type", field)
                }
                return AvroSchema.Field(
                    name: label, shape: try self.shape(type, in: namespace), fallback: field["default"]?.value)
            }
            shape = .record(name: name, fields: fields)
        }
        types[name] = shape
        return shape
    }

    private static func full(_ name: String, in namespace: String) -> String {
        name.contains(".") || namespace.isEmpty ? name : "\(namespace).\(name)"
    }

    private func fault(_ cause: String, _ node: JSONNode) -> AvroFault {
        AvroFault(path: "line \(node.line)", cause: cause)
    }
}

extension JSONNode {
    /// The elements of an array; empty for anything else.
    var elements: [JSONNode] { if case .array(let elements) = content { elements } else { [] } }

    /// The value of a whole number, such as `5` or `5.0`; nil for anything else.
    var wholeNumber: Int64? { value.double.flatMap { Int64(exactly: $0) } }
}
