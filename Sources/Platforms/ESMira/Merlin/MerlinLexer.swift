// SPDX-License-Identifier: Apache-2.0

/// Cuts a script of Merlin, ESMira's language, into tokens: call `tokens()` once. White space is blank, tab and
/// line end only; `//` begins a comment; texts have no escapes and may have several lines.
struct MerlinLexer {
    /// UTF-8.
    private let source: [UInt8]
    private var at = 0
    private var line = 1
    /// Where the line starts, moved on by each byte that is not a character's first: columns count characters.
    private var lineStart = 0

    init(_ source: String) { self.source = Array(source.utf8) }

    /// All tokens, the last of which is `end`.
    mutating func tokens() throws(MerlinProblem) -> [MerlinToken] {
        var tokens: [MerlinToken] = []
        tokens.reserveCapacity(source.count / 3 + 1)
        while at < source.count {
            let place = place
            if let kind = try next() { tokens.append(MerlinToken(kind: kind, place: place)) }
        }
        tokens.append(MerlinToken(kind: .end, place: place))
        return tokens
    }

    private var place: MerlinPlace { MerlinPlace(line: line, column: at - lineStart + 1) }

    /// Nil after white space or a comment.
    private mutating func next() throws(MerlinProblem) -> MerlinToken.Kind? {
        switch source[at] {
        case 0x20, 0x09, 0x0D, 0x0A:
            advance()
            return nil
        case UInt8(ascii: "/") where peek(1) == UInt8(ascii: "/"):
            while at < source.count, source[at] != 0x0A { advance() }
            return nil
        case UInt8(ascii: "\""): return .text(try text())
        case 0x30...0x39: return .number(try number())
        default: return startsWord ? word() : .sign(try sign())
        }
    }

    /// The longest one that begins here.
    private mutating func sign() throws(MerlinProblem) -> MerlinSign {
        for length in [2, 1] {
            let spelling = Array(source[at...].prefix(length))
            guard let sign = MerlinSign.spelled[spelling] else { continue }
            at += spelling.count
            return sign
        }
        let first = scalar
        let code = String(first.value, radix: 16, uppercase: true)
        throw MerlinProblem(.scanning, place, "the character '\(first)' (U+\(code)) has no meaning here")
    }

    private mutating func text() throws(MerlinProblem) -> String {
        let start = place
        at += 1
        let first = at
        while at < source.count, source[at] != UInt8(ascii: "\"") { advance() }
        guard at < source.count else {
            throw MerlinProblem(.scanning, start, "the text that begins here has no closing quotation mark")
        }
        at += 1
        return String(decoding: source[first..<at - 1], as: UTF8.self)
    }

    private mutating func number() throws(MerlinProblem) -> Double {
        let start = at
        digits()
        if peek(0) == UInt8(ascii: "."), let next = peek(1), Self.isDigit(next) {
            at += 1
            digits()
        }
        if let next = peek(0), next >= 0x80, scalar.properties.generalCategory == .decimalNumber {
            throw MerlinProblem(.scanning, place, "the digit '\(scalar)' is not one of 0 to 9")
        }
        return Double(String(decoding: source[start..<at], as: UTF8.self)) ?? 0
    }

    private mutating func digits() {
        while let next = peek(0), Self.isDigit(next) { at += 1 }
    }

    private mutating func word() -> MerlinToken.Kind {
        let start = at
        advance()
        while at < source.count, continuesWord { advance() }
        let spelling = Array(source[start..<at])
        return MerlinSign.spelled[spelling].map { .sign($0) } ?? .name(String(decoding: spelling, as: UTF8.self))
    }

    private mutating func advance() {
        let byte = source[at]
        at += 1
        if byte == 0x0A {
            line += 1
            lineStart = at
        } else if byte & 0xC0 == 0x80 {
            lineStart += 1
        }
    }

    private func peek(_ offset: Int) -> UInt8? { at + offset < source.count ? source[at + offset] : nil }

    /// The character at this place.
    private var scalar: Unicode.Scalar {
        String(decoding: source[at..<min(at + 4, source.count)], as: UTF8.self).unicodeScalars.first ?? "\u{FFFD}"
    }

    private static func isDigit(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 }

    private var startsWord: Bool {
        switch source[at] {
        case 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "_"): true
        case 0x80...: Self.isLetter(scalar)
        default: false
        }
    }

    private var continuesWord: Bool {
        let byte = source[at]
        // Within a character of several bytes.
        if byte & 0xC0 == 0x80 || Self.isDigit(byte) || startsWord { return true }
        // The app reads UTF-16: what lies beyond its first plane is no letter and no digit to it.
        return byte >= 0x80 && byte < 0xF0 && scalar.properties.generalCategory == .decimalNumber
    }

    private static func isLetter(_ scalar: Unicode.Scalar) -> Bool {
        guard scalar.value < 0x1_0000 else { return false }
        switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter: return true
        default: return false
        }
    }
}
