// SPDX-License-Identifier: Apache-2.0

/// A JSON value without its place in a text: to be written, compared or kept. Keys keep the order
/// in which they are given, because wire formats and people read them so. Reports, log rows and the lab's pages
/// are written from it; `JSONNode` is what is read.
package enum JSONText: Sendable, Hashable {
    case null
    case boolean(Bool)
    /// A number as it is written: no digit of a foreign number is lost.
    case spelled(String)
    case string(String)
    case array([JSONText])
    case object([Member])

    package struct Member: Sendable, Hashable {
        /// Unescaped; escapes are made in writing. Repeated keys are written as often
        /// as they are given.
        package let key: String
        package let value: JSONText
        package init(_ key: String, _ value: JSONText) { (self.key, self.value) = (key, value) }
    }

    package static func integer(_ value: Int64) -> JSONText { .spelled(String(value)) }

    /// Written as a whole number where it is one; `null` where it is not finite, as browsers do.
    package static func number(_ value: Double) -> JSONText { value.isFinite ? .spelled(spelling(of: value)) : .null }

    /// Written with a point or an exponent even where it is whole, for programs that would otherwise
    /// parse it as an integer that does not fit; `null` where it is not finite.
    package static func decimal(_ value: Double) -> JSONText { value.isFinite ? .spelled(String(value)) : .null }

    /// The nearest value of a number; nil for everything else.
    package var double: Double? { if case .spelled(let text) = self { Double(text) } else { nil } }

    /// An object of the pairs with a value that is not nil: what is missing is absent.
    package static func object(_ pairs: KeyValuePairs<String, JSONText?>) -> JSONText { .object(members(pairs)) }

    /// An object of all pairs, with `null` where the value is nil.
    package static func objectWithNulls(_ pairs: KeyValuePairs<String, JSONText?>) -> JSONText {
        .object(membersWithNulls(pairs))
    }

    package static func membersWithNulls(_ pairs: KeyValuePairs<String, JSONText?>) -> [Member] {
        pairs.map { Member($0.key, $0.value ?? .null) }
    }

    /// The members of an object without what is missing.
    package static func members(_ pairs: KeyValuePairs<String, JSONText?>) -> [Member] {
        pairs.compactMap { pair in pair.value.map { Member(pair.key, $0) } }
    }

    /// What a text says; nil where it is no JSON.
    package init?(parsing text: String) {
        guard let node = try? JSONNode(Array(text.utf8)) else { return nil }
        self = node.value
    }

    /// The value of a key; of a repeated key the last, as browsers do. Nil for other values than objects.
    package subscript(_ key: String) -> JSONText? {
        guard case .object(let members) = self else { return nil }
        return members.last { $0.key == key }?.value
    }

    /// The value without white space, on one line, with the escapes that ECMAScript's
    /// `JSON.stringify` uses.
    package var text: String {
        var result = ""
        write(to: &result, indent: nil)
        return result
    }

    /// The same for people: two blanks for each level, and a line feed at the end.
    package var indentedText: String {
        var result = ""
        write(to: &result, indent: "\n")
        return result + "\n"
    }

    /// `indent`: a line feed and the blanks of the level; nil = on one line.
    private func write(to text: inout String, indent: String?) {
        switch self {
        case .null: text += "null"
        case .boolean(let value): text += value ? "true" : "false"
        case .spelled(let value): text += value
        case .string(let value): Self.quote(value, to: &text)
        case .array(let values):
            Self.list(values, "[", "]", to: &text, indent) { $0.write(to: &$1, indent: $2) }
        case .object(let members):
            Self.list(members, "{", "}", to: &text, indent) { member, text, indent in
                Self.quote(member.key, to: &text)
                text += indent == nil ? ":" : ": "
                member.value.write(to: &text, indent: indent)
            }
        }
    }

    private static func list<Element>(
        _ elements: [Element], _ open: String, _ close: String, to text: inout String, _ indent: String?,
        _ write: (Element, inout String, String?) -> Void
    ) {
        text += open
        let inner = indent.map { $0 + "  " }
        for (position, element) in elements.enumerated() {
            if position > 0 { text += "," }
            text += inner ?? ""
            write(element, &text, inner)
        }
        if !elements.isEmpty { text += indent ?? "" }
        text += close
    }

    /// A number as ECMAScript spells whole numbers below 1e16: without point or exponent.
    package static func spelling(of value: Double) -> String {
        guard value.isFinite else { return "null" }
        if value == value.rounded(), abs(value) < 1e16 { return String(Int64(value)) }
        return String(value)
    }

    /// A text in quotation marks, with its escapes.
    package static func quoted(_ value: String) -> String {
        var text = ""
        quote(value, to: &text)
        return text
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
            case "\u{0}"..."\u{1F}": text += "\\u" + scalar.value.padded(4, radix: 16)
            default: text.unicodeScalars.append(scalar)
            }
        }
    }
}
