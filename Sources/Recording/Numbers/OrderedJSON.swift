// SPDX-License-Identifier: Apache-2.0

/// JSON whose keys keep their order, for writing.
package enum OrderedJSON: Sendable, Hashable {
    /// `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A whole number.
    case integer(Int64)
    /// A number that is not finite is written as null, since JSON has no other word for it.
    case number(Double)
    /// Text, escaped as JSON needs it.
    case string(String)
    /// A list.
    case array([OrderedJSON])
    /// An object whose members keep this order.
    case object([Member])

    /// One key and its value.
    package struct Member: Sendable, Hashable {
        /// The key.
        package let key: String
        /// The value.
        package let value: OrderedJSON

        package init(_ key: String, _ value: OrderedJSON) {
            self.key = key
            self.value = value
        }
    }

    /// An object of the pairs whose value is not nil: what is missing is absent.
    package static func object(_ pairs: KeyValuePairs<String, OrderedJSON?>) -> OrderedJSON {
        .object(pairs.compactMap { pair in pair.value.map { Member(pair.key, $0) } })
    }

    /// The text, with two blanks of indentation per level.
    package var text: String { text(indent: "") + "\n" }

    private func text(indent: String) -> String {
        switch self {
        case .null: "null"
        case .bool(let value): value ? "true" : "false"
        case .integer(let value): "\(value)"
        case .number(let value): value.isFinite ? "\(value)" : "null"
        case .string(let value): Self.quoted(value)
        case .array(let values):
            Self.list(values.map { $0.text(indent: indent + "  ") }, "[", "]", indent)
        case .object(let members):
            Self.list(
                members.map { "\(Self.quoted($0.key)): \($0.value.text(indent: indent + "  "))" }, "{", "}", indent)
        }
    }

    private static func list(_ items: [String], _ open: String, _ close: String, _ indent: String) -> String {
        guard !items.isEmpty else { return open + close }
        return "\(open)\n\(indent)  \(items.joined(separator: ",\n\(indent)  "))\n\(indent)\(close)"
    }

    static func quoted(_ text: String) -> String {
        var out = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": out += "\\\""
            case "\\": out += "\\\\"
            case "\n": out += "\\n"
            case "\r": out += "\\r"
            case "\t": out += "\\t"
            case let control where control.value < 0x20:
                out += "\\u00" + (control.value < 16 ? "0" : "") + String(control.value, radix: 16)
            default: out.unicodeScalars.append(scalar)
            }
        }
        return out + "\""
    }
}
