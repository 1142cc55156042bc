// SPDX-License-Identifier: Apache-2.0

extension TOMLParser {
    /// The value that begins here, in something that lies `depth` deep.
    mutating func value(depth: Int) throws(TOMLError) -> TOMLValue {
        let place = cursor.place
        switch cursor.next {
        case UInt8(ascii: "\""): return TOMLValue(place, .string(try basicText()))
        case UInt8(ascii: "'"): return TOMLValue(place, .string(try literalText()))
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
        try skipLines()
        while !cursor.consume("]") {
            values.append(try value(depth: depth))
            try skipLines()
            guard cursor.consume(",") || cursor.next == UInt8(ascii: "]") else { throw unclosed("list", place, "]") }
            try skipLines()
        }
        return values
    }

    /// All on one line, without a comma behind the last.
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

    /// Past blanks, line ends and comments.
    private mutating func skipLines() throws(TOMLError) {
        repeat {
            cursor.skipBlanks()
            try skipComment()
        } while cursor.consumeLineEnd()
    }

    /// A truth value, number, date or time.
    private mutating func word() throws(TOMLError) -> TOMLValue.Content {
        let (start, place) = (cursor.offset, cursor.place)
        skipWord()
        guard cursor.offset > start else { throw TOMLError(place, "expected a value, found \(cursor.found)") }
        // A date and a time may be separated by a space.
        if cursor.offset == start + 10, cursor.next == 0x20, Self.isDigit(cursor.peek(1)), Self.isDigit(cursor.peek(2)),
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
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: ":"), UInt8(ascii: "_"): true
        default: isDigit(byte)
        }
    }

    private static func isDigit(_ byte: UInt8?) -> Bool {
        byte.map { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ?? false
    }
}
