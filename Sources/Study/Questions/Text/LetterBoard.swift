// SPDX-License-Identifier: Apache-2.0

/// What a text can be made of on a panel that asks for letters: one row of symbols, numbered from 1 as on the
/// card sheet. `LettersQuestion` asks by it, and `CardSheet` prints it.
package struct LetterBoard: Sendable, Hashable {
    /// One place of the row.
    package enum Symbol: Sendable, Hashable {
        case character(Character)
        /// The next letter is a capital.
        case capital
        /// Takes the last character away.
        case delete
    }

    /// One character as it was chosen: the sign for a capital may make several of it, and a sign that
    /// combines is one with the character before it in the text.
    struct Letter: Sendable, Hashable {
        let symbol: Symbol
        let isCapital: Bool

        /// A capital only where it has one.
        init(_ character: Character, isCapital: Bool) {
            symbol = .character(character)
            self.isCapital = isCapital && String(character).uppercased() != String(character)
        }

        var text: String {
            guard case .character(let character) = symbol else { return "" }
            return isCapital ? String(character).uppercased() : String(character)
        }
    }

    /// The letters of English, where a board names no others.
    private static let english = "abcdefghijklmnopqrstuvwxyz"
    /// More letters than any row should have.
    private static let mostLetters = 100
    /// This many symbols are presented as one group where buttons are few.
    static let groupSize = 6

    /// In the order in which they are stepped through.
    package let symbols: [Symbol]

    /// The row for a text of that kind. An address has no blank, no capitals and few signs.
    package init(letters: String = english, kind: TextRules.Kind = .text) {
        let own = Self.usable(letters).map(Symbol.character)
        let digits = "0123456789".map(Symbol.character)
        switch kind {
        case .email: symbols = own + "@.-_+".map(Symbol.character) + digits + [.delete]
        case .text:
            symbols = own + [.character(" "), .capital] + digits + ".,?!'-/:@()".map(Symbol.character) + [.delete]
        }
    }

    /// Each letter once, small where it has a small form. Digits and signs are dropped, since every row has
    /// them.
    private static func usable(_ letters: String) -> [Character] {
        var seen: Set<Character> = []
        let small = letters.lowercased().filter { $0.isLetter && seen.insert($0).inserted }
        return Array((small.isEmpty ? english : small).prefix(mostLetters))
    }

    /// What is said of a symbol.
    package static func name(_ symbol: Symbol) -> Said {
        switch symbol {
        case .character(let character): LettersPhrases.signs[character].map { .device($0) } ?? .symbol(character)
        case .capital: .device(LettersPhrases.capital)
        case .delete: .device(LettersPhrases.delete)
        }
    }

    /// The groups, as positions in `symbols`.
    var groups: [Range<Int>] {
        stride(from: 0, to: symbols.count, by: Self.groupSize).map { $0..<min($0 + Self.groupSize, symbols.count) }
    }

    /// What is said of a group.
    func name(_ group: Range<Int>) -> Said {
        let first = Self.name(symbols[group.lowerBound])
        return group.count == 1
            ? first : .device(LettersPhrases.group, [first, Self.name(symbols[group.upperBound - 1])])
    }

    /// The symbol that gives this character, and whether it has to be made a capital; nil where
    /// the row has none.
    func symbol(for character: Character) -> (symbol: Symbol, isCapital: Bool)? {
        if symbols.contains(.character(character)) { return (.character(character), false) }
        let small = character.lowercased()
        guard symbols.contains(.capital), small.count == 1, let letter = small.first,
            symbols.contains(.character(letter)), String(letter).uppercased() == String(character)
        else { return nil }
        return (.character(letter), true)
    }

    /// The row has every character of the text.
    func canSpell(_ text: String) -> Bool { text.allSatisfy { symbol(for: $0) != nil } }

    /// A text as it is read back: numbers to be counted out and names to be said.
    func spelled(_ letters: [Letter]) -> Cue {
        let chosen = letters.flatMap { $0.isCapital ? [.capital, $0.symbol] : [$0.symbol] }
        return .spelled(
            chosen.compactMap { symbols.firstIndex(of: $0).map { $0 + 1 } }, names: chosen.map(Self.name))
    }

    /// Everything that can be said of the row.
    var words: [Said] { symbols.map(Self.name) + groups.map(name) }
}

extension Panel {
    /// What a text of that kind is made of; nil where it is spoken.
    package func letterBoard(_ kind: TextRules.Kind) -> LetterBoard? {
        letters.map { LetterBoard(letters: $0, kind: kind) }
    }
}
