// SPDX-License-Identifier: Apache-2.0

/// Cuts a script into its words. White space is blank, tab and line end only; `//` begins a remark; texts have no escapes and may have several lines.
struct MerlinLexer {
    private let source: [Unicode.Scalar]
    private var at = 0
    private var line = 1
    private var lineStart = 0

    init(_ source: String) { self.source = Array(source.unicodeScalars) }

    /// All words, the last of which is the end.
    mutating func tokens() throws(MerlinProblem) -> [MerlinToken] {
        var tokens: [MerlinToken] = []
        while at < source.count {
            let place = place
            if let kind = try next() { tokens.append(MerlinToken(kind: kind, place: place)) }
        }
        tokens.append(MerlinToken(kind: .end, place: place))
        return tokens
    }

    private var place: MerlinPlace { MerlinPlace(line: line, column: at - lineStart + 1) }

    private mutating func next() throws(MerlinProblem) -> MerlinToken.Kind? {
        let first = source[at]
        switch first {
        case " ", "\t", "\r", "\n":
            advance()
            return nil
        case "/" where peek(1) == "/":
            while at < source.count, source[at] != "\n" { at += 1 }
            return nil
        case "\"": return .text(try text())
        case "0"..."9": return .number(try number())
        default:
            if Self.isLetter(first) || first == "_" { return word() }
            return .sign(try sign(first))
        }
    }

    private mutating func sign(_ first: Unicode.Scalar) throws(MerlinProblem) -> MerlinSign {
        if let pair = MerlinSign.pair(first, peek(1)) {
            at += 2
            return pair
        }
        guard let single = MerlinSign(rawValue: String(first)) else {
            let code = String(first.value, radix: 16, uppercase: true)
            throw MerlinProblem(.scanning, place, "the character '\(first)' (U+\(code)) has no meaning here")
        }
        at += 1
        return single
    }

    private mutating func text() throws(MerlinProblem) -> String {
        let start = place
        at += 1
        var text = String.UnicodeScalarView()
        while at < source.count, source[at] != "\"" {
            text.append(source[at])
            advance()
        }
        guard at < source.count else {
            throw MerlinProblem(.scanning, start, "the text that begins here has no closing quotation mark")
        }
        at += 1
        return String(text)
    }

    private mutating func number() throws(MerlinProblem) -> Double {
        let start = at
        digits()
        if peek(0) == ".", let next = peek(1), Self.isDigit(next) {
            at += 1
            digits()
        }
        if let next = peek(0), next.properties.generalCategory == .decimalNumber {
            throw MerlinProblem(.scanning, place, "the digit '\(next)' is none of 0 to 9")
        }
        return Double(String(String.UnicodeScalarView(source[start..<at]))) ?? 0
    }

    private mutating func digits() {
        while let next = peek(0), Self.isDigit(next) { at += 1 }
    }

    private mutating func word() -> MerlinToken.Kind {
        let start = at
        while let next = peek(0), Self.isLetter(next) || next == "_" || Self.isAnyDigit(next) { at += 1 }
        let word = String(String.UnicodeScalarView(source[start..<at]))
        return MerlinSign.words[word].map { .sign($0) } ?? .name(word)
    }

    private mutating func advance() {
        at += 1
        guard source[at - 1] == "\n" else { return }
        line += 1
        lineStart = at
    }

    private func peek(_ offset: Int) -> Unicode.Scalar? {
        at + offset < source.count ? source[at + offset] : nil
    }

    private static func isDigit(_ scalar: Unicode.Scalar) -> Bool { scalar >= "0" && scalar <= "9" }

    // The app reads UTF-16: what lies beyond its first plane is no letter to it.
    private static func isAnyDigit(_ scalar: Unicode.Scalar) -> Bool {
        isDigit(scalar) || scalar.value < 0x1_0000 && scalar.properties.generalCategory == .decimalNumber
    }

    private static func isLetter(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII { return scalar >= "a" && scalar <= "z" || scalar >= "A" && scalar <= "Z" }
        guard scalar.value < 0x1_0000 else { return false }
        switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter: return true
        default: return false
        }
    }
}
