// SPDX-License-Identifier: Apache-2.0

/// Text as it is spoken and printed, which platforms' readers make of the HTML that study files carry.
///
/// Tags go, `br` and the ends of blocks become spaces, references become their letters, white
/// space is folded. What a picture shows (`alt`), where a link leads and the numbers of a list
/// are part of the text; scripts, styles and the title of a page are not. A `<` that begins no tag
/// stays what it is: "press if < 5".
package struct PlainText: Sendable, Hashable {
    package let text: String

    package init(html: String) {
        var reader = PlainTextReader(html)
        text = reader.read()
    }
}

/// Reads HTML once, from front to back.
private struct PlainTextReader {
    private let source: [Unicode.Scalar]
    /// Where the last `>` is; no tag begins behind it. Looked for once, so that many `<` cost no
    /// more than one.
    private let lastClosing: Int
    /// Where the last `-->` ends, for the same reason.
    private let lastCommentEnd: Int
    private var position = 0
    private var result: [Unicode.Scalar] = []
    /// White space was read that is not in `result` yet; it is dropped at the end of the text.
    private var owesSpace = false
    /// Where the link that is open leads, and how long the text was before it.
    private var link: (address: String, start: Int)?
    /// The next number of each list that is open; nil = one without numbers.
    private var lists: [Int?] = []

    init(_ html: String) {
        let scalars = Self.scalars(html)
        source = scalars
        result.reserveCapacity(scalars.count)
        lastClosing = scalars.lastIndex(of: ">") ?? -1
        lastCommentEnd =
            scalars.indices.last { $0 >= 2 && scalars[$0] == ">" && scalars[$0 - 1] == "-" && scalars[$0 - 2] == "-" }
            ?? -1
    }

    private static func scalars(_ text: String) -> [Unicode.Scalar] {
        var scalars: [Unicode.Scalar] = []
        scalars.reserveCapacity(text.utf8.count)
        for scalar in text.unicodeScalars { scalars.append(scalar) }
        return scalars
    }

    mutating func read() -> String {
        while position < source.count {
            switch source[position] {
            case "<": readTag()
            case "&": readReference()
            default:
                append(source[position])
                position += 1
            }
        }
        endLink()
        return Self.text(result[...])
    }

    /// By way of bytes, which takes a fraction of the time of appending letter by letter.
    private static func text(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(scalars.count)
        for scalar in scalars {
            if scalar.isASCII {
                bytes.append(UInt8(truncatingIfNeeded: scalar.value))
            } else {
                bytes += Array(String(scalar).utf8)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private mutating func append(_ scalar: Unicode.Scalar) {
        // The properties of a letter are looked up in a table, which is slow: those of
        // ASCII are known.
        let isSpace =
            scalar.isASCII ? scalar == " " || (9...13).contains(scalar.value) : scalar.properties.isWhitespace
        if isSpace {
            owesSpace = true
            return
        }
        if owesSpace, !result.isEmpty { result.append(" ") }
        owesSpace = false
        result.append(scalar)
    }

    /// A separate text, with spaces around it.
    private mutating func append(apart text: String) {
        owesSpace = true
        for scalar in text.unicodeScalars { append(scalar) }
        owesSpace = true
    }

    private mutating func readReference() {
        guard let found = HTMLEntities.text(at: position, in: source) else {
            append("&")
            position += 1
            return
        }
        for scalar in found.text.unicodeScalars { append(scalar) }
        position = found.end
    }

    private mutating func readTag() {
        let next = position + 1 < source.count ? source[position + 1] : " "
        let opens = "a"..."z" ~= next || "A"..."Z" ~= next || next == "/" || next == "!" || next == "?"
        guard opens, position < lastClosing, let tag = HTMLTag(source, at: position) else {
            append("<")
            position += 1
            return
        }
        if begins("<!--", at: position) { return skipComment(tag.end) }
        position = tag.end
        if Self.breaking.contains(tag.name) { owesSpace = true }
        switch tag.name {
        case "script", "style", "title": if !tag.isClosing { skip(to: "</" + tag.name) }
        case "img": if let text = tag.attributes["alt"] { append(apart: text) }
        case "a":
            endLink()
            if !tag.isClosing { link = tag.attributes["href"].flatMap(Self.address).map { ($0, result.count) } }
        case "ol", "ul": openOrCloseList(tag)
        case "li": if !tag.isClosing { addItemNumber(tag) }
        default: break
        }
    }

    // MARK: - Links and lists

    /// An address that can be opened elsewhere; nil for places within a page.
    private static func address(_ reference: String) -> String? {
        let lowercased = reference.lowercased()
        if let scheme = ["mailto:", "tel:"].first(where: lowercased.hasPrefix) {
            return String(reference.dropFirst(scheme.count).prefix { $0 != "?" })
        }
        return ["http://", "https://"].contains(where: lowercased.hasPrefix) ? reference : nil
    }

    /// The address follows the words of the link, unless they are the address.
    private mutating func endLink() {
        guard let (address, start) = link else { return }
        link = nil
        let words = String(String.UnicodeScalarView(result[start...])).drop { $0 == " " }
        guard words != address, !address.isEmpty else { return }
        let owed = owesSpace
        append(apart: words.isEmpty ? address : "(\(address))")
        owesSpace = owed
    }

    private mutating func openOrCloseList(_ tag: HTMLTag) {
        if tag.isClosing {
            _ = lists.popLast()
        } else if lists.count < 100 {
            lists.append(tag.name == "ol" ? tag.attributes["start"].flatMap(Self.whole) ?? 1 : nil)
        }
    }

    private mutating func addItemNumber(_ tag: HTMLTag) {
        guard let last = lists.indices.last, let counted = lists[last] else { return }
        let number = tag.attributes["value"].flatMap(Self.whole) ?? counted
        append(apart: "\(number).")
        lists[last] = number + 1
    }

    private static func whole(_ text: String) -> Int? {
        Int(text.prefix(9).filter { !$0.isWhitespace })
    }

    // MARK: - What is no text

    private mutating func skipComment(_ tagEnd: Int) {
        // One that does not end is passed over as far as its first `>`.
        guard position + 6 <= lastCommentEnd else {
            position = tagEnd
            return
        }
        position += 4
        while position < source.count, !begins("-->", at: position) { position += 1 }
        position += 3
    }

    /// To where `mark`, given in lower case, begins in either case; to the end where it does not come.
    private mutating func skip(to mark: String) {
        while position < source.count, !begins(mark, at: position) { position += 1 }
    }

    private func begins(_ mark: String, at place: Int) -> Bool {
        guard place + mark.unicodeScalars.count <= source.count else { return false }
        return mark.unicodeScalars.enumerated().allSatisfy { offset, scalar in
            source[place + offset] == scalar || source[place + offset].properties.lowercaseMapping == String(scalar)
        }
    }

    /// What begins a line or a cell (WHATWG HTML, 15.3, "Rendering": `display` other than inline).
    private static let breaking: Set<String> = [
        "address", "article", "aside", "blockquote", "body", "br", "caption", "center", "dd", "details", "dialog",
        "dir", "div", "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5",
        "h6", "header", "hgroup", "hr", "legend", "li", "listing", "main", "menu", "nav", "ol", "option", "p", "pre",
        "search", "section", "summary", "table", "td", "th", "tr", "ul", "xmp",
    ]
}
