// SPDX-License-Identifier: Apache-2.0

/// Text as it is spoken and printed, made of the HTML that study files carry.
///
/// Tags go, `br` and the ends of blocks become spaces, entities become their letters, white space is folded. A `<` that
/// begins no tag stays what it is: "press if < 5".
public struct PlainText: Sendable, Hashable {
    /// The text.
    public let text: String

    /// The text of that HTML.
    public init(html: String) {
        var reader = PlainTextReader(html)
        text = reader.read()
    }
}

/// Reads HTML once, from front to back.
private struct PlainTextReader {
    private let source: [Unicode.Scalar]
    /// Where the last `>` stands; no tag begins behind it. Looked for once, so that many `<` cost no more than one.
    private let lastClosing: Int
    private var position = 0
    private var result = String.UnicodeScalarView()
    private var owesSpace = false

    init(_ html: String) {
        source = Array(html.unicodeScalars)
        lastClosing = source.lastIndex(of: ">") ?? -1
    }

    mutating func read() -> String {
        while position < source.count {
            switch source[position] {
            case "<": tag()
            case "&": entity()
            default:
                append(source[position])
                position += 1
            }
        }
        return String(result)
    }

    private mutating func append(_ scalar: Unicode.Scalar) {
        if scalar.properties.isWhitespace {
            owesSpace = true
            return
        }
        if owesSpace, !result.isEmpty { result.append(" ") }
        owesSpace = false
        result.append(scalar)
    }

    private mutating func tag() {
        let next = position + 1 < source.count ? source[position + 1] : " "
        let opens = next.properties.isAlphabetic || next == "/" || next == "!"
        guard opens, position < lastClosing, let end = source[position...].firstIndex(of: ">") else {
            append("<")
            position += 1
            return
        }
        let inside = String(String.UnicodeScalarView(source[(position + 1)..<end])).lowercased()
        let name = inside.drop { $0 == "/" }.prefix { $0.isLetter || $0.isNumber }
        if Self.breaking.contains(String(name)) { owesSpace = true }
        position = end + 1
    }

    private mutating func entity() {
        let window = source[position..<min(position + 12, source.count)]
        guard let end = window.firstIndex(of: ";"),
            let scalar = Self.scalar(String(String.UnicodeScalarView(source[(position + 1)..<end])))
        else {
            append("&")
            position += 1
            return
        }
        append(scalar)
        position = end + 1
    }

    private static func scalar(_ name: String) -> Unicode.Scalar? {
        if name.hasPrefix("#x") || name.hasPrefix("#X") {
            return UInt32(name.dropFirst(2), radix: 16).flatMap(Unicode.Scalar.init)
        }
        if name.hasPrefix("#") { return UInt32(name.dropFirst()).flatMap(Unicode.Scalar.init) }
        return named[name]
    }

    private static let named: [String: Unicode.Scalar] = [
        "amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'", "nbsp": " ", "ndash": "–", "mdash": "—",
        "hellip": "…", "rsquo": "’", "lsquo": "‘", "ldquo": "“", "rdquo": "”", "auml": "ä", "ouml": "ö", "uuml": "ü",
        "Auml": "Ä", "Ouml": "Ö", "Uuml": "Ü", "szlig": "ß", "eacute": "é", "egrave": "è", "copy": "©", "deg": "°",
    ]
    private static let breaking: Set<String> = [
        "br", "p", "div", "li", "ul", "ol", "h1", "h2", "h3", "h4", "h5", "h6", "tr", "td", "th", "hr", "table",
    ]
}
