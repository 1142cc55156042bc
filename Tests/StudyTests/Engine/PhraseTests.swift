// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Testing

@testable import Study

/// Every phrase of the sources, read from them: what no list can forget.
enum PhraseSources {
    struct Found: Sendable, CustomStringConvertible {
        let file: String
        let phrase: Phrase
        /// The English plural of one that counts.
        let plural: String?
        var description: String { "\(file): \(phrase.english)" }
    }

    static let root = "/" + #filePath.split(separator: "/").dropLast(4).joined(separator: "/")

    static func swiftFiles(below folder: String) -> [String] {
        let path = root + "/" + folder
        let names = (try? FileManager.default.subpathsOfDirectory(atPath: path)) ?? []
        return names.filter { $0.hasSuffix(".swift") }.sorted().map { folder + "/" + $0 }
    }

    static func text(_ file: String) -> String {
        FileManager.default.contents(atPath: root + "/" + file).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    private nonisolated(unsafe) static let literal =
        /\bPhrase\(\s*"((?:[^"\\]|\\.)*)"(?:,\s*context:\s*"([^"]*)")?\s*\)/
    private nonisolated(unsafe) static let counted =
        /\bCountedPhrase\(\s*one:\s*"((?:[^"\\]|\\.)*)",\s*other:\s*"((?:[^"\\]|\\.)*)"\s*\)/

    static let all: [Found] = swiftFiles(below: "Sources").flatMap { file in
        let code = text(file)
        let single = code.matches(of: literal).map { match in
            Found(file: file, phrase: Phrase(String(match.1), context: match.2.map(String.init)), plural: nil)
        }
        return single
            + code.matches(of: counted).map { match in
                Found(file: file, phrase: Phrase(String(match.1)), plural: String(match.2))
            }
    }

    /// String literals outside comments and phrases, without what is filled in and without tags.
    static func plainLiterals(of file: String) -> [String] {
        // How a kind is described and why it is refused is for those who set a device up, what a
        // script may say for those who write it.
        let code = text(file).replacing(literal, with: "").replacing(counted, with: "").replacing(
            /(?m)^    func (?:refusal|presentation|wanted)\(.*\}$/, with: ""
        ).replacing(/(?m)^    func (?:refusal|presentation|wanted)\((?s:.*?)\n    \}\n/, with: "").split(
            separator: "\n"
        )
        .filter {
            !$0.drop { $0 == " " }.hasPrefix("//")
        }.joined(separator: "\n")
        let multi = code.matches(of: /"""(?s:.*?)"""/).map { String($0.output) }
        let single = code.replacing(/"""(?s:.*?)"""/, with: "").matches(
            of: /"(?:[^"\\\n]|\\[^(]|\\\((?:[^()]|\([^()]*\))*\))*"/
        )
        .map { String($0.output) }
        return (multi + single).map {
            $0.replacing(/\\\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)/, with: "").replacing(/<[^>]*>/, with: "")
        }
    }
}

@Suite struct PhraseTests {
    static let translated = Language.allCases.filter { $0 != .english }

    @Test func everyPhraseIsInEveryCatalogueWithItsPlaces() {
        #expect(PhraseSources.all.count > 200 && Self.translated.map(\.tag) == ["de", "es"])
        for found in PhraseSources.all {
            let english = [found.phrase.english, found.plural].compactMap(\.self)
            for language in Self.translated {
                guard let texts = language.texts(found.phrase) else {
                    Issue.record("\(found) is not in \(language.tag).po: run `make translations` and translate it")
                    continue
                }
                for text in texts {
                    #expect(Self.places(text) == Self.places(found.phrase.english), "\(found) in \(language.tag)")
                    #expect(text.hasPrefix(" ") == english[0].hasPrefix(" "), "\(found) in \(language.tag)")
                }
            }
        }
    }

    private static func places(_ text: String) -> Set<String> {
        Set(text.matches(of: /\{[0-9]\}/).map { String($0.output) })
    }

    /// What is the same in two languages is so on purpose.
    @Test func noPhraseWasForgottenInEnglish() {
        let same: Set<String> = [
            "{0} s", "{0}: {1}; {2}: {3}", " ({0})", "minus", "plus", "at", "{0}. {1}", "April", "August", "September",
            "November", "web", "in {0}", "no", "No", "Go/No-Go", "PASAT", "{0} m in {1} s", "100",
        ]
        for found in PhraseSources.all where !same.contains(found.phrase.english) {
            for language in Self.translated {
                #expect(found.phrase.text(in: language) != found.phrase.english, "\(found) in \(language.tag)")
            }
        }
    }

    /// The compiler sees to it that nothing is said but phrases and the study's own texts; this
    /// sees to it that no phrase is passed off as a text of the study, and that nothing is
    /// printed from elsewhere.
    @Test func noOtherPlaceHasWords() {
        // For those who set a device up or write a participant file, in English:
        // refusals and errors.
        let forOperators: Set<String> = [
            "Panel.swift", "Participant.swift", "PressPlanner.swift", "PerformancePlanner.swift", "Wanted.swift",
            "SpanBoard.swift",
        ]
        let spoken = ["Panel", "Questions", "ActiveTasks", "Run", "Session", "Cards", "Participant", "Words"].flatMap {
            PhraseSources.swiftFiles(below: "Sources/Study/" + $0)
        }
        #expect(spoken.count > 60)
        for file in spoken {
            let name = file.split(separator: "/").last.map(String.init) ?? ""
            guard !forOperators.contains(name) else { continue }
            let literals = PhraseSources.plainLiterals(of: file).filter {
                $0.contains(/\p{L}{2,} \p{L}{2,}/) && !$0.contains("font:")
            }
            #expect(literals.isEmpty, "\(file): \(literals)")
        }
        for file in PhraseSources.swiftFiles(below: "Sources") {
            let passed = PhraseSources.text(file).matches(
                of:
                    /\.(?:study|message|news|listItem|option|prompt|card)\((?:[^")]*, )?(?:text: |title: )?"[^"\\]*\p{L}{2}/
            )
            #expect(passed.isEmpty, "\(file): \(passed.map { String($0.output) })")
        }
    }

    /// ResearchKit daba8c9f, ResearchKit/Localized/{de,es}.lproj/ResearchKit.strings: what
    /// participants know from phones.
    @Test(arguments: [
        (StudyPhrases.yes, "Ja", "Sí"),  // BOOL_YES
        (StudyPhrases.no, "Nein", "No"),  // BOOL_NO
        (PanelPhrases.clear, "Löschen", "Borrar"),  // BUTTON_CLEAR
        (PanelPhrases.back, "Zurück", "Atrás"),  // AX_BUTTON_BACK
        (SpatialSpanRules.title, "Räumliches Gedächtnis", "Memoria espacial"),  // SPATIAL_SPAN_MEMORY_TITLE
        (TowerOfHanoiRules.title, "Türme von Hanoi", "Torre de Hanoi"),  // TOWER_OF_HANOI_TASK_TITLE
    ]) func standardTermsAreThoseOfTheFieldsOwnTranslations(_ phrase: Phrase, _ german: String, _ spanish: String) {
        #expect(Self.translated.map { phrase.text(in: $0) } == [german, spanish])
    }

    /// MEMORY_GAME_TIMEOUT_TITLE, BUTTON_SKIP_QUESTION, BUTTON_DONE, AX_SELECTED,
    /// AX_TOWER_OF_HANOI_TOWER(_EMPTY), INVALID_EMAIL_ALERT_MESSAGE,
    /// SPATIAL_SPAN_MEMORY_INTRO_2_TEXT(_REVERSE).
    @Test func theyStandInLongerPhrasesToo() {
        func german(_ phrase: Phrase) -> String { phrase.text(in: Self.translated[0]).lowercased() }
        func spanish(_ phrase: Phrase) -> String { phrase.text(in: Self.translated[1]).lowercased() }
        #expect(german(PanelPhrases.timeOver).hasSuffix("zeit ist abgelaufen"))
        #expect(spanish(PanelPhrases.timeOver) == "se acabó el tiempo")
        #expect(german(PanelPhrases.leaveQuestionOut).hasSuffix("frage überspringen"))
        #expect(spanish(PanelPhrases.leaveQuestionOut) == "omitir esta pregunta")
        #expect(german(PanelPhrases.done) == "fertig")
        #expect(german(PanelPhrases.ticked) == "ausgewählt" && spanish(PanelPhrases.ticked) == "seleccionado")
        #expect(
            german(GamePhrases.towers[0]) == "turm 1" && spanish(GamePhrases.towers[0]) == "torre 1")
        #expect(german(GamePhrases.empty) == "leer" && spanish(GamePhrases.empty) == "vacía")
        #expect(german(LettersPhrases.noAddress) == "ungültige e-mail-adresse")
        #expect(spanish(LettersPhrases.noAddress) == "dirección de correo electrónico no válida")
        #expect(german(SpatialSpanPhrases.reversed) == "in umgekehrter reihenfolge")
        #expect(spanish(SpatialSpanPhrases.reversed) == "en orden inverso")
    }
}

@Suite struct LanguageSheetTests {
    /// A whole sheet in each language, and no English sentence left in the others.
    @Test(arguments: Language.allCases, PanelFixtures.panels) func theSheetIsInOneLanguage(
        _ language: Language, _ panel: Panel
    ) {
        var panel = panel
        panel.language = language.tag
        // The study's own texts stay as they are.
        let steps = CardSheetTests.everyKind.map { Step(key: $0.key, text: "?", format: $0.format) }
        let html = CardSheet(CardSheetTests.study([PanelFixtures.task(steps)]), panel: panel).html
        #expect(html.contains("<html lang=\"\(language.tag)\">"))
        for phrase in [CardPhrases.howTo, CardPhrases.find, CardPhrases.signals, CardPhrases.numbers] {
            for other in Language.allCases { #expect(html.contains(phrase.text(in: other)) == (other == language)) }
        }
        if language != .english {
            #expect(html.matches(of: /\b(?:the|press|hold|until|with|again)\b/).isEmpty)
        }
    }

    @Test func aStudyThatNamesItsLanguageIsPrintedInIt() {
        var study = CardSheetTests.study([PanelFixtures.task(CardSheetTests.everyKind)])
        study.language = "es-MX"
        #expect(CardSheet(study, panel: .reference).html.contains("Cómo se usa"))
    }
}
