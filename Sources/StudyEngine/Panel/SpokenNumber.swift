// SPDX-License-Identifier: Apache-2.0

/// Numbers as words that are spoken one after another: `-1984.5` is minus, 1000, 900, 84, point, 5.
///
/// Thousands, hundreds and the rest are said in this order in most languages, so that a hundred and twenty words make every
/// number up to 9999; longer ones come digit by digit.
enum SpokenNumber {
    /// Every word that `parts` makes of a number.
    static let words: [String] =
        (0...100).map(String.init) + (2...9).map { "\($0)00" } + (1...9).map { "\($0)000" } + ["point", "minus"]

    /// The words of a number, or of several with blanks or colons between them as in a day or a time; a text that is
    /// anything else is one part.
    static func parts(_ text: String) -> [String] {
        let tokens = text.split { $0 == " " || $0 == ":" }
        let spoken = tokens.compactMap(number)
        return spoken.count == tokens.count ? Array(spoken.joined()) : [text]
    }

    private static func number(_ token: Substring) -> [String]? {
        if token == "point" || token == "." { return ["point"] }
        if token == "-" { return ["minus"] }
        let isNegative = token.hasPrefix("-")
        let halves = token.dropFirst(isNegative ? 1 : 0).split(separator: ".", omittingEmptySubsequences: false)
        guard halves.count <= 2, halves.allSatisfy({ $0.allSatisfy(isDigit) }), let whole = halves.first, !whole.isEmpty
        else { return nil }
        let fraction = halves.count == 2 ? ["point"] + digits(halves[1]) : []
        return (isNegative ? ["minus"] : []) + self.whole(whole) + fraction
    }

    /// What begins with a zero is said digit by digit, as the minutes of 08:05 are.
    private static func whole(_ text: Substring) -> [String] {
        guard let value = Int(text), value <= 9999, String(value) == text else { return digits(text) }
        if value <= 100 { return [String(value)] }
        return [value / 1000 * 1000, value % 1000 / 100 * 100, value % 100].filter { $0 > 0 }.map(String.init)
    }

    private static func digits(_ text: Substring) -> [String] { text.map(String.init) }
    private static func isDigit(_ character: Character) -> Bool { ("0"..."9").contains(character) }
}
