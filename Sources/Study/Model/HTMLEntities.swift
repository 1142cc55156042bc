// SPDX-License-Identifier: Apache-2.0

/// The letters that HTML has names and numbers for, as text refers to them (`&amp;`, `&#38;`), for `PlainText`
/// and `HTMLTag`.
enum HTMLEntities {
    /// The text of the reference that begins with the `&` at `start`, and where the text goes on
    /// after it; nil where none begins there.
    static func text(at start: Int, in source: [Unicode.Scalar]) -> (text: String, end: Int)? {
        let first = start + 1
        guard first < source.count else { return nil }
        return source[first] == "#" ? number(after: first + 1, source) : name(from: first, source)
    }

    /// The value of an attribute with every reference in it replaced.
    ///
    /// A name without its semicolon is none before `=`, a letter or a digit (WHATWG HTML, 13.2.5.73), so that
    /// addresses keep their `&copy=1`.
    static func decoded(_ text: some StringProtocol) -> String {
        guard text.contains("&") else { return String(text) }
        let source = Array(text.unicodeScalars)
        var result = String.UnicodeScalarView()
        var position = 0
        while position < source.count {
            if source[position] == "&", let found = Self.text(at: position, in: source),
                !isOfAddress(source[position..<found.end], before: found.end < source.count ? source[found.end] : " ")
            {
                result.append(contentsOf: found.text.unicodeScalars)
                position = found.end
            } else {
                result.append(source[position])
                position += 1
            }
        }
        return String(result)
    }

    /// A reference by name that lacks its semicolon, and is followed by `=`, a letter or a digit.
    private static func isOfAddress(_ reference: ArraySlice<Unicode.Scalar>, before next: Unicode.Scalar) -> Bool {
        reference.last != ";" && !reference.contains("#") && (next == "=" || isLetterOrDigit(next))
    }

    /// A name with its semicolon; else, of the names that old pages write without one, the longest
    /// with which the letters begin.
    private static func name(from first: Int, _ source: [Unicode.Scalar]) -> (text: String, end: Int)? {
        var end = first
        while end < source.count, end - first < HTMLEntityTable.longest, isLetterOrDigit(source[end]) { end += 1 }
        let letters = source[first..<end]
        if end < source.count, source[end] == ";", let text = HTMLEntityTable.named[string(letters)] {
            return (text, end + 1)
        }
        for length in stride(from: min(letters.count, HTMLEntityTable.longestBare), to: 1, by: -1) {
            let name = string(letters.prefix(length))
            if HTMLEntityTable.bare.contains(name), let text = HTMLEntityTable.named[name] {
                return (text, first + length)
            }
        }
        return nil
    }

    private static func number(after first: Int, _ source: [Unicode.Scalar]) -> (text: String, end: Int)? {
        let isHexadecimal = first < source.count && (source[first] == "x" || source[first] == "X")
        let start = isHexadecimal ? first + 1 : first
        var end = start
        var value: UInt32 = 0
        while end < source.count, let digit = digit(source[end]), digit < (isHexadecimal ? 16 : 10) {
            // Bounded to one above the last letter, which keeps the value from overflowing.
            value = min(0x11_0000, value * (isHexadecimal ? 16 : 10) + digit)
            end += 1
        }
        guard end > start else { return nil }
        let hasSemicolon = end < source.count && source[end] == ";"
        return (letter(value), hasSemicolon ? end + 1 : end)
    }

    /// The numbers from 128 to 159 mean the letters of Windows, as in every browser; what is no
    /// letter is U+FFFD.
    private static func letter(_ value: UInt32) -> String {
        if 0x80...0x9F ~= value { return String(windows[Int(value - 0x80)]) }
        guard value != 0, let scalar = Unicode.Scalar(value) else { return "\u{FFFD}" }
        return String(scalar)
    }

    private static let windows = Array(
        "€\u{81}‚ƒ„…†‡ˆ‰Š‹Œ\u{8D}Ž\u{8F}\u{90}‘’“”•–—˜™š›œ\u{9D}žŸ".unicodeScalars)

    private static func isLetterOrDigit(_ scalar: Unicode.Scalar) -> Bool {
        "a"..."z" ~= scalar || "A"..."Z" ~= scalar || "0"..."9" ~= scalar
    }

    private static func digit(_ scalar: Unicode.Scalar) -> UInt32? {
        switch scalar {
        case "0"..."9": scalar.value - 48
        case "a"..."f": scalar.value - 87
        case "A"..."F": scalar.value - 55
        default: nil
        }
    }

    private static func string(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
        String(String.UnicodeScalarView(scalars))
    }
}
