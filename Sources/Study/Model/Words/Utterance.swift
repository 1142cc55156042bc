// SPDX-License-Identifier: Apache-2.0

/// One piece of speech, to be made by a voice of its language: only `Words` makes it, and the agent's `Speaker`
/// and `SpeechVoice` say it.
package struct Utterance: Sendable, Hashable {
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
