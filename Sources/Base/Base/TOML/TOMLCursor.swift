// SPDX-License-Identifier: Apache-2.0

/// Goes through the bytes of a document and knows line and column. `TOMLParser` reads with it.
struct TOMLCursor {
    private let bytes: [UInt8]
    private(set) var offset = 0
    private(set) var place = TOMLPlace(line: 1, column: 1)

    /// Throws where there are too many bytes or they are no UTF-8.
    init(checking bytes: [UInt8]) throws(TOMLError) {
        self.bytes = bytes
        guard bytes.count <= TOMLTable.maximumSize else {
            throw TOMLError(place, "is larger than \(TOMLTable.maximumSize) bytes")
        }
        try check()
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { offset = 3 }
    }

    /// The byte here; nil at the end.
    var next: UInt8? { peek(0) }

    /// The byte this many bytes ahead; nil beyond the end.
    func peek(_ distance: Int) -> UInt8? { offset + distance < bytes.count ? bytes[offset + distance] : nil }

    /// True where these bytes come next.
    func sees(_ word: StaticString) -> Bool {
        (0..<word.utf8CodeUnitCount).allSatisfy { peek($0) == word.utf8Start[$0] }
    }

    /// To the next byte; stays at the end.
    mutating func advance() {
        guard let byte = next else { return }
        offset += 1
        if byte == UInt8(ascii: "\n") {
            place = TOMLPlace(line: place.line + 1, column: 1)
            // A column is a character: the bytes 10xxxxxx continue one in UTF-8.
        } else if peek(0).map({ $0 & 0xC0 != 0x80 }) ?? true {
            place = TOMLPlace(line: place.line, column: place.column + 1)
        }
    }

    mutating func consume(_ word: StaticString) -> Bool {
        guard sees(word) else { return false }
        for _ in 0..<word.utf8CodeUnitCount { advance() }
        return true
    }

    mutating func consumeLineEnd() -> Bool { consume("\n") || consume("\r\n") }

    mutating func skipBlanks() { while next == 0x20 || next == 0x09 { advance() } }

    mutating func skipComment() throws(TOMLError) {
        guard next == UInt8(ascii: "#") else { return }
        while let byte = next, byte != UInt8(ascii: "\n"), !sees("\r\n") {
            try checkControl(byte)
            advance()
        }
    }

    /// Past blanks, line ends and comments.
    mutating func skipLines() throws(TOMLError) {
        repeat {
            skipBlanks()
            try skipComment()
        } while consumeLineEnd()
    }

    /// Throws for control characters other than the tab.
    func checkControl(_ byte: UInt8) throws(TOMLError) {
        guard byte < 0x20 && byte != 0x09 || byte == 0x7F else { return }
        throw TOMLError(place, "the control character \(byte) is not allowed")
    }

    /// The text between an offset and here.
    func text(from start: Int) -> String { String(decoding: bytes[start..<offset], as: UTF8.self) }

    /// What is here, for a message.
    var found: String {
        guard let byte = next else { return "the end of the file" }
        if byte == UInt8(ascii: "\n") || sees("\r\n") { return "the end of the line" }
        guard byte > 0x20, byte != 0x7F else { return "the byte \(byte)" }
        let end = bytes[(offset + 1)...].prefix(3).prefix { $0 & 0xC0 == 0x80 }
        return "'\(String(decoding: [byte] + end, as: UTF8.self))'"
    }

    private func check() throws(TOMLError) {
        var iterator = bytes.makeIterator()
        var decoder = UTF8()
        var (line, column) = (1, 1)
        while true {
            switch decoder.decode(&iterator) {
            case .emptyInput: return
            case .error: throw TOMLError(TOMLPlace(line: line, column: column), "this is not UTF-8 text")
            case .scalarValue("\n"): (line, column) = (line + 1, 1)
            case .scalarValue: column += 1
            }
        }
    }
}
