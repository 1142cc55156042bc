// SPDX-License-Identifier: Apache-2.0

/// A JSON value (RFC 8259) whose objects keep the order of their members, which the platforms' records have.
indirect enum JSONValue: Hashable, Sendable {
    case null
    case bool(Bool)
    /// The number as written: no digit is lost.
    case number(String)
    case string(String)
    case array([JSONValue])
    case object([Member])

    /// One name and its value.
    struct Member: Hashable, Sendable {
        let name: String
        let value: JSONValue
    }

    /// An object of these members, in this order.
    static func members(_ members: KeyValuePairs<String, JSONValue>) -> JSONValue {
        .object(members.map { Member(name: $0.key, value: $0.value) })
    }

    /// A whole number, or null.
    static func int(_ value: (some BinaryInteger)?) -> JSONValue { value.map { .number(String($0)) } ?? .null }
    /// A text, or null.
    static func text(_ value: String?) -> JSONValue { value.map { .string($0) } ?? .null }

    /// The value as a number, nil for everything else.
    var double: Double? { if case .number(let text) = self { Double(text) } else { nil } }

    /// Compact JSON text.
    var text: String {
        switch self {
        case .null: "null"
        case .bool(let value): value ? "true" : "false"
        case .number(let text): text
        case .string(let text): Self.quoted(text)
        case .array(let values): "[" + values.map(\.text).joined(separator: ",") + "]"
        case .object(let members):
            "{" + members.map { Self.quoted($0.name) + ":" + $0.value.text }.joined(separator: ",") + "}"
        }
    }

    private static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\u{0}"..<"\u{20}", "\u{7F}":
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
