// SPDX-License-Identifier: Apache-2.0
import Study
import Testing

@Suite struct WordsTests {
    @Test(arguments: [
        ("de", "de"), ("de-AT", "de"), ("de_DE", "de"), ("de+f2", "de"), ("DE", "de"), ("es-419", "es"),
        ("en-gb", "en"), ("fr", nil), ("den", nil), ("", nil),
    ]) func aTagNamesItsLanguage(_ tag: String, _ language: String?) {
        #expect(Language(tag: tag)?.tag == language)
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
        let phrase = Phrase("{0} {1} {2}", context: "day, month and year")
        #expect(Words.english(phrase, "21", "November", "2026") == "21 November 2026")
        #expect(Words(for: "de")(phrase, "21", "November", "2026") == "21. November 2026")
        #expect(Words(for: "es")(phrase, "21", "noviembre", "2026") == "21 de noviembre de 2026")
        #expect(Words.english(Phrase("{0} before {1}"), "a {1}", "b") == "a {1} before b", "a part is taken as it is")
        #expect(Words.english(Phrase("{0} before {1}"), "a") == "a before ", "a place that nothing fills is empty")
    }

    /// CLDR 44, `plurals.xml`: en and de `one: i = 1 and v = 0`; es `one: n = 1`; all else counted
    /// here is `other`.
    @Test(arguments: [
        ("en", "{0} kick in {1} s", "{0} kicks in {1} s"), ("de", "{0} Tritt in {1} s", "{0} Tritte in {1} s"),
        ("es", "{0} patada en {1} s", "{0} patadas en {1} s"),
    ]) func oneIsSingularAndNoneIsPlural(_ tag: String, _ one: String, _ other: String) throws {
        let phrase = CountedPhrase(one: "{0} kick in {1} s", other: "{0} kicks in {1} s")
        let language = try #require(Language(tag: tag))
        for count in [0, 1, 2, 11, 21, 101, 1_000] {
            #expect(phrase.text(count, in: language) == (count == 1 ? one : other))
        }
        #expect(Words(for: tag)(phrase, 2, "9").hasPrefix("2 "))
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
