// SPDX-License-Identifier: Apache-2.0

/// One tag of HTML, as `PlainText` reads it: `<a href="x">`, `</a>`.
struct HTMLTag: Sendable, Hashable {
    /// In lower case.
    let name: String
    let isClosing: Bool
    /// By name in lower case, the first of each; `&…;` in their values is decoded.
    let attributes: [String: String]
    /// The index just after its `>`.
    let end: Int

    /// In characters. A longer tag is read without its attributes, and ends at its first `>`.
    static let longest = 4_096
}

extension HTMLTag {
    /// The tag that begins with the `<` at `start`; nil where there is none.
    init?(_ source: [Unicode.Scalar], at start: Int) {
        var reader = HTMLTagReader(source, at: start)
        guard let read = reader.read() else { return nil }
        self = read
    }
}

/// Reads one tag from front to back.
private struct HTMLTagReader {
    private let source: [Unicode.Scalar]
    private let start: Int
    private let limit: Int
    private var position: Int
    private var attributes: [String: String] = [:]

    init(_ source: [Unicode.Scalar], at start: Int) {
        self.source = source
        self.start = start
        position = start + 1
        limit = min(source.count, start + HTMLTag.longest)
    }

    mutating func read() -> HTMLTag? {
        let isClosing = consume("/")
        let name = readWord { $0.properties.isAlphabetic || $0.properties.numericType != nil }
        let isWhole = readAttributes()
        guard let end = isWhole ? position : source[start...].firstIndex(of: ">") else { return nil }
        return HTMLTag(name: name, isClosing: isClosing, attributes: isWhole ? attributes : [:], end: end + 1)
    }

    /// Up to the `>`; false where there is none.
    private mutating func readAttributes() -> Bool {
        while position < limit {
            if source[position] == ">" { return true }
            let name = readWord { !$0.properties.isWhitespace && !"=>/".unicodeScalars.contains($0) }
            guard !name.isEmpty else {
                position += 1
                continue
            }
            skipSpace()
            guard consume("=") else {
                attributes[name] = attributes[name] ?? ""
                continue
            }
            skipSpace()
            guard let value = readValue() else { return false }
            attributes[name] = attributes[name] ?? HTMLEntities.decoded(value)
        }
        return false
    }

    /// In quotes, or up to a space; nil where the quote does not end.
    private mutating func readValue() -> String? {
        guard position < limit else { return nil }
        let quote = source[position]
        guard quote == "\"" || quote == "'" else {
            return readText { !$0.properties.isWhitespace && $0 != ">" }
        }
        position += 1
        let value = readText { $0 != quote }
        return consume(quote) ? value : nil
    }

    private mutating func consume(_ scalar: Unicode.Scalar) -> Bool {
        guard position < limit, source[position] == scalar else { return false }
        position += 1
        return true
    }

    private mutating func skipSpace() {
        while position < limit, source[position].properties.isWhitespace { position += 1 }
    }

    private mutating func readWord(_ belongs: (Unicode.Scalar) -> Bool) -> String { readText(belongs).lowercased() }

    private mutating func readText(_ belongs: (Unicode.Scalar) -> Bool) -> String {
        let first = position
        while position < limit, belongs(source[position]) { position += 1 }
        return String(String.UnicodeScalarView(source[first..<position]))
    }
}
