// SPDX-License-Identifier: Apache-2.0

/// The one form of SQL that is played: `SELECT a, "b c", * FROM T`, with `AS name` and a semicolon at its end if wanted.
struct MyStudiesQuery: Hashable, Sendable {
    /// A column that is asked for.
    struct Column: Hashable, Sendable {
        /// `*` for all.
        let name: String
        /// Its name in the answer.
        let shown: String
    }

    let columns: [Column]
    let table: String

    private static let longest = 4_096
    private static let mostColumns = 200

    /// Throws a `MyStudiesFailure` in the words of the platform's parser where it has them.
    init(_ sql: String) throws {
        guard sql.utf8.count <= Self.longest else {
            throw MyStudiesFailure("The query is longer than \(Self.longest) bytes")
        }
        var words = try Self.words(sql)[...]
        try Self.consume("SELECT", &words)
        var columns: [Column] = []
        repeat {
            guard columns.count < Self.mostColumns else {
                throw MyStudiesFailure("The query asks for more than \(Self.mostColumns) columns")
            }
            columns.append(try Self.column(&words))
        } while Self.takes(",", &words)
        try Self.consume("FROM", &words)
        table = try Self.name(&words)
        _ = Self.takes(";", &words)
        if let rest = words.first { throw Self.wrong(rest) }
        self.columns = columns
    }

    /// A word, or a name in quotes, which is never a keyword.
    private enum Word: Hashable {
        case bare(String)
        case quoted(String)
        case sign(Character)
        var text: String {
            switch self {
            case .bare(let text), .quoted(let text): text
            case .sign(let sign): String(sign)
            }
        }
    }

    private static func wrong(_ word: Word) -> MyStudiesFailure { MyStudiesFailure("Syntax error near '\(word.text)'") }

    private static func words(_ sql: String) throws -> [Word] {
        var words: [Word] = []
        var rest = Substring(sql)
        while let next = rest.first {
            if next.isWhitespace {
                rest.removeFirst()
            } else if next == "\"" {
                words.append(.quoted(try quoted(&rest)))
            } else if isNamePart(next) {
                let word = rest.prefix(while: isNamePart)
                rest = rest[word.endIndex...]
                words.append(.bare(String(word)))
            } else {
                words.append(.sign(rest.removeFirst()))
            }
        }
        return words
    }

    private static func isNamePart(_ character: Character) -> Bool {
        character.isLetter || character.isNumber || character == "_" || character == "$"
    }

    /// Up to the closing quote; two quotes stand for one.
    private static func quoted(_ rest: inout Substring) throws -> String {
        rest.removeFirst()
        var name = ""
        while let next = rest.popFirst() {
            guard next == "\"" else {
                name.append(next)
                continue
            }
            guard rest.first == "\"" else { return name }
            name.append(rest.removeFirst())
        }
        throw MyStudiesFailure("Syntax error near '\"\(name)'")
    }

    private static func takes(_ sign: Character, _ words: inout ArraySlice<Word>) -> Bool {
        guard words.first == .sign(sign) else { return false }
        words.removeFirst()
        return true
    }

    private static func isKeyword(_ keyword: String, _ word: Word?) -> Bool {
        if case .bare(let text)? = word { text.uppercased() == keyword } else { false }
    }

    private static func consume(_ keyword: String, _ words: inout ArraySlice<Word>) throws {
        guard let word = words.first else { throw MyStudiesFailure("Syntax error near '<EOF>'") }
        guard isKeyword(keyword, word) else { throw wrong(word) }
        words.removeFirst()
    }

    private static func column(_ words: inout ArraySlice<Word>) throws -> Column {
        if takes("*", &words) { return Column(name: "*", shown: "*") }
        var name = try name(&words)
        // The list's name before the column's.
        if takes(".", &words) { name = try Self.name(&words) }
        guard isKeyword("AS", words.first) else { return Column(name: name, shown: name) }
        words.removeFirst()
        return Column(name: name, shown: try Self.name(&words))
    }

    private static func name(_ words: inout ArraySlice<Word>) throws -> String {
        switch words.first {
        case .quoted(let name)?:
            words.removeFirst()
            return name
        case .bare(let name)?
        where name.first?.isNumber == false && !["SELECT", "FROM", "AS"].contains(name.uppercased()):
            words.removeFirst()
            return name
        case let word?: throw wrong(word)
        case nil: throw MyStudiesFailure("Syntax error near '<EOF>'")
        }
    }
}
