// SPDX-License-Identifier: Apache-2.0

/// Reads JSON (RFC 8259) strictly and within bounds, because studies and answers come from networks. `JSONNode`
/// calls `document` once.
struct JSONParser {
    private let bytes: [UInt8]
    private let rules: JSONRules
    /// The lines of commas that follow last elements.
    private(set) var trailingCommas: [Int] = []
    private var position = 0
    private var line = 1
    private var depth = 0

    init(_ bytes: [UInt8], _ rules: JSONRules) {
        self.bytes = bytes
        self.rules = rules
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
    }

    /// The one value of the text.
    mutating func document() throws(JSONError) -> JSONNode {
        guard bytes.count <= rules.maximumSize else {
            throw JSONError(line: nil, expected: "at most \(rules.maximumSize) bytes", found: "\(bytes.count) bytes")
        }
        guard !bytes.starts(with: [0xFF, 0xFE]), !bytes.starts(with: [0xFE, 0xFF]) else {
            throw JSONError(line: nil, expected: "JSON in UTF-8", found: "UTF-16")
        }
        skipSpace()
        let node = try value()
        skipSpace()
        guard position == bytes.count else { throw failure("the end of the text") }
        return node
    }

    private var current: UInt8? { position < bytes.count ? bytes[position] : nil }

    private func failure(_ expected: String) -> JSONError {
        let found = current.map { byte in
            (0x21...0x7E).contains(byte) ? "'\(Character(Unicode.Scalar(byte)))'" : "byte \(byte)"
        }
        return JSONError(line: line, expected: "JSON: \(expected)", found: found ?? "the end of the text")
    }

    private mutating func skipSpace() {
        while let byte = current, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D {
            if byte == 0x0A { line += 1 }
            position += 1
        }
    }

    private mutating func value() throws(JSONError) -> JSONNode {
        let start = line
        let content: JSONNode.Content =
            switch current {
            case UInt8(ascii: "{"): try object()
            case UInt8(ascii: "["): try array()
            case UInt8(ascii: "\""): .string(try string())
            case UInt8(ascii: "t"): try word("true", .boolean(true))
            case UInt8(ascii: "f"): try word("false", .boolean(false))
            case UInt8(ascii: "n"): try word("null", .null)
            default: .number(try number())
            }
        return JSONNode(content: content, line: start)
    }

    private mutating func word(_ text: String, _ content: JSONNode.Content) throws(JSONError) -> JSONNode.Content {
        guard bytes[position...].starts(with: text.utf8) else { throw failure("a value") }
        position += text.utf8.count
        return content
    }

    private mutating func consume(_ byte: Unicode.Scalar) -> Bool {
        guard current == UInt8(ascii: byte) else { return false }
        position += 1
        return true
    }

    /// Past an opening bracket and the space after it.
    private mutating func enter() throws(JSONError) {
        position += 1
        depth += 1
        guard depth <= rules.maximumDepth else {
            throw JSONError(line: line, expected: "at most \(rules.maximumDepth) levels of nesting", found: "more")
        }
        skipSpace()
    }

    private mutating func array() throws(JSONError) -> JSONNode.Content {
        try enter()
        defer { depth -= 1 }
        var elements: [JSONNode] = []
        if consume("]") { return .array([]) }
        repeat {
            skipSpace()
            elements.append(try value())
            skipSpace()
        } while consume(",") && !isTrailingComma(before: "]")
        guard consume("]") else { throw failure("',' or ']'") }
        return .array(elements)
    }

    private mutating func object() throws(JSONError) -> JSONNode.Content {
        try enter()
        defer { depth -= 1 }
        var members: [JSONNode.Member] = []
        if consume("}") { return .object([]) }
        repeat {
            skipSpace()
            guard current == UInt8(ascii: "\"") else { throw failure("a key in quotation marks") }
            let key = try string()
            skipSpace()
            guard consume(":") else { throw failure("':'") }
            skipSpace()
            members.append(JSONNode.Member(key: key, value: try value()))
            skipSpace()
        } while consume(",") && !isTrailingComma(before: "}")
        guard consume("}") else { throw failure("',' or '}'") }
        return .object(members)
    }

    /// After a comma: true where the rules allow it to be the last. Skips the space after it.
    private mutating func isTrailingComma(before bracket: Unicode.Scalar) -> Bool {
        guard rules.allowsTrailingCommas else { return false }
        let comma = line
        skipSpace()
        guard current == UInt8(ascii: bracket) else { return false }
        trailingCommas.append(comma)
        return true
    }

    private mutating func digits() throws(JSONError) {
        let start = position
        while current?.isASCIIDigit == true { position += 1 }
        guard position > start else { throw failure("a value") }
    }

    /// As it is written, so that no digit is lost.
    private mutating func number() throws(JSONError) -> String {
        let start = position
        _ = consume("-")
        if !consume("0") { try digits() }
        if consume(".") { try digits() }
        if consume("e") || consume("E") {
            if !consume("+") { _ = consume("-") }
            try digits()
        }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    private mutating func string() throws(JSONError) -> String {
        position += 1
        var text: [UInt8] = []
        while let byte = current, byte != UInt8(ascii: "\"") {
            guard byte >= 0x20 else { throw failure("no control character within a text") }
            position += 1
            if byte == UInt8(ascii: "\\") { try escape(into: &text) } else { text.append(byte) }
        }
        guard consume("\"") else { throw failure("the closing quotation mark") }
        guard let result = String(validating: text, as: UTF8.self) else {
            throw JSONError(line: line, expected: "JSON in UTF-8", found: "a text in another encoding")
        }
        return result
    }

    private mutating func escape(into text: inout [UInt8]) throws(JSONError) {
        guard let byte = current else { throw failure("an escape") }
        position += 1
        switch Character(Unicode.Scalar(byte)) {
        case "\"", "\\", "/": text.append(byte)
        case "b": text.append(0x08)
        case "f": text.append(0x0C)
        case "n": text.append(0x0A)
        case "r": text.append(0x0D)
        case "t": text.append(0x09)
        case "u": text.append(contentsOf: Array(String(try unicode()).utf8))
        default:
            position -= 1
            throw failure("an escape")
        }
    }

    /// A `\u` escape.
    private mutating func unicode() throws(JSONError) -> Unicode.Scalar {
        let first = try fourDigits()
        if let scalar = Unicode.Scalar(first) { return scalar }
        guard (0xD800..<0xDC00).contains(first), bytes[position...].starts(with: [0x5C, 0x75]) else {
            return try loneSurrogate()
        }
        let mark = position
        position += 2
        let second = try fourDigits()
        guard (0xDC00..<0xE000).contains(second) else {
            position = mark
            return try loneSurrogate()
        }
        return Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00)) ?? "\u{FFFD}"
    }

    private func loneSurrogate() throws(JSONError) -> Unicode.Scalar {
        if rules.refusesLoneSurrogates { throw failure("the other half of a surrogate pair") }
        return "\u{FFFD}"
    }

    /// The digits are checked first, because `UInt32.init` alone would accept a sign (RFC 8259 §7 has none).
    private mutating func fourDigits() throws(JSONError) -> UInt32 {
        let digits = bytes[position...].prefix(4)
        guard digits.count == 4, digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }),
            let value = UInt32(String(decoding: digits, as: UTF8.self), radix: 16)
        else { throw failure("four hexadecimal digits") }
        position += 4
        return value
    }
}
