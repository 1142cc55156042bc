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
    /// The tag of the text's language: `de`, or as the study spells it.
    package let language: String

    fileprivate init(_ text: String, _ language: String) { (self.text, self.language) = (text, language) }

    /// False where there is nothing that a voice could say.
    package var isAudible: Bool { text.contains { $0.isLetter || $0.isNumber } }
}

extension Words {
    /// The pieces of speech for it, cut so that the same piece serves wherever it is said again; empty where
    /// nothing would be heard.
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
