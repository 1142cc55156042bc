// SPDX-License-Identifier: Apache-2.0
import CPCRE2

/// A regular expression from a study, which texts are checked by, matched by PCRE2 within bounds of time and
/// memory. `TextPattern` in the platforms makes it.
///
/// The apps of the platforms match by ICU. What ICU reads otherwise than PCRE2, sets within sets,
/// is refused and not guessed at.
package struct RegularExpression: Sendable {
    /// Whether it is found in a text.
    package enum Outcome: Sendable, Hashable {
        case found, missing
        /// Matching was given up: patterns such as `(a+)+$` can take longer than any participant lives.
        case exhausted
    }

    /// UTF-8 in PCRE2's spelling, translated from ICU's. Each match compiles it again, so that the type is Sendable.
    private let pattern: [UInt8]

    /// The longest pattern that is read, in characters.
    private static let longest = 500
    /// Steps of matching: some 10 ms on a PC, some 0.1 s on a small board.
    private static let mostSteps: UInt32 = 500_000

    /// Reads a pattern; throws what cannot be read, with its place.
    package init(_ source: String) throws(RegularExpressionError) {
        guard source.unicodeScalars.count <= Self.longest else {
            throw RegularExpressionError(
                place: Self.longest + 1, problem: "it is longer than \(Self.longest) characters")
        }
        var reader = PatternReader(source)
        try reader.read()
        pattern = reader.bytes
        var (error, offset): (CInt, Int) = (0, 0)
        guard let code = studyd_regex_compile(pattern, pattern.count, &error, &offset) else {
            let place = offset < reader.places.count ? reader.places[offset] : source.unicodeScalars.count + 1
            throw RegularExpressionError(place: place, problem: Self.words(error))
        }
        studyd_regex_free(code)
    }

    /// Looks for it anywhere in the text. With `onlyOnce` a text with a second match counts as `.missing`, since
    /// some validators of the platforms want exactly one.
    package func match(_ text: String, onlyOnce: Bool = false) -> Outcome {
        var (error, offset): (CInt, Int) = (0, 0)
        guard let code = studyd_regex_compile(pattern, pattern.count, &error, &offset) else { return .exhausted }
        defer { studyd_regex_free(code) }
        let bytes = Array(text.utf8)
        var next = 0
        func search(from start: Int) -> Outcome {
            switch studyd_regex_match(code, bytes, bytes.count, start, Self.mostSteps, &next) {
            case STUDYD_REGEX_FOUND: .found
            case STUDYD_REGEX_MISSING: .missing
            default: .exhausted
            }
        }
        let first = search(from: 0)
        guard onlyOnce, first == .found, next <= bytes.count else { return first }
        return switch search(from: next) {
        case .found: .missing
        case .missing: .found
        case .exhausted: .exhausted
        }
    }

    private static func words(_ error: CInt) -> String {
        var words = [UInt8](repeating: 0, count: 160)
        studyd_regex_words(error, &words, words.count)
        return String(decoding: words.prefix { $0 != 0 }, as: UTF8.self)
    }
}

/// What is wrong with a pattern.
package struct RegularExpressionError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The character it was found at, from 1; one past the last for what is missing at the end.
    package let place: Int
    let problem: String

    package var description: String { "at character \(place): \(problem)" }
}

/// Turns ICU's spelling into PCRE2's: `\u00e9` and `\U0001F600` become `\x{…}`.
private struct PatternReader {
    private let scalars: [Unicode.Scalar]
    private var place = 0
    private(set) var bytes: [UInt8] = []
    /// For each byte the character it comes from, from 1.
    private(set) var places: [Int] = []

    init(_ source: String) { scalars = Array(source.unicodeScalars) }

    private func next(_ ahead: Int = 0) -> Unicode.Scalar? {
        place + ahead < scalars.count ? scalars[place + ahead] : nil
    }

    private mutating func append(_ text: String, taking count: Int) {
        bytes += text.utf8
        places += repeatElement(place + 1, count: text.utf8.count)
        place += count
    }

    mutating func read() throws(RegularExpressionError) {
        var isInSet = false
        while let scalar = next() {
            switch scalar {
            case "\\": escape()
            case "[" where isInSet:
                guard let length = classLength else { throw problem("a class within a class") }
                append(String(String.UnicodeScalarView(scalars[place..<place + length])), taking: length)
            case "&" where isInSet && next(1) == "&": throw problem("&& in a class")
            case "-" where isInSet && next(1) == "-": throw problem("-- in a class")
            case "[":
                isInSet = true
                append("[", taking: 1)
                if next() == "^" { append("^", taking: 1) }
                // A bracket that comes first is one of the characters.
                if next() == "]" { append("]", taking: 1) }
            case "]" where isInSet:
                isInSet = false
                append("]", taking: 1)
            default: append(String(scalar), taking: 1)
            }
        }
    }

    /// Characters of the POSIX class here, such as `[:alpha:]` within a set; nil where there is none.
    private var classLength: Int? {
        guard let mark = next(1), [":", ".", "="].contains(mark) else { return nil }
        let name = scalars.dropFirst(place + 2).prefix { ![mark, "[", "]"].contains($0) }
        let end = 2 + name.count
        return next(end) == mark && next(end + 1) == "]" ? end + 2 : nil
    }

    private mutating func escape() {
        for (letter, count) in [("u", 4), ("U", 8)] as [(Unicode.Scalar, Int)] where next(1) == letter {
            let digits = scalars.dropFirst(place + 2).prefix(count)
            guard digits.count == count, digits.allSatisfy(\.properties.isASCIIHexDigit) else { continue }
            return append("\\x{" + digits.map(String.init).joined() + "}", taking: 2 + count)
        }
        append("\\" + (next(1).map(String.init) ?? ""), taking: 2)
    }

    private func problem(_ what: String) -> RegularExpressionError {
        RegularExpressionError(place: place + 1, problem: "\(what) is not supported")
    }
}
