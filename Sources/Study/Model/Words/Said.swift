// SPDX-License-Identifier: Apache-2.0

/// Something that is said. Nothing else becomes speech: what the device says of itself is a
/// `Phrase`, so that every word it speaks is in the catalogues of all languages.
package indirect enum Said: Sendable, Hashable {
    /// A text of the study, unchanged, or of the maker of the board.
    case study(String)
    /// A phrase of the device, with what fills its places.
    case device(Phrase, [Said] = [])
    /// Digits with a point or minus, or several numbers with blanks or colons between; said as a
    /// number where it is one.
    case number(String)
    /// A letter or digit by its own name.
    case symbol(Character)
}

/// One piece of speech, to be made by a voice of its language; only `Words` makes it.
package struct Utterance: Sendable, Hashable {
    /// What the voice is given.
    package let text: String
    /// The language's tag, as the study names it, or the table's own.
    package let language: String

    fileprivate init(_ text: String, _ language: String) {
        self.text = text
        self.language = language
    }

    /// False where there is nothing that a voice could say.
    package var isAudible: Bool { text.contains { $0.isLetter || $0.isNumber } }
}

extension Words {
    /// In parts that are the same wherever they are said again; none where there is nothing to say.
    package func utterances(_ said: Said) -> [Utterance] {
        let parts: [Utterance] =
            switch said {
            case .study(let text): [Utterance(text, studyLanguage)]
            case .number(let text): SpokenNumber(language).parts(text).map { Utterance($0, language.tag) }
            case .device, .symbol: [Utterance(text(said), language.tag)]
            }
        return parts.filter(\.isAudible)
    }

    /// Every part of which numbers are made.
    package var numberWords: [Utterance] { SpokenNumber(language).words.map { Utterance($0, language.tag) } }
}
