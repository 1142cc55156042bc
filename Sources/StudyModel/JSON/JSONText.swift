// SPDX-License-Identifier: Apache-2.0

/// A JSON value to be written. Keys keep the order in which they are given, because wire formats and people read them so.
package enum JSONText: Sendable, Hashable {
    case null
    case boolean(Bool)
    case integer(Int64)
    /// Written as a whole number where it is one; `null` where it is not finite, as browsers do.
    case number(Double)
    /// Written with a point or an exponent even where it is whole, for readers that would take it for a whole number of too many
    /// bits; `null` where it is not finite.
    case decimal(Double)
    case string(String)
    case array([JSONText])
    case object([Member])

    /// One key and its value.
    package struct Member: Sendable, Hashable {
        /// Unescaped; escapes are made in writing. Repeated keys are written as often as they are given.
        package let key: String
        /// What stands under the key.
        package let value: JSONText
        package init(_ key: String, _ value: JSONText) {
            self.key = key
            self.value = value
        }
    }

    /// The value without white space, on one line, with the escapes that ECMAScript's `JSON.stringify` uses.
    package var text: String {
        var result = ""
        write(to: &result)
        return result
    }

    private func write(to text: inout String) {
        switch self {
        case .null: text += "null"
        case .boolean(let value): text += value ? "true" : "false"
        case .integer(let value): text += String(value)
        case .number(let value): text += Self.spelling(of: value)
        case .decimal(let value): text += value.isFinite ? String(value) : "null"
        case .string(let value): Self.quote(value, to: &text)
        case .array(let values): Self.list(values, "[", "]", to: &text) { $0.write(to: &$1) }
        case .object(let members):
            Self.list(members, "{", "}", to: &text) { member, text in
                Self.quote(member.key, to: &text)
                text += ":"
                member.value.write(to: &text)
            }
        }
    }

    private static func list<Element>(
        _ elements: [Element], _ open: String, _ close: String, to text: inout String,
        _ write: (Element, inout String) -> Void
    ) {
        text += open
        for (position, element) in elements.enumerated() {
            if position > 0 { text += "," }
            write(element, &text)
        }
        text += close
    }

    /// A number as ECMAScript spells whole numbers: without point or exponent.
    package static func spelling(of value: Double) -> String {
        guard value.isFinite else { return "null" }
        if value == value.rounded(), abs(value) < 9e15 { return String(Int64(value)) }
        return String(value)
    }

    private static func quote(_ value: String, to text: inout String) {
        text += "\""
        defer { text += "\"" }
        // Nearly all texts have nothing to escape.
        guard value.utf8.contains(where: { $0 < 0x20 || $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\\") }) else {
            text += value
            return
        }
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\u{8}": text += "\\b"
            case "\u{C}": text += "\\f"
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            case "\u{0}"..."\u{1F}": text += "\\u00" + (scalar.value < 16 ? "0" : "") + String(scalar.value, radix: 16)
            default: text.unicodeScalars.append(scalar)
            }
        }
    }
}
