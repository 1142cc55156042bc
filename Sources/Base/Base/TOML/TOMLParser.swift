// SPDX-License-Identifier: Apache-2.0

/// One part of a key, without its quotes.
struct TOMLKey {
    let name: String
    let place: TOMLPlace
}

/// Reads TOML 1.0 (toml.io/en/v1.0.0) from the first byte to the last or the first fault. `TOMLTable` runs it.
/// It recurses as deep as `TOMLTable.maximumDepth` and no deeper.
struct TOMLParser {
    private var cursor: TOMLCursor
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

    private mutating func line() throws(TOMLError) {
        cursor.skipBlanks()
        switch cursor.next {
        case nil, UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "#"): break
        case UInt8(ascii: "["): try header()
        default: try pair(into: table)
        }
        cursor.skipBlanks()
        try cursor.skipComment()
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

    /// Reads the `key = value` that begins here.
    private mutating func pair(into table: TOMLDraft) throws(TOMLError) {
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
        case UInt8(ascii: "\""): return TOMLKey(name: try cursor.basicLine(), place: place)
        case UInt8(ascii: "'"): return TOMLKey(name: try cursor.literalLine(), place: place)
        default: break
        }
        let start = cursor.offset
        while let byte = cursor.next, Self.isBare(byte) { cursor.advance() }
        guard cursor.offset > start else { throw TOMLError(place, "expected a key, found \(cursor.found)") }
        return TOMLKey(name: cursor.text(from: start), place: place)
    }

    /// Of a key without quotes.
    private static func isBare(_ byte: UInt8) -> Bool {
        byte.isASCIILetter || byte.isASCIIDigit || "_-".utf8.contains(byte)
    }

    /// The value that begins here, in something that lies `depth` deep.
    private mutating func value(depth: Int) throws(TOMLError) -> TOMLValue {
        let place = cursor.place
        switch cursor.next {
        case UInt8(ascii: "\""): return TOMLValue(place, .string(try cursor.basicString()))
        case UInt8(ascii: "'"): return TOMLValue(place, .string(try cursor.literalString()))
        case UInt8(ascii: "["): return TOMLValue(place, .array(try array(depth: depth + 1)))
        case UInt8(ascii: "{"): return TOMLValue(place, .table(try inlineTable(depth: depth + 1)))
        default: return TOMLValue(place, try word())
        }
    }

    private mutating func array(depth: Int) throws(TOMLError) -> [TOMLValue] {
        let place = cursor.place
        try Self.check(depth: depth, at: place)
        cursor.advance()
        var values: [TOMLValue] = []
        try cursor.skipLines()
        while !cursor.consume("]") {
            values.append(try value(depth: depth))
            try cursor.skipLines()
            guard cursor.consume(",") || cursor.next == UInt8(ascii: "]") else { throw unclosed("list", place, "]") }
            try cursor.skipLines()
        }
        return values
    }

    /// All on one line, without a comma after the last.
    private mutating func inlineTable(depth: Int) throws(TOMLError) -> TOMLTable {
        let place = cursor.place
        try Self.check(depth: depth, at: place)
        let draft = TOMLDraft(place, .header, depth: depth)
        cursor.advance()
        cursor.skipBlanks()
        if cursor.consume("}") { return draft.table }
        while true {
            try pair(into: draft)
            cursor.skipBlanks()
            if cursor.consume("}") { return draft.table }
            guard cursor.consume(",") else { throw unclosed("table", place, "}") }
        }
    }

    /// Says which character is where ',' or the closing bracket should be.
    private func unclosed(_ thing: String, _ place: TOMLPlace, _ bracket: String) -> TOMLError {
        let begun = "the \(thing) that begins in line \(place.line), column \(place.column)"
        return TOMLError(cursor.place, "expected ',' or '\(bracket)' in \(begun), found \(cursor.found)")
    }

    /// A truth value, number, date or time.
    private mutating func word() throws(TOMLError) -> TOMLValue.Content {
        let (start, place) = (cursor.offset, cursor.place)
        skipWord()
        guard cursor.offset > start else { throw TOMLError(place, "expected a value, found \(cursor.found)") }
        // A date and a time may be separated by a space.
        if cursor.offset == start + 10, cursor.next == 0x20, seesDigit(1), seesDigit(2),
            cursor.peek(3) == UInt8(ascii: ":")
        {
            cursor.advance()
            skipWord()
        }
        let text = cursor.text(from: start)
        switch text {
        case "true": return .boolean(true)
        case "false": return .boolean(false)
        default: break
        }
        if let time = TOMLTime.spelling(of: text) { return .time(time) }
        do throws(TOMLNumber.Fault) { return try TOMLNumber.content(of: text) } catch {
            throw TOMLError(place, error.message(text))
        }
    }

    private mutating func skipWord() {
        while let byte = cursor.next, Self.isOfWord(byte) { cursor.advance() }
    }

    private static func isOfWord(_ byte: UInt8) -> Bool {
        byte.isASCIILetter || byte.isASCIIDigit || "+-.:_".utf8.contains(byte)
    }

    /// The byte this far ahead is a digit.
    private func seesDigit(_ distance: Int) -> Bool { cursor.peek(distance)?.isASCIIDigit ?? false }

    /// Throws where something would lie too deep.
    static func check(depth: Int, at place: TOMLPlace) throws(TOMLError) {
        guard depth > TOMLTable.maximumDepth else { return }
        throw TOMLError(place, "more than \(TOMLTable.maximumDepth) nested tables and lists")
    }
}
