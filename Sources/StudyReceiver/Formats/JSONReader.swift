// SPDX-License-Identifier: Apache-2.0

/// Reads one JSON value, strictly by RFC 8259, with bounded depth.
struct JSONReader {
    /// Why a text is no JSON, and at which byte.
    struct Failure: Error, Hashable, CustomStringConvertible {
        let reason: String
        let offset: Int
        var description: String { "\(reason) at byte \(offset)" }
    }

    private let bytes: [UInt8]
    private var position = 0
    private let depthLimit: Int

    private init(_ text: String, depthLimit: Int) {
        bytes = Array(text.utf8)
        self.depthLimit = depthLimit
    }

    /// The value that `text` is, nothing before or after it.
    static func value(_ text: String, depthLimit: Int = 32) throws(Failure) -> JSONValue {
        var reader = JSONReader(text, depthLimit: depthLimit)
        let value = try reader.value(0)
        reader.skipSpace()
        guard reader.position == reader.bytes.count else { throw reader.failure("something follows the value") }
        return value
    }

    private func failure(_ reason: String) -> Failure { Failure(reason: reason, offset: position) }
    private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func skipSpace() {
        while let byte = next, [0x20, 0x09, 0x0A, 0x0D].contains(byte) { position += 1 }
    }

    private mutating func consume(_ byte: Character) -> Bool {
        guard next == byte.asciiValue else { return false }
        position += 1
        return true
    }

    private mutating func value(_ depth: Int) throws(Failure) -> JSONValue {
        guard depth < depthLimit else { throw failure("more than \(depthLimit) levels") }
        skipSpace()
        switch next {
        case UInt8(ascii: "{"): return .object(try members(depth))
        case UInt8(ascii: "["): return .array(try elements(depth))
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default: return .number(try number())
        }
    }

    private mutating func word(_ word: String, _ value: JSONValue) throws(Failure) -> JSONValue {
        guard bytes[position...].starts(with: word.utf8) else { throw failure("a value is expected") }
        position += word.utf8.count
        return value
    }

    private mutating func members(_ depth: Int) throws(Failure) -> [JSONValue.Member] {
        var members: [JSONValue.Member] = []
        position += 1
        skipSpace()
        if consume("}") { return [] }
        repeat {
            skipSpace()
            guard next == UInt8(ascii: "\"") else { throw failure("a name in quotes is expected") }
            let name = try string()
            skipSpace()
            guard consume(":") else { throw failure("`:` is expected") }
            members.append(JSONValue.Member(name: name, value: try value(depth + 1)))
            skipSpace()
        } while consume(",")
        guard consume("}") else { throw failure("`}` is expected") }
        return members
    }

    private mutating func elements(_ depth: Int) throws(Failure) -> [JSONValue] {
        var elements: [JSONValue] = []
        position += 1
        skipSpace()
        if consume("]") { return [] }
        repeat {
            elements.append(try value(depth + 1))
            skipSpace()
        } while consume(",")
        guard consume("]") else { throw failure("`]` is expected") }
        return elements
    }

    private mutating func string() throws(Failure) -> String {
        position += 1
        var scalars = String.UnicodeScalarView()
        var plain = position
        while let byte = next {
            switch byte {
            case UInt8(ascii: "\""):
                scalars.append(contentsOf: text(plain).unicodeScalars)
                position += 1
                return String(scalars)
            case UInt8(ascii: "\\"):
                scalars.append(contentsOf: text(plain).unicodeScalars)
                scalars.append(try escape())
                plain = position
            case 0..<0x20: throw failure("a text contains a control character")
            default: position += 1
            }
        }
        throw failure("a text does not end")
    }

    private func text(_ start: Int) -> String { String(decoding: bytes[start..<position], as: UTF8.self) }

    private mutating func escape() throws(Failure) -> Unicode.Scalar {
        position += 1
        let byte = next
        position += 1
        switch byte {
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "\""): return "\""
        case UInt8(ascii: "\\"): return "\\"
        case UInt8(ascii: "/"): return "/"
        case UInt8(ascii: "u"): return try unicode()
        default: throw failure("an unknown escape")
        }
    }

    private mutating func unicode() throws(Failure) -> Unicode.Scalar {
        let first = try fourDigits()
        guard (0xD800...0xDBFF).contains(first) else { return try scalar(first) }
        guard consume("\\"), consume("u") else { throw failure("a lone surrogate") }
        let second = try fourDigits()
        guard (0xDC00...0xDFFF).contains(second) else { throw failure("a lone surrogate") }
        return try scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
    }

    private func scalar(_ value: UInt32) throws(Failure) -> Unicode.Scalar {
        guard let scalar = Unicode.Scalar(value) else { throw failure("a lone surrogate") }
        return scalar
    }

    private mutating func fourDigits() throws(Failure) -> UInt32 {
        let digits = bytes[position..<min(bytes.count, position + 4)]
        let isHexadecimal = digits.allSatisfy { Character(Unicode.Scalar($0)).isHexDigit }
        guard digits.count == 4, isHexadecimal, let value = UInt32(String(decoding: digits, as: UTF8.self), radix: 16)
        else { throw failure("four hexadecimal digits are expected") }
        position += 4
        return value
    }

    private mutating func number() throws(Failure) -> String {
        let start = position
        _ = consume("-")
        let isZero = consume("0")
        guard isZero || digits() > 0 else { throw failure("a value is expected") }
        if consume("."), digits() == 0 { throw failure("a digit is expected") }
        if consume("e") || consume("E") {
            if !consume("+") { _ = consume("-") }
            guard digits() > 0 else { throw failure("a digit is expected") }
        }
        return text(start)
    }

    private mutating func digits() -> Int {
        let start = position
        while let byte = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { position += 1 }
        return position - start
    }
}
