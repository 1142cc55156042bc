// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Study

struct CatalogueTests {
    /// A language with three plurals, of which one file is all there is.
    private static let polish = #"""
        # Polish words for the tests.
        msgid ""
        msgstr ""
        "Language: pl\n"
        "Content-Type: text/plain; charset=UTF-8\n"
        "Plural-Forms: nplurals=3; plural=(n==1 ? 0 : n%10>=2 && n%10<=4 && (n%100<10 "
        "|| n%100>=20) ? 1 : 2);\n"

        #. What buttons do.
        #: Sources/Study/Words/PanelPhrases.swift
        msgid "Done"
        msgstr "Gotowe"

        msgctxt "printed between a number's whole and its fraction"
        msgid "."
        msgstr ","

        msgid "Prompts are off"
        msgstr ""
        "Przypomnienia "
        "są \"wyłączone\""

        msgid "{0} kick in {1} s"
        msgid_plural "{0} kicks in {1} s"
        msgstr[0] "{0} kopnięcie w {1} s"
        msgstr[1] "{0} kopnięcia w {1} s"
        msgstr[2] "{0} kopnięć w {1} s"

        #, fuzzy
        msgid "Clear"
        msgstr "Jasny"

        msgid "Later"
        msgstr ""

        #~ msgid "Back"
        #~ msgstr "Wstecz"
        """#

    @Test func oneFileIsALanguage() throws {
        let polish = try #require(Language(catalogue: Array(Self.polish.utf8)))
        #expect(polish.tag == "pl" && polish.decimalSeparator == ",")
        #expect(Phrase("Done").text(in: polish) == "Gotowe")
        #expect(Phrase("Prompts are off").text(in: polish) == "Przypomnienia są \"wyłączone\"")
    }

    /// GNU gettext manual, "Obsolete entries": they may stand anywhere.
    @Test func aFlagOfAnObsoleteEntryIsNotOfTheNext() throws {
        let text = Self.polish.replacing(
            "msgid \"Prompts are off\"",
            with: "#, fuzzy\n#~ msgid \"Old\"\n#~ msgstr \"Stary\"\n\nmsgid \"Prompts are off\"")
        let polish = try #require(Language(catalogue: Array(text.utf8)))
        #expect(Phrase("Prompts are off").text(in: polish) == "Przypomnienia są \"wyłączone\"")
    }

    /// CLDR 44, `plurals.xml`, pl: one 1; few 2~4, 22~24; many 0, 5~19.
    @Test(arguments: [
        (0, "kopnięć"), (1, "kopnięcie"), (2, "kopnięcia"), (4, "kopnięcia"), (5, "kopnięć"), (12, "kopnięć"),
        (22, "kopnięcia"), (101, "kopnięć"),
    ]) func aCountHasTheFormOfItsCategory(_ count: Int, _ noun: String) throws {
        let polish = try #require(Language(catalogue: Array(Self.polish.utf8)))
        let phrase = CountedPhrase(one: "{0} kick in {1} s", other: "{0} kicks in {1} s")
        #expect(phrase.text(count, in: polish) == "{0} \(noun) w {1} s")
    }

    @Test(arguments: ["Clear", "Later", "Back", "Nowhere"])
    func whatIsFuzzyEmptyObsoleteOrMissingStaysEnglish(_ english: String) throws {
        let polish = try #require(Language(catalogue: Array(Self.polish.utf8)))
        #expect(Phrase(english).text(in: polish) == english)
        #expect(Phrase("Done", context: "elsewhere").text(in: polish) == "Done", "another context is another phrase")
    }

    @Test func aPhraseThatIsCountedInEnglishAloneHasItsEnglishForms() throws {
        let polish = try #require(Language(catalogue: Array(Self.polish.utf8)))
        let phrase = CountedPhrase(one: "{0} day", other: "{0} days")
        #expect([0, 1, 2].map { phrase.text($0, in: polish) } == ["{0} days", "{0} day", "{0} days"])
    }

    @Test(arguments: [
        "", "no catalogue", "msgid \"\"\nmsgstr \"Plural-Forms: nplurals=1; plural=0;\\n\"",
        "msgid \"\"\nmsgstr \"Language: pl\\nPlural-Forms: nplurals=3; plural=?;\\n\"",
    ]) func aFileWithoutALanguageOrARuleIsNone(_ text: String) {
        #expect(Language(catalogue: Array(text.utf8)) == nil)
    }

    /// gettext's own compiler and Python's reader of what it makes give the same texts.
    @Test(
        .enabled(
            if: PythonReading.output(of: "msgfmt --version") != nil,
            "gettext is not installed, so no other reader judges"
        ), arguments: ["de", "es"])
    func gettextReadsTheCataloguesAsWeDo(_ tag: String) throws {
        let file = PhraseSources.root + "/Sources/Study/Languages/\(tag).po"
        let program = """
            msgfmt --check-format -o - \(file) | python3 -c 'import gettext, sys
            t = gettext.GNUTranslations(sys.stdin.buffer)
            for k, v in sorted(t._catalog.items(), key=str):
                if k: print(repr(k) if isinstance(k, tuple) else k.replace("\\x04", "|"), v, sep="\\t")'
            """
        let output = try #require(PythonReading.output(of: program))
        let read = Dictionary(
            output.split(separator: "\n").map { $0.split(separator: "\t").map(String.init) }.filter { $0.count == 2 }
                .map { ($0[0], $0[1]) }, uniquingKeysWith: { $1 })
        #expect(read.count > 400)
        let language = try #require(Language(tag: tag))
        for found in PhraseSources.all {
            let key = found.phrase.context.map { $0 + "|" + found.phrase.english } ?? found.phrase.english
            let forms = language.texts(found.phrase) ?? []
            if found.plural == nil {
                #expect(read[key] == forms.first, "\(found)")
            } else {
                for (form, text) in forms.enumerated() { #expect(read["('\(key)', \(form))"] == text, "\(found)") }
            }
        }
    }

    /// GNU gettext manual, "The Format of PO Files": each line of flags adds to those before it.
    @Test(arguments: ["#, fuzzy\n#, no-c-format", "#, no-c-format\n#, fuzzy", "#, no-c-format, fuzzy"])
    func anEntryIsFuzzyByAnyOfItsLinesOfFlags(_ flags: String) throws {
        let text = Self.polish.replacing("#, fuzzy", with: flags) + "\n\nmsgid \"Back\"\nmsgstr \"Wstecz\"\n"
        let polish = try #require(Language(catalogue: Array(text.utf8)))
        #expect(Phrase("Clear").text(in: polish) == "Clear" && Phrase("Back").text(in: polish) == "Wstecz")
    }
}
