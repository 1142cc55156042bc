// SPDX-License-Identifier: Apache-2.0

/// TOML's strings, from the opening quote through the closing one.
extension TOMLCursor {
    /// A string with escapes, of one line or several.
    mutating func basicString() throws(TOMLError) -> String {
        sees("\"\"\"") ? try lines("\"\"\"", hasEscapes: true) : try basicLine()
    }

    /// A string in apostrophes, without escapes, of one line or several.
    mutating func literalString() throws(TOMLError) -> String {
        sees("'''") ? try lines("'''", hasEscapes: false) : try literalLine()
    }

    /// `"..."` on one line.
    mutating func basicLine() throws(TOMLError) -> String { try line("\"", hasEscapes: true) }

    /// `'...'` on one line.
    mutating func literalLine() throws(TOMLError) -> String { try line("'", hasEscapes: false) }

    private mutating func line(_ quote: StaticString, hasEscapes: Bool) throws(TOMLError) -> String {
        let place = place
        var bytes: [UInt8] = []
        advance()
        while !consume(quote) {
            guard let byte = next, byte != UInt8(ascii: "\n"), !sees("\r\n") else {
                throw TOMLError(place, "this text is not closed on its line; close it with \(quote)")
            }
            try append(byte, hasEscapes, &bytes)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private mutating func lines(_ quotes: StaticString, hasEscapes: Bool) throws(TOMLError) -> String {
        let place = place
        var bytes: [UInt8] = []
        _ = consume(quotes)
        _ = consumeLineEnd()
        while !consume(quotes) {
            guard let byte = next else {
                throw TOMLError(place, "this text is not closed; close it with \(quotes)")
            }
            if consumeLineEnd() {
                bytes.append(UInt8(ascii: "\n"))
            } else if !(hasEscapes && consumeLineFold()) {
                try append(byte, hasEscapes, &bytes)
            }
        }
        // Up to two quotes may end the text directly before the closing three; here they come after them.
        for _ in 0..<2 where next == quotes.utf8Start[0] {
            bytes.append(quotes.utf8Start[0])
            advance()
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Past a backslash at the end of a line and all white space up to the next character, if one is here.
    private mutating func consumeLineFold() -> Bool {
        guard next == UInt8(ascii: "\\") else { return false }
        var ahead = self
        ahead.advance()
        ahead.skipBlanks()
        guard ahead.consumeLineEnd() else { return false }
        repeat { ahead.skipBlanks() } while ahead.consumeLineEnd()
        self = ahead
        return true
    }

    private mutating func append(_ byte: UInt8, _ hasEscapes: Bool, _ bytes: inout [UInt8]) throws(TOMLError) {
        if hasEscapes, byte == UInt8(ascii: "\\") {
            bytes += Array(String(try escape()).utf8)
        } else {
            try checkControl(byte)
            bytes.append(byte)
            advance()
        }
    }

    private mutating func escape() throws(TOMLError) -> Character {
        let place = place
        advance()
        let letter = next
        advance()
        switch letter {
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "\""): return "\""
        case UInt8(ascii: "\\"): return "\\"
        case UInt8(ascii: "u"): return Character(try scalar(4, place))
        case UInt8(ascii: "U"): return Character(try scalar(8, place))
        default:
            throw TOMLError(place, "unknown escape; write a backslash as \\\\, or put the text in single quotes")
        }
    }

    private mutating func scalar(_ digits: Int, _ place: TOMLPlace) throws(TOMLError) -> Unicode.Scalar {
        var code: UInt32 = 0
        for _ in 0..<digits {
            guard let byte = next, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
                throw TOMLError(place, "expected \(digits) hexadecimal digits")
            }
            code = code << 4 | UInt32(digit)
            advance()
        }
        guard let scalar = Unicode.Scalar(code) else { throw TOMLError(place, "no such character") }
        return scalar
    }
}
