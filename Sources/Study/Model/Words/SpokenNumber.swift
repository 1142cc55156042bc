// SPDX-License-Identifier: Apache-2.0

/// Numbers as words that are spoken one after another, for `Words.utterances`: `-1984.5` is minus, 1000, 900,
/// 84, point, 5.
///
/// Thousands, hundreds and the rest are said in this order in all languages, so that a hundred and
/// twenty words make every number up to 9999; longer ones come digit by digit. Spanish has another
/// word for a hundred with something behind it.
package struct SpokenNumber: Sendable {
    private let point: String
    private let minus: String

    /// A hundred with something behind it; nil where it is said as a hundred alone.
    private let hundredAndMore: String?

    package init(_ language: Language) {
        point = NumberPhrases.point.text(in: language)
        minus = NumberPhrases.minus.text(in: language)
        let hundred = NumberPhrases.hundredAndMore.text(in: language)
        hundredAndMore = hundred == NumberPhrases.hundredAndMore.english ? nil : hundred
    }

    /// Every word that `parts` makes of a number.
    package var words: [String] {
        var words = (0...100).map { String($0) }
        for digit in 2...9 { words.append("\(digit)00") }
        for digit in 1...9 { words.append("\(digit)000") }
        words += [point, minus]
        if let hundredAndMore { words.append(hundredAndMore) }
        return words
    }

    /// The words of a number, or of several with blanks or colons between them as in a day or a
    /// time; a text that is anything else is one part.
    package func parts(_ text: String) -> [String] {
        let tokens = text.split { $0 == " " || $0 == ":" }
        let spoken = tokens.compactMap(number)
        return spoken.count == tokens.count ? Array(spoken.joined()) : [text]
    }

    private func number(_ token: Substring) -> [String]? {
        if token == "." { return [point] }
        if token == "-" { return [minus] }
        let isNegative = token.hasPrefix("-")
        let halves = token.dropFirst(isNegative ? 1 : 0).split(separator: ".", omittingEmptySubsequences: false)
        guard halves.count <= 2, halves.allSatisfy({ $0.allSatisfy(Self.isDigit) }), let whole = halves.first,
            !whole.isEmpty
        else { return nil }
        let fraction = halves.count == 2 ? [point] + Self.digits(halves[1]) : []
        return (isNegative ? [minus] : []) + self.whole(whole) + fraction
    }

    /// What begins with a zero is said digit by digit, as the minutes of 08:05 are.
    private func whole(_ text: Substring) -> [String] {
        guard let value = Int(text), value <= 9999, String(value) == text else { return Self.digits(text) }
        if value <= 100 { return [String(value)] }
        let (thousands, hundreds, rest) = (value / 1000 * 1000, value % 1000 / 100 * 100, value % 100)
        let hundred = hundreds == 100 && rest > 0 ? hundredAndMore ?? "100" : String(hundreds)
        return (thousands > 0 ? [String(thousands)] : []) + (hundreds > 0 ? [hundred] : [])
            + (rest > 0 ? [String(rest)] : [])
    }

    private static func digits(_ text: Substring) -> [String] { text.map(String.init) }
    private static func isDigit(_ character: Character) -> Bool { ("0"..."9").contains(character) }
}

/// What is said and printed in a number other than its digits.
enum NumberPhrases {
    static let point = Phrase("point", context: "said in a number")
    static let minus = Phrase("minus", context: "said in a number")
    static let hundredAndMore = Phrase("100", context: "said before tens and ones")
    static let separator = Phrase(".", context: "printed between a number's whole and its fraction")
}
