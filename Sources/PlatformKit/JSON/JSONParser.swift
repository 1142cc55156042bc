// SPDX-License-Identifier: Apache-2.0

/// Reads JSON (RFC 8259) strictly and within bounds, because studies come from networks. On request a comma may stand behind a last element.
struct JSONParser {
    /// The largest text that is looked at.
    private static let maximumSize = 4 * 1024 * 1024
    /// The deepest nesting of arrays and objects.
    private static let maximumDepth = 64

    private let bytes: [UInt8]
    private let allowsTrailingCommas: Bool
    /// The lines of commas behind last elements.
    private(set) var trailingCommas: [Int] = []
    private var position = 0
    private var line = 1
    private var depth = 0

    init(_ bytes: [UInt8], allowsTrailingCommas: Bool = false) {
        self.bytes = bytes
        self.allowsTrailingCommas = allowsTrailingCommas
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
    }

    /// The one value of the text.
    mutating func document() throws(StudyFormatError) -> JSONNode {
        guard bytes.count <= Self.maximumSize else {
            throw StudyFormatError(
                path: "$", line: nil, expected: "at most \(Self.maximumSize) bytes", found: "\(bytes.count) bytes")
        }
        skipSpace()
        let node = try value()
        skipSpace()
        guard position == bytes.count else { throw failure("the end of the text") }
        return node
    }

    private var current: UInt8? { position < bytes.count ? bytes[position] : nil }

    private func failure(_ expected: String) -> StudyFormatError {
        let found = current.map { byte in
            (0x21...0x7E).contains(byte) ? "'\(Character(Unicode.Scalar(byte)))'" : "byte \(byte)"
        }
        return StudyFormatError(
            path: "$", line: line, expected: "JSON: \(expected)", found: found ?? "the end of the text")
    }

    private mutating func skipSpace() {
        while let byte = current, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D {
            if byte == 0x0A { line += 1 }
            position += 1
        }
    }

    private mutating func value() throws(StudyFormatError) -> JSONNode {
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

    private mutating func word(_ text: String, _ content: JSONNode.Content) throws(StudyFormatError) -> JSONNode.Content
    {
        guard bytes[position...].starts(with: text.utf8) else { throw failure("a value") }
        position += text.utf8.count
        return content
    }

    private mutating func consume(_ byte: Unicode.Scalar) -> Bool {
        guard current == UInt8(ascii: byte) else { return false }
        position += 1
        return true
    }

    private mutating func enter() throws(StudyFormatError) {
        position += 1
        depth += 1
        guard depth <= Self.maximumDepth else {
            throw StudyFormatError(
                path: "$", line: line, expected: "at most \(Self.maximumDepth) levels of nesting", found: "more")
        }
        skipSpace()
    }

    private mutating func array() throws(StudyFormatError) -> JSONNode.Content {
        try enter()
        defer { depth -= 1 }
        var elements: [JSONNode] = []
        if consume("]") { return .array([]) }
        repeat {
            skipSpace()
            elements.append(try value())
            skipSpace()
        } while consume(",") && !ends("]")
        guard consume("]") else { throw failure("',' or ']'") }
        return .array(elements)
    }

    private mutating func object() throws(StudyFormatError) -> JSONNode.Content {
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
        } while consume(",") && !ends("}")
        guard consume("}") else { throw failure("',' or '}'") }
        return .object(members)
    }

    /// True behind a comma that is allowed there though nothing follows it.
    private mutating func ends(_ bracket: Unicode.Scalar) -> Bool {
        guard allowsTrailingCommas else { return false }
        let comma = line
        skipSpace()
        guard current == UInt8(ascii: bracket) else { return false }
        trailingCommas.append(comma)
        return true
    }

    private mutating func digits() throws(StudyFormatError) {
        let start = position
        while let byte = current, (0x30...0x39).contains(byte) { position += 1 }
        guard position > start else { throw failure("a value") }
    }

    private mutating func number() throws(StudyFormatError) -> String {
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

    private mutating func string() throws(StudyFormatError) -> String {
        position += 1
        var text: [UInt8] = []
        while let byte = current, byte != UInt8(ascii: "\"") {
            guard byte >= 0x20 else { throw failure("no control character within a text") }
            position += 1
            if byte == UInt8(ascii: "\\") { try escape(into: &text) } else { text.append(byte) }
        }
        guard consume("\"") else { throw failure("the closing quotation mark") }
        guard let result = String(validating: text, as: UTF8.self) else { throw failure("UTF-8") }
        return result
    }

    private mutating func escape(into text: inout [UInt8]) throws(StudyFormatError) {
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

    /// A `\u` escape; half of a surrogate pair becomes U+FFFD, as decoders do.
    private mutating func unicode() throws(StudyFormatError) -> Unicode.Scalar {
        let first = try fourDigits()
        guard (0xD800..<0xDC00).contains(first), bytes[position...].starts(with: [0x5C, 0x75]) else {
            return Unicode.Scalar(first) ?? "\u{FFFD}"
        }
        let mark = position
        position += 2
        let second = try fourDigits()
        guard (0xDC00..<0xE000).contains(second) else {
            position = mark
            return "\u{FFFD}"
        }
        return Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00)) ?? "\u{FFFD}"
    }

    private mutating func fourDigits() throws(StudyFormatError) -> UInt32 {
        guard position + 4 <= bytes.count,
            let value = UInt32(String(decoding: bytes[position..<position + 4], as: UTF8.self), radix: 16),
            bytes[position] != UInt8(ascii: "+")
        else { throw failure("four hexadecimal digits") }
        position += 4
        return value
    }
}
