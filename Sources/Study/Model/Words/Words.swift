// SPDX-License-Identifier: Apache-2.0

/// The table of words for one study: which language the device's own phrases are in, and which its
/// study's texts are in.
///
/// Both are the same wherever there are words in the study's language. Where there are none the
/// device's phrases are English, and are said by an English voice.
package struct Words: Sendable, Hashable {
    /// Of the device's own phrases.
    package let language: Language
    /// Of the study's texts, as the study or the device's configuration names it: `de`, `fr-CA`.
    package let studyLanguage: String

    /// The words for a study in the language of that tag.
    package init(for tag: String) {
        studyLanguage = tag
        language = Language(tag: tag) ?? .english
    }

    package static let english = Words(for: Language.english.tag)

    /// There are no words in the study's language: its texts are in one language, the device's
    /// phrases in another.
    package var fallsBack: Bool { Language(tag: studyLanguage) == nil }

    /// The phrase with its places filled, in order.
    package func callAsFunction(_ phrase: Phrase, _ parts: String...) -> String {
        filled(phrase.text(in: language), parts)
    }

    /// The form for `count`, which fills `{0}`; the others from `{1}` on.
    package func callAsFunction(_ phrase: CountedPhrase, _ count: Int, _ parts: String...) -> String {
        filled(phrase.text(count, in: language), [String(count)] + parts)
    }

    /// A number as it is printed, from digits with a point: `0.5` is `0,5` in German.
    package func number(_ text: String) -> String {
        String(text.map { $0 == "." ? language.decimalSeparator : $0 })
    }

    private func filled(_ unfilled: String, _ parts: [String]) -> String {
        var text = ""
        var rest = unfilled[...]
        while let open = rest.firstIndex(of: "{") {
            text += rest[..<open]
            let digits = rest[open...].dropFirst().prefix { $0.isWholeNumber }
            if let place = Int(digits), parts.indices.contains(place) { text += parts[place] }
            rest = rest[digits.endIndex...].dropFirst()
        }
        return text + rest
    }

    /// What is said, as one text: for the eye.
    package func text(_ said: Said) -> String {
        switch said {
        case .study(let text): text
        case .device(let phrase, let parts): filled(phrase.text(in: language), parts.map(text))
        case .number(let digits): number(digits)
        case .symbol(let character): String(character)
        }
    }
}
