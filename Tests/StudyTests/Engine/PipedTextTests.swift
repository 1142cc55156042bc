// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Study

@Suite struct PipedTextTests {
    static let choice = AnswerFormat.choice(ChoiceFormat(options: PanelFixtures.options, isMultiple: true))
    static let day = LocalDateTime(LocalDate(year: 1966, month: 8, day: 13)!, LocalTime(hour: 8, minute: 5)!)

    /// The snippet is part of the title, and the app shows the title as it is where nothing replaces it
    /// (FDA-MyStudies/iOS 9091edbe, ActivitiesViewController.swift:3109-3133; its iOSActivity2.json:456-490).
    static let unanswered = "You said this word today?"
    static let cases: [(AnswerValue?, AnswerFormat?, text: String, parts: [String])] = [
        (.boolean(true), .yesNo(yes: "Yes", no: "No"), "You said Yes today?", ["You said", "Yes", "today?"]),
        (
            .choices(["apple", "banana"]), choice, "You said apple, banana today?",
            ["You said", "apple", "banana", "today?"]
        ),
        (.choices(["x"]), nil, "You said x today?", ["You said", "x", "today?"]),
        (.number(12.5), nil, "You said 12.5 today?", ["You said", "12", "point", "5", "today?"]),
        (.number(1984), nil, "You said 1984 today?", ["You said", "1000", "900", "84", "today?"]),
        (
            .dateTime(day), .dateTime(.date), "You said 13 August 1966 today?",
            ["You said", "13", "August", "1000", "900", "66", "today?"]
        ),
        (.dateTime(day), .dateTime(.time), "You said 08:05 today?", ["You said", "0", "8", "0", "5", "today?"]),
        (.text("Ada"), .text(multiline: false), "You said Ada today?", ["You said", "Ada", "today?"]),
        (nil, choice, unanswered, [unanswered]),
        (.choices([]), choice, unanswered, [unanswered]),
        (.recording("memo-1"), .text(multiline: false), unanswered, [unanswered]),
        (.cleared, nil, unanswered, [unanswered]),
    ]

    static func own(_ texts: [String]) -> [Said] { texts.map { .study($0) } }
    static func said(_ parts: [Said], in words: Words = .english) -> [String] {
        parts.flatMap { words.utterances($0).map(\.text) }
    }

    /// CLDR, `dateFormats`, long: `21. November 2026` in German,
    /// `21 de noviembre de 2026` in Spanish.
    @Test(arguments: [
        ("en", "13 August 1966", ["13", "August", "1000", "900", "66"]),
        ("de", "13. August 1966", ["dreizehnter", "August", "1000", "900", "66"]),
        ("es", "13 de agosto de 1966", ["13", "de agosto de", "1000", "900", "66"]),
    ]) func aDayIsReadAsItsLanguageHasIt(_ language: String, _ text: String, _ parts: [String]) throws {
        let words = Words(for: language)
        let answer = try #require(PipedText.Answer(.dateTime(Self.day), to: .dateTime(.date), in: words))
        #expect(answer.text == text && Self.said(answer.parts, in: words) == parts)
    }

    @Test(arguments: cases.indices) func anAnswerStandsInItsWords(_ index: Int) {
        let (answer, format, text, parts) = Self.cases[index]
        let filled = PipedText(Self.unanswered, snippet: "this word").filled(
            with: PipedText.Answer(answer, to: format, in: .english))
        #expect(filled.text == text && Self.said(filled.parts) == parts)
    }

    @Test func everyPlaceIsFilledAndBeginningAndEndToo() {
        let words = PipedText.Answer(["b"])
        #expect(PipedText("XaXX", snippet: "X").filled(with: words).text == "babb")
        #expect(PipedText("X and X ", snippet: "X").filled(with: nil).text == "X and X")
        #expect(PipedText("no gap", snippet: "X").filled(with: words).parts == [.study("no gap")])
        #expect(PipedText("kept", snippet: "").filled(with: words).text == "kept")
    }

    static let steps = [
        Step(key: "fruit", text: "Which?", format: choice),
        Step(key: "born", text: "When?", format: .dateTime(.date, limits: DateLimits(latest: .now))),
        Step(
            key: "again", text: "Do you like [fruit]?", format: .yesNo(yes: "Yes", no: "No"),
            variation: .piped(Piping(snippet: "[fruit]", question: "fruit"))),
        Step(
            key: "date", text: "Is [born] right?", format: .yesNo(yes: "Yes", no: "No"),
            variation: .piped(Piping(snippet: "[born]", question: "born"))),
        Step(
            key: "other", text: "Last time: [x].", format: .instruction,
            variation: .piped(Piping(snippet: "[x]", question: "n", task: "earlier"))),
    ]
    static let earlier = PanelFixtures.task([Step(key: "n", text: "?", format: choice)], key: "earlier")
    static let task = PanelFixtures.task(steps)

    private static func cards(_ effects: [TaskRun.Effect]) -> [Cue] {
        TaskRunTests.cues(effects).filter { if case .card = $0 { true } else { false } }
    }

    @Test func aRunTellsTheAnswersGivenBefore() throws {
        var run = TaskRun(
            OpenedTask(Self.task, opening: 1, chance: PanelFixtures.chance),
            facts: StudyFacts(variables: [Piping.variable(task: "earlier", question: "n"): .choices(["orange"])]),
            id: "run", now: PanelFixtures.now, panel: .reference, cards: CardIndex([Self.task, Self.earlier]))
        _ = run.start(at: .zero)
        var told: [Cue] = []
        for wanted: Wanted in [
            .answer(.choices(["banana", "apple"])), .answer(.dateTime(PipedTextTests.day)), .answer(.boolean(true)),
            .answer(.boolean(true)),
        ] {
            let edges = try #require(PressFinder(.reference).presses(for: wanted, in: run, from: .zero))
            run = PressFinderTests.follow(edges, run, .reference)
            var copy = run
            told += Self.cards(copy.handle(.gesture(.cancel, repeats: 0), at: .zero))
            // The reminder tells the question again.
            if copy.current != nil { told += Self.cards(copy.handle(.tick, at: try #require(copy.wake))) }
        }
        #expect(
            told == [
                .card(2, text: "When?"),
                .card(3, text: "Do you like banana, apple?", parts: Self.own(["Do you like", "banana", "apple", "?"])),
                .card(
                    4, text: "Is 13 August 1966 right?",
                    parts: [
                        .study("Is"), .device(CalendarPhrases.spokenDays[12]), .device(CalendarPhrases.spokenMonths[7]),
                        .number("1966"), .study("right?"),
                    ]),
                .card(5, text: "Last time: orange.", parts: Self.own(["Last time:", "orange", "."])),
            ])
        #expect(run.currentText == "Last time: orange.")
        #expect(Cue.card(3, text: "a b", parts: Self.own(["a", "b", "?"])).heard() == ["Question 3", "a", "b"])
    }

    @Test func whatIsSaidIsRenderedAtEnrolment() {
        let panel = PanelFixtures.panel(["a", "b", "c"], speaks: true)
        let parts = Vocabulary([Self.task, Self.earlier], on: panel).texts
        let needed = [
            "Do you like", "Do you like [fruit]?", "banana", "Is", "August", "right?", "Last time:", "orange", "66",
            "1000",
        ]
        #expect(Set(needed).subtracting(parts).isEmpty)
        let seldom = Vocabulary([Self.earlier], on: panel).texts
        #expect(!seldom.contains("August"))
    }

    @Test func theSheetNamesTheCardWhoseAnswerItIs() {
        let html = CardSheet(CardSheetTests.study([Self.earlier, Self.task]), panel: .reference).html
        #expect(html.contains("Do you like [your answer to card 2]?"))
        #expect(html.contains("Last time: [your answer to card 1]."))
    }
}
