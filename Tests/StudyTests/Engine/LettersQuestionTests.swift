// SPDX-License-Identifier: Apache-2.0
import Base
import PlatformKit
import Testing

@testable import Study

@Suite struct LettersQuestionTests {
    static func panel(_ names: [String], speaks: Bool = false, letters: String = "") -> Panel {
        try! Panel(
            buttons: Panel.buttons(named: names), leds: [Panel.LED("light", .mono)], buzzer: nil,
            hasLoudspeaker: speaks, letters: letters)
    }
    static let panels = [["button"], ["left", "right"], ["a", "b", "c"], ["a", "b", "c", "d", "e"]].map { panel($0) }

    static func text(_ rules: TextRules = TextRules()) -> AnswerFormat { .text(multiline: false, rules: rules) }

    static func run(_ format: AnswerFormat, on panel: Panel, isRequired: Bool = false) -> TaskRun {
        let steps = [
            Step(key: "q", text: "?", format: format, isRequired: isRequired),
            Step(key: "tail", text: "", format: .instruction),
        ]
        var run = PanelFixtures.run(PanelFixtures.task(steps), on: panel)
        _ = run.start(at: .zero)
        return run
    }

    static let texts: [(TextRules, [String])] = [
        (TextRules(), ["a", "z", "ok", "Hello, World 42!", "x-y/z", "O'Brien", "  ", "(b)"]),
        (TextRules(.email), ["me@example.org", "a.b-c_d+e@x1.co.uk"]),
        (TextRules(maximumLength: 3), ["abc", "a"]),
    ]

    @Test(arguments: texts.indices, panels) func everyTextOfTheRowCanBeChosenOnEveryPanel(
        _ index: Int, _ panel: Panel
    ) throws {
        let (rules, texts) = Self.texts[index]
        for text in texts {
            let run = Self.run(Self.text(rules), on: panel)
            let edges = try #require(
                PressFinder(panel).presses(for: .answer(.text(text)), in: run, from: .zero), "\(text)")
            let after = PressFinderTests.follow(edges, run, panel)
            #expect(after.answers["q"] == .text(text))
            #expect(after.current?.key == "tail")
        }
    }

    @Test(arguments: panels) func whatTheRulesRefuseHasNoPresses(_ panel: Panel) throws {
        let pattern = try TextPattern(reading: "^[0-9]+$")
        for (rules, text) in [
            (TextRules(.email), "me"), (TextRules(maximumLength: 2), "abc"), (TextRules(pattern: pattern), "12a"),
            (TextRules(), "ü"), (TextRules(), ""), (TextRules(.email), "Me@x.org"),
        ] {
            let run = Self.run(Self.text(rules), on: panel)
            #expect(PressFinder(panel).presses(for: .answer(.text(text)), in: run, from: .zero) == nil, "\(text)")
        }
    }

    @Test(arguments: panels) func itCanBeLeftOutWhatEverWasBegun(_ panel: Panel) throws {
        let run = Self.run(Self.text(), on: panel)
        let begun = try #require(PressFinder(panel).presses(for: .answer(.text("ab")), in: run, from: .zero)).dropLast(
            4)
        let halfway = PressFinderTests.follow(Array(begun), run, panel)
        let end = try #require(begun.last).time + .seconds(1)
        let edges = try #require(PressFinder(panel).presses(for: .leaveOut, in: halfway, from: end))
        let after = PressFinderTests.follow(edges, halfway, panel)
        #expect(after.answers["q"] == nil && after.current?.key == "tail")
    }

    static func cues(_ effects: [QuestionEffect]) -> [Cue] {
        effects.compactMap { if case .say(let cue) = $0 { cue } else { nil } }
    }

    /// Steps to a symbol by its number and chooses it; 0 = done.
    static func choose(_ numbers: [Int], _ question: inout LettersQuestion) -> [QuestionEffect] {
        var effects: [QuestionEffect] = []
        for number in numbers {
            for _ in 0..<number { _ = question.handle(.gesture(.next, repeats: 0)) }
            effects = question.handle(.gesture(.select, repeats: 0))
        }
        return effects
    }

    @Test func lettersAreToldByNumberAndNameAndReadBack() {
        var question = LettersQuestion(TextRules(), board: LetterBoard(), layout: .three)
        #expect(Self.cues(question.handle(.gesture(.next, repeats: 0))) == [.letter(1, text: .symbol("a"))])
        #expect(Self.cues(question.handle(.gesture(.previous, repeats: 0))) == [.done])
        #expect(
            Self.cues(question.handle(.gesture(.previous, repeats: 0))) == [
                .letter(50, text: .device(LettersPhrases.delete))
            ])
        _ = question.handle(.gesture(.next, repeats: 0))
        #expect(Self.cues(Self.choose([28], &question)) == [.accepted], "capital")
        #expect(Self.cues(Self.choose([3, 27, 30], &question)) == [.accepted])
        #expect(
            Self.cues(Self.choose([0], &question)) == [
                .spelled(
                    [28, 3, 27, 30],
                    names: [
                        .device(LettersPhrases.capital), .symbol("c"), .device(LettersPhrases.signs[" "]!),
                        .symbol("1"),
                    ]), .confirm,
            ])
        #expect(question.handle(.gesture(.select, repeats: 0)) == [.answered(.text("C 1"))])
    }

    @Test func deleteAndUndoTakeTheLastLetterAway() {
        var question = LettersQuestion(TextRules(), board: LetterBoard(), layout: .three)
        #expect(Self.cues(Self.choose([50], &question)) == [.refused], "nothing to delete")
        _ = Self.choose([1, 2, 3], &question)
        #expect(Self.cues(Self.choose([50], &question)) == [.undone])
        #expect(Self.cues(question.handle(.gesture(.undo, repeats: 0))) == [.undone])
        _ = Self.choose([0], &question)
        #expect(question.handle(.gesture(.select, repeats: 0)) == [.answered(.text("a"))])
    }

    /// Unicode's `uppercased` makes SS of ß (SpecialCasing.txt).
    @Test(arguments: [(2, false), (3, true)]) func aCapitalOfTwoLettersNeedsRoomForBothAndGoesAsOne(
        limit: Int, fits: Bool
    ) {
        var question = LettersQuestion(
            TextRules(maximumLength: limit), board: LetterBoard(letters: "abß"), layout: .three)
        let told = Self.cues(Self.choose([1, 5, 3], &question))
        #expect(told == (fits ? [.accepted] : [.refused, .say(LettersPhrases.full)]))
        let readBack = Self.cues(Self.choose([0], &question)).first
        let names: [Said] = [.symbol("a")] + (fits ? [.device(LettersPhrases.capital), .symbol("ß")] : [])
        #expect(readBack == .spelled(fits ? [1, 5, 3] : [1], names: names))
        guard fits else { return #expect(question.handle(.gesture(.select, repeats: 0)) == [.answered(.text("a"))]) }
        _ = question.handle(.gesture(.undo, repeats: 0))
        _ = question.handle(.gesture(.undo, repeats: 0))
        _ = Self.choose([0], &question)
        #expect(question.handle(.gesture(.select, repeats: 0)) == [.answered(.text("a"))])
    }

    /// A vowel sign is one with the letter before it (UAX #29, SpacingMark).
    @Test func aSignThatCombinesIsReadBackAndTakenAwayByItself() {
        let board = LetterBoard(letters: "\u{93E}\u{915}")
        #expect(board.symbols.prefix(2) == [.character("\u{93E}"), .character("\u{915}")])
        var question = LettersQuestion(TextRules(), board: board, layout: .three)
        _ = Self.choose([2, 1], &question)
        #expect(
            Self.cues(Self.choose([0], &question)).first
                == .spelled([2, 1], names: [.symbol("\u{915}"), .symbol("\u{93E}")]))
        _ = question.handle(.gesture(.undo, repeats: 0))
        _ = question.handle(.gesture(.undo, repeats: 0))
        _ = Self.choose([0], &question)
        #expect(question.handle(.gesture(.select, repeats: 0)) == [.answered(.text("\u{915}"))])
    }

    @Test func whatTheRulesDoNotTakeIsRefusedInTheStudysWords() throws {
        let cases: [(TextRules, [Int], [Cue])] = [
            (TextRules(.email), [1, 0], [.refused, .say(LettersPhrases.noAddress)]),
            (TextRules(maximumLength: 1), [1, 2], [.refused, .say(LettersPhrases.full)]),
            (
                TextRules(pattern: try TextPattern(reading: "^b"), invalidMessage: "Begin with b"), [1, 0],
                [.refused, .message("Begin with b")]
            ),
            (
                TextRules(pattern: try TextPattern(reading: "^b")), [1, 0],
                [.refused, .say(LettersPhrases.noMatch)]
            ),
        ]
        for (rules, numbers, told) in cases {
            var question = LettersQuestion(rules, board: LetterBoard(kind: rules.kind), layout: .three)
            #expect(Self.cues(Self.choose(numbers, &question)) == told)
        }
    }

    @Test(.timeLimit(.minutes(10))) func aPatternThatTakesTooLongRefusesAndIsLogged() throws {
        let rules = TextRules(pattern: try TextPattern(reading: "^(a+)+(a|aa)*(a*)*[0-9]$"))
        var question = LettersQuestion(rules, board: LetterBoard(), layout: .three)
        let effects = Self.choose(Array(repeating: 1, count: 40) + [0], &question)
        #expect(effects.contains(.device(.remark(TextPattern.exhaustedRemark))))
        #expect(Self.cues(effects) == [.refused, .say(LettersPhrases.noMatch)])
        var run = Self.run(Self.text(rules), on: Self.panels[2])
        var last: [TaskRun.Effect] = []
        for number in Array(repeating: 1, count: 40) + [0] {
            for _ in 0..<number { _ = run.handle(.gesture(.next, repeats: 0), at: .zero) }
            last = run.handle(.gesture(.select, repeats: 0), at: .zero)
        }
        let remark = DeviceEffect.remark("question q: \(TextPattern.exhaustedRemark)")
        #expect(last.contains { if case .device(remark) = $0 { true } else { false } })
    }

    @Test func aHeldButtonWalksFasterFromTheSixthRepetition() {
        var question = LettersQuestion(TextRules(), board: LetterBoard(), layout: .three)
        var told: [Cue] = []
        for repeats in 0...8 { told += Self.cues(question.handle(.gesture(.next, repeats: repeats))) }
        #expect(told.last == .letter(21, text: .symbol("u")), "six by one, three by five")
    }

    @Test func fewButtonsChooseTheGroupFirst() {
        var question = LettersQuestion(TextRules(), board: LetterBoard(), layout: .one)
        #expect(
            Self.cues(question.handle(.gesture(.next, repeats: 0))) == [
                .letter(1, text: .device(LettersPhrases.group, [.symbol("a"), .symbol("f")]))
            ])
        #expect(
            Self.cues(question.handle(.gesture(.next, repeats: 0))) == [
                .letter(7, text: .device(LettersPhrases.group, [.symbol("g"), .symbol("l")]))
            ])
        #expect(
            Self.cues(question.handle(.gesture(.select, repeats: 0))) == [.accepted, .letter(7, text: .symbol("g"))])
        #expect(
            Self.cues(question.handle(.gesture(.undo, repeats: 0))) == [
                .undone, .letter(7, text: .device(LettersPhrases.group, [.symbol("g"), .symbol("l")])),
            ])
    }

    /// Of more than one symbol the first and the last are said.
    @Test(arguments: [1, 2, 3]) func aGroupIsNamedByItsEnds(count: Int) {
        let board = LetterBoard(letters: "abc")
        let (first, last) = (LetterBoard.name(board.symbols[0]), LetterBoard.name(board.symbols[count - 1]))
        #expect(board.name(0..<count) == (count == 1 ? first : .device(LettersPhrases.group, [first, last])))
    }

    @Test func otherAlphabetsReplaceTheLettersAndAddNothingTwice() {
        let board = LetterBoard(letters: "äÄbb1 @", kind: .email)
        #expect(board.symbols.prefix(3) == [.character("ä"), .character("b"), .character("@")])
        #expect(Set(board.symbols).count == board.symbols.count)
        #expect(LetterBoard(letters: "").symbols.first == .character("a"))
        #expect(LetterBoard(letters: "äb").symbol(for: "Ä")?.isCapital == true)
    }

    @Test func validateSaysWhichWayATextIsAsked() {
        let step = Step(key: "q", text: "?", format: Self.text(TextRules(.email, maximumLength: 9)))
        let way: (Panel) -> String = { panel in
            if case .asked(_, let answered) = PanelSupport(step, on: panel) { answered } else { "refused" }
        }
        #expect(way(Self.panels[2]).hasPrefix("by letters: "))
        #expect(
            way(Self.panels[2]).contains("; at most 9 characters; anything but an email address is refused; at “done”"))
        #expect(way(Self.panels[0]).contains("the groups of letters"))
        #expect(way(PanelFixtures.one).hasPrefix("spoken: "))
        #expect(way(PanelFixtures.one).contains("what is said is not checked (length and address)"))
        #expect(way(.reference) == "refused")
    }

    @Test func theSheetHasTheRowOfEachKindThatIsAsked() {
        let steps = [Step(key: "q", text: "?", format: Self.text(TextRules(.email)))]
        let sheet = CardSheet(CardSheetTests.study([PanelFixtures.task(steps)]), panel: Self.panels[2]).html
        #expect(sheet.contains("Letters of an email address") && sheet.contains("<td>underscore</td>"))
        #expect(!sheet.contains("<h2>Letters</h2>"))
        let spoken = CardSheet(CardSheetTests.study([PanelFixtures.task(steps)]), panel: PanelFixtures.one).html
        #expect(!spoken.contains("class=letters"))
    }

    @Test(arguments: [["button"], ["a", "b"], ["a", "b", "c"]]) func everythingSaidOfLettersIsInTheVocabulary(
        _ names: [String]
    ) throws {
        let panel = Self.panel(names, speaks: true)
        let rules = TextRules(pattern: try TextPattern(reading: "^[a-m]+$"), invalidMessage: "Only a to m")
        let task = PanelFixtures.task([Step(key: "q", text: "?", format: Self.text(rules))])
        let vocabulary = Set(Vocabulary([task], on: panel).parts)
        var bench = PanelBench(panel, tasks: [task])
        var generator = SplitMix64(seed: 3)
        for _ in 0..<900 {
            bench.send(.listItems([ListItem(id: task.key, name: task.name)]))
            if bench.session.run == nil { bench.reach(.openItem(task.key)) }
            bench.press([.next, .next, .previous, .select, .select, .undo][generator.below(6)])
            bench.wait(.milliseconds(300))
        }
        let said = Set(bench.effects.flatMap(\.spoken))
        #expect(said.subtracting(vocabulary).isEmpty)
        let texts = Set(said.map(\.text))
        #expect(texts.contains("Only a to m") && texts.contains("a to f") == (panel.layout != .three))
    }

    /// The capital sign makes what `uppercased` makes of a letter: of ß that is SS, of ǆ it is Ǆ.
    @Test func aCapitalThatTheSignDoesNotMakeCannotBeEntered() {
        let board = LetterBoard(letters: "abßǆ", kind: .text)
        #expect(board.symbol(for: "ß")?.isCapital == false && board.symbol(for: "A")?.isCapital == true)
        #expect(board.symbol(for: "Ǆ")?.isCapital == true)
        for character: Character in ["ẞ", "ǅ", "C"] { #expect(board.symbol(for: character) == nil, "\(character)") }
        #expect(
            !board.canSpell("Aẞ") && board.canSpell("Aß")
                && LetterBoard(letters: "ab", kind: .email).symbol(for: "A") == nil)
    }

    /// The ring begins again behind every letter that is entered, or taken away.
    @Test func whoTakesALetterAwayBeginsTheRowAgain() {
        var question = LettersQuestion(TextRules(), board: LetterBoard(), layout: .three)
        _ = Self.choose([1, 2], &question)
        for _ in 0..<5 { _ = question.handle(.gesture(.next, repeats: 0)) }
        #expect(question.currentPlace == .letter(5, text: .symbol("e")))
        #expect(Self.cues(question.handle(.gesture(.undo, repeats: 0))) == [.undone] && question.currentPlace == nil)
        #expect(Self.cues(question.handle(.gesture(.next, repeats: 0))) == [.letter(1, text: .symbol("a"))])
        _ = question.handle(.gesture(.undo, repeats: 0))
        #expect(question.handle(.gesture(.undo, repeats: 0)) == [.back])
    }
}
