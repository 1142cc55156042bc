// SPDX-License-Identifier: Apache-2.0

/// One part of a key, without its quotes.
struct TOMLKey {
    let name: String
    let place: TOMLPlace
}

/// Reads TOML 1.0 (toml.io/en/v1.0.0) from the first byte to the last or the first fault. It
/// recurses as deep as `TOMLTable.maximumDepth` and no deeper.
struct TOMLParser {
    var cursor: TOMLCursor
    private let root = TOMLDraft(TOMLPlace(line: 1, column: 1), .header, depth: 0)
    /// Where pairs go: the table of the latest header.
    private var table: TOMLDraft

    init(_ cursor: TOMLCursor) {
        self.cursor = cursor
        table = root
    }

    mutating func document() throws(TOMLError) -> TOMLTable {
        while cursor.next != nil { try line() }
        return root.table
    }

    /// Throws where something would lie too deep.
    static func check(depth: Int, at place: TOMLPlace) throws(TOMLError) {
        guard depth > TOMLTable.maximumDepth else { return }
        throw TOMLError(place, "more than \(TOMLTable.maximumDepth) nested tables and lists")
    }

    /// Reads the `key = value` that begins here.
    mutating func pair(into table: TOMLDraft) throws(TOMLError) {
        let keys = try key()
        guard cursor.consume("=") else {
            throw TOMLError(cursor.place, "expected '=' after the key, found \(cursor.found)")
        }
        var table = table
        for part in keys.dropLast() { table = try table.enterDotted(part) }
        guard let last = keys.last else { return }
        try table.checkVacant(last)
        cursor.skipBlanks()
        table.set(last, try value(depth: table.depth))
    }

    /// Past a comment, if one is here.
    mutating func skipComment() throws(TOMLError) {
        guard cursor.next == UInt8(ascii: "#") else { return }
        while let byte = cursor.next, byte != UInt8(ascii: "\n"), !cursor.sees("\r\n") {
            try checkControl(byte)
            cursor.advance()
        }
    }

    /// Throws for control characters other than the tab.
    func checkControl(_ byte: UInt8) throws(TOMLError) {
        guard byte < 0x20 && byte != 0x09 || byte == 0x7F else { return }
        throw TOMLError(cursor.place, "the control character \(byte) is not allowed")
    }

    private mutating func line() throws(TOMLError) {
        cursor.skipBlanks()
        switch cursor.next {
        case nil, UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "#"): break
        case UInt8(ascii: "["): try header()
        default: try pair(into: table)
        }
        cursor.skipBlanks()
        try skipComment()
        guard cursor.next == nil || cursor.consumeLineEnd() else {
            throw TOMLError(cursor.place, "expected the end of the line, found \(cursor.found)")
        }
    }

    /// `[a.b]` or `[[a.b]]`.
    private mutating func header() throws(TOMLError) {
        let place = cursor.place
        let isArray = cursor.consume("[[")
        if !isArray { cursor.advance() }
        let keys = try key()
        guard isArray ? cursor.consume("]]") : cursor.consume("]") else {
            throw TOMLError(
                cursor.place, "expected '\(isArray ? "]]" : "]")' after the table's name, found \(cursor.found)")
        }
        var draft = root
        for part in keys.dropLast() { draft = try draft.enterParent(part) }
        guard let last = keys.last else { return }
        table = try isArray ? draft.appendTable(last, at: place) : draft.openTable(last, at: place)
    }

    /// At least one part, and the blanks around.
    private mutating func key() throws(TOMLError) -> [TOMLKey] {
        var parts: [TOMLKey] = []
        repeat {
            cursor.skipBlanks()
            try Self.check(depth: parts.count, at: cursor.place)
            parts.append(try part())
            cursor.skipBlanks()
        } while cursor.consume(".")
        return parts
    }

    private mutating func part() throws(TOMLError) -> TOMLKey {
        let place = cursor.place
        switch cursor.next {
        case UInt8(ascii: "\""): return TOMLKey(name: try basicLine(), place: place)
        case UInt8(ascii: "'"): return TOMLKey(name: try literalLine(), place: place)
        default: break
        }
        let start = cursor.offset
        while let byte = cursor.next, Self.isBare(byte) { cursor.advance() }
        guard cursor.offset > start else { throw TOMLError(place, "expected a key, found \(cursor.found)") }
        return TOMLKey(name: cursor.text(from: start), place: place)
    }

    private static func isBare(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"): true
        default: false
        }
    }
}
