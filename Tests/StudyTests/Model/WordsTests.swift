// SPDX-License-Identifier: Apache-2.0
import Study
import Testing

@Suite struct WordsTests {
    @Test(arguments: [
        ("de", Language.german), ("de-AT", .german), ("de_DE", .german), ("de+f2", .german), ("DE", .german),
        ("es-419", .spanish), ("en-gb", .english), ("fr", nil), ("den", nil), ("", nil),
    ]) func aTagNamesItsLanguage(_ tag: String, _ language: Language?) {
        #expect(Language(tag: tag) == language)
    }

    @Test func aLanguageWithoutWordsHasEnglishOnesSaidByAnEnglishVoice() {
        let words = Words(for: "fr-CA")
        #expect(words.fallsBack && words.language == .english)
        #expect(words.utterances(.study("Bonjour")).map(\.language) == ["fr-CA"])
        #expect(words.utterances(.device(StudyPhrases.yes)).map(\.language) == ["en"])
        #expect(words.utterances(.number("12")).map(\.language) == ["en"])
        #expect(!Words(for: "de-CH").fallsBack)
    }

    @Test func placesAreFilledWhereTheLanguageHasThem() {
        let phrase = Phrase("{0} before {1}", de: "{1} nach {0}", es: "{0}")
        #expect(Words.english(phrase, "a", "b") == "a before b")
        #expect(Words(for: "de")(phrase, "a", "b") == "b nach a")
        #expect(Words(for: "es")(phrase, "a", "b") == "a")
        #expect(Words.english(phrase, "a {1}", "b") == "a {1} before b", "what fills a place is taken as it is")
        #expect(Words.english(phrase, "a") == "a before ", "a place that nothing fills is empty")
    }

    /// CLDR 44, `plurals.xml`: en and de `one: i = 1 and v = 0`; es `one: n = 1`; all else counted
    /// here is `other`.
    @Test(arguments: Language.allCases) func oneIsSingularAndNoneIsPlural(_ language: Language) {
        let phrase = CountedPhrase(
            one: Phrase("{0} kick", de: "{0} Tritt", es: "{0} patada"),
            other: Phrase("{0} kicks", de: "{0} Tritte", es: "{0} patadas"))
        let words = Words(for: language.rawValue)
        #expect(words(phrase, 1) == words(phrase.one, "1"))
        for count in [0, 2, 11, 21, 101, 1_000] { #expect(words(phrase, count) == words(phrase.other, "\(count)")) }
    }

    /// CLDR 44, `main/de.xml` and `main/es.xml`, `numbers/symbols/decimal`.
    @Test(arguments: [("en", "0.5"), ("de", "0,5"), ("es", "0,5"), ("fr", "0.5")])
    func aNumberIsPrintedAsItsLanguageHasIt(_ tag: String, _ printed: String) {
        #expect(Words(for: tag).number("0.5") == printed)
    }

    @Test func whatNoVoiceCanSayIsNotSaid() {
        for text in ["", "…", " ", "—"] { #expect(Words.english.utterances(.study(text)).isEmpty) }
    }
}
