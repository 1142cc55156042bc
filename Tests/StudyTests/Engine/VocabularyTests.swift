// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Study

@Suite struct VocabularyTests {
    static let speaking = [["button"], ["left", "right"], ["a", "b", "c"], ["a", "b", "c", "d", "e"]]

    private static let steps: [Step] = [
        Step(key: "told", text: "Sit down, please.", format: .instruction),
        Step(key: "yes", text: "Did you sleep?", format: .yesNo(yes: "Yes", no: "No")),
        Step(
            key: "one", text: "Which fruit?",
            format: .choice(ChoiceFormat(options: PanelFixtures.options, isMultiple: false))),
        Step(
            key: "many", text: "Which fruits?",
            format: .choice(ChoiceFormat(options: PanelFixtures.options, isMultiple: true))),
        Step(
            key: "slider", text: "How warm?",
            format: .slider(
                SliderFormat(minimum: -20, maximum: 40, step: 0.5, minimumLabel: "cold", maximumLabel: "hot"))),
        Step(
            key: "number", text: "How many steps?",
            format: .number(NumberFormat(minimum: -5, maximum: 99_999, maximumFractionDigits: 2, unit: ""))),
        Step(key: "when", text: "When did you get up?", format: .dateTime(.dateTime)),
        Step(key: "memo", text: "Tell us more.", format: .text(multiline: false)),
        Step(
            key: "photo", text: "Show us your meal.",
            format: .media(MediaReference(kind: .photo, source: "", path: "$"))),
    ]
    static let tasks = [
        PanelFixtures.task(steps, key: "survey"), PanelFixtures.task([steps[1]], key: "quick"),
    ]

    private static func lastMemo(_ bench: PanelBench) -> String {
        let ids = bench.effects.compactMap { effect -> String? in
            if case .device(.startRecording(let id)) = effect { id } else { nil }
        }
        return ids.last ?? ""
    }

    /// Whatever is pressed, nothing is said that was not rendered at enrolment.
    @Test(arguments: speaking, [("en", UInt64(1)), ("de", 2), ("es", 3), ("fr", 4)])
    func aRandomHandHearsNothingThatIsNotInIt(_ buttons: [String], _ language: (tag: String, seed: UInt64)) {
        var panel = PanelFixtures.panel(buttons, speaks: true)
        panel.language = language.tag
        let vocabulary = Set(Vocabulary(Self.tasks, on: panel).parts)
        var bench = PanelBench(panel, tasks: Self.tasks)
        var generator = SplitMix64(seed: language.seed)
        bench.send(.listItems(Self.tasks.map { ListItem(id: $0.key, name: $0.name) }))
        for round in 0..<1500 {
            if round % 97 == 0 {
                let task = Self.tasks[round % 2]
                bench.send(.message(task.prompt.lastMessage))
                bench.send(
                    .promptDue(PromptItem(id: "\(task.key)/\(round)", task: task, cards: CardIndex(Self.tasks))))
            }
            if round % 211 == 0 { bench.send(.device(.recordingFailed(Self.lastMemo(bench)))) }
            if round % 307 == 0 { bench.send(.fault("i2c-1: no answer")) }
            if round % 89 == 0 { bench.wait(.seconds(generator.below(900))) }
            bench.stores = generator.below(10) > 0
            bench.press([.next, .previous, .select, .select, .undo, .menu][generator.below(6)])
            bench.wait(.milliseconds(400))
        }
        let said = Set(bench.effects.flatMap(\.spoken))
        #expect(said.subtracting(vocabulary).isEmpty)
        #expect(said.count > 25)
        // The study's texts in its language, the device's own in theirs.
        let words = Words(for: language.tag)
        #expect(Set(said.map(\.language)) == [language.tag, words.language.tag])
    }

    /// Every question, answered by the way that leads to each of many values.
    @Test(arguments: speaking) func everyAnswerIsReadBackInItsWords(_ buttons: [String]) throws {
        let panel = PanelFixtures.panel(buttons, speaks: true)
        let vocabulary = Set(Vocabulary(Self.tasks, on: panel).parts)
        let day = try #require(LocalDate(year: 1984, month: 12, day: 31))
        let wanted: [(Int, Wanted)] = [
            (4, .answer(.number(-0.5))), (4, .answer(.number(40))), (5, .answer(.number(98_765.43))),
            (6, .answer(.dateTime(LocalDateTime(day, try #require(LocalTime(hour: 23, minute: 5)))))),
        ]
        for (step, wanted) in wanted {
            let task = PanelFixtures.task([Self.steps[step], Self.steps[0]], key: "survey")
            let words = vocabulary.union(Vocabulary([task], on: panel).parts)
            var bench = PanelBench(panel, tasks: [task])
            bench.send(.listItems([ListItem(id: task.key, name: task.name)]))
            bench.reach(.openItem(task.key))
            bench.reach(.answer(wanted))
            #expect(Set(bench.effects.flatMap(\.spoken)).subtracting(words).isEmpty)
            #expect(bench.session.run?.questions.count == 2)
        }
    }

    @Test func aPanelWithoutALoudspeakerSaysNothing() {
        #expect(Vocabulary(Self.tasks, on: .reference).parts.isEmpty)
    }

    @Test func itHoldsTheStudysOwnTextsAndEachPartOnce() {
        let parts = Vocabulary(Self.tasks, on: PanelFixtures.panel(["a"], speaks: true)).parts.map(\.text)
        #expect(Set(parts).count == parts.count)
        let wanted = [
            "survey", "quick", "Question 1", "Question 9", "Which fruit?", "banana", "ticked", "No, stay",
            "Record again", "Is that right?", "0", "100", "900", "9000", "point", "minus",
        ]
        #expect(Set(wanted).subtracting(parts).isEmpty)
        #expect(!parts.contains { $0.isEmpty })
    }
}

@Suite struct SpokenNumberTests {
    @Test(arguments: [
        ("0", ["0"]), ("100", ["100"]), ("101", ["100", "1"]), ("200", ["200"]), ("237", ["200", "37"]),
        ("1984", ["1000", "900", "84"]), ("2000", ["2000"]), ("2026", ["2000", "26"]),
        ("12345", ["1", "2", "3", "4", "5"]), ("-3", ["minus", "3"]), ("0.5", ["0", "point", "5"]),
        ("-12.05", ["minus", "12", "point", "0", "5"]), ("12.", ["12", "point"]), ("08:05", ["0", "8", "0", "5"]),
        ("2026 02 27 09:41", ["2000", "26", "0", "2", "27", "0", "9", "41"]), (".", ["point"]), ("-", ["minus"]),
        ("", [""]), ("apple", ["apple"]), ("3 apples", ["3 apples"]), ("1e9", ["1e9"]), ("1.2.3", ["1.2.3"]),
        ("٣", ["٣"]),
    ]) func numbersAreSaidInWordsThatAreThere(_ text: String, _ parts: [String]) {
        #expect(SpokenNumber(.english).parts(text) == (text.isEmpty ? [] : parts))
    }

    @Test(arguments: Language.allCases) func everyNumberUpToTenThousandIsMadeOfItsWords(_ language: Language) {
        let spoken = SpokenNumber(language)
        let words = Set(spoken.words)
        for number in 0...12_000 {
            let parts = spoken.parts(String(number))
            #expect(words.isSuperset(of: parts))
            let values = parts.map { Int($0) ?? 100 }
            if number <= 9999 { #expect(values.reduce(0, +) == number) }
        }
    }

    /// Nueva gramática de la lengua española (RAE) 21.2: «cien» before nothing, «ciento»
    /// before tens and ones.
    @Test(arguments: [
        ("100", ["100"]), ("101", ["ciento", "1"]), ("199", ["ciento", "99"]), ("200", ["200"]),
        ("1100", ["1000", "100"]), ("1105", ["1000", "ciento", "5"]), ("-0.5", ["menos", "0", "coma", "5"]),
    ]) func aSpanishHundredWithSomethingBehindItIsCiento(_ text: String, _ parts: [String]) throws {
        let spanish = try #require(Language(tag: "es"))
        #expect(SpokenNumber(spanish).parts(text) == parts)
    }
}
