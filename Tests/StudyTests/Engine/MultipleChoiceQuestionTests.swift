// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Study

@Suite struct MultipleChoiceQuestionTests {
    static let format = ChoiceFormat(
        options: [
            .init(value: "a", text: "apple"), .init(value: "b", text: "banana"),
            .init(value: "0", text: "none", isExclusive: true), .init(value: "x", text: "unknown", isExclusive: true),
        ], isMultiple: true)

    /// What the last of these gestures brings up; `1`…`4` steps to that option and chooses it.
    static func last(_ gestures: String, _ question: inout MultipleChoiceQuestion) -> [QuestionEffect] {
        var effects: [QuestionEffect] = []
        for gesture in gestures {
            if gesture == "u" {
                effects = question.handle(.gesture(.undo, repeats: 0))
                continue
            }
            let wanted = gesture == "d" ? 0 : gesture.wholeNumberValue ?? 0
            while place(question) != wanted { _ = question.handle(.gesture(.next, repeats: 0)) }
            effects = question.handle(.gesture(.select, repeats: 0))
        }
        return effects
    }

    private static func place(_ question: MultipleChoiceQuestion) -> Int {
        var copy = question
        _ = copy.handle(.gesture(.next, repeats: 0))
        guard case .say(let cue)? = copy.handle(.gesture(.previous, repeats: 0)).first,
            case .option(let number, _, _) = cue
        else { return 0 }
        return number
    }

    static let cases: [(String, [QuestionEffect])] = [
        ("1", [.say(.option(1, text: "apple", isTicked: true))]),
        (
            "123",
            [
                .say(.option(3, text: "none", isTicked: true)), .say(.undone),
                .say(.option(1, text: "apple", isTicked: false)), .say(.option(2, text: "banana", isTicked: false)),
            ]
        ),
        (
            "31",
            [
                .say(.option(1, text: "apple", isTicked: true)), .say(.undone),
                .say(.option(3, text: "none", isTicked: false)),
            ]
        ),
        (
            "34",
            [
                .say(.option(4, text: "unknown", isTicked: true)), .say(.undone),
                .say(.option(3, text: "none", isTicked: false)),
            ]
        ),
        ("33", [.say(.option(3, text: "none", isTicked: false))]),
        ("123d", [.answered(.choices(["0"]))]),
        ("312d", [.answered(.choices(["a", "b"]))]),
        ("123u", [.say(.undone)]),
        ("123ud", [.answered(.choices(["a", "b"]))]),
        ("31ud", [.answered(.choices(["0"]))]),
    ]

    @Test(arguments: cases) func anExclusiveOptionUnticksTheOthersAndTheOtherWayRoundAndSaysSo(
        _ gestures: String, _ expected: [QuestionEffect]
    ) {
        var question = MultipleChoiceQuestion(Self.format, layout: .three)
        #expect(Self.last(gestures, &question) == expected)
    }

    /// The way to the end is one step from a tick, whichever way one walks, and the options lie
    /// around it as before.
    @Test func doneStandsOnBothSidesOfTheLastTick() {
        var question = MultipleChoiceQuestion(Self.format, layout: .three)
        _ = Self.last("2", &question)
        func told(_ gestures: [Gesture]) -> Cue? {
            var copy = question
            var effects: [QuestionEffect] = []
            for gesture in gestures { effects = copy.handle(.gesture(gesture, repeats: 0)) }
            if case .say(let cue)? = effects.first { return cue }
            return nil
        }
        #expect(told([.next]) == .done && told([.previous]) == .done)
        #expect(told([.next, .previous]) == .option(2, text: "banana", isTicked: true))
        #expect(told([.next, .next]) == .option(3, text: "none", isTicked: false))
        #expect(told([.previous, .previous]) == .option(1, text: "apple", isTicked: false))
        #expect(told(Array(repeating: .next, count: 4)) == .option(1, text: "apple", isTicked: false))
        #expect(told(Array(repeating: .next, count: 5)) == .done)
        #expect(question.tickedNumbers == [2])
    }

    @Test func ofASingleOptionThereIsOneEnd() {
        var question = MultipleChoiceQuestion(
            ChoiceFormat(options: [.init(value: "a", text: "a")], isMultiple: true), layout: .one)
        let taps: [Gesture] = [.next, .select, .next, .select]
        #expect(taps.map { question.handle(.gesture($0, repeats: 0)) }.last == [.answered(.choices(["a"]))])
    }

    @Test(arguments: PanelFixtures.panels) func noPressesTickAnExclusiveOptionWithAnother(_ panel: Panel) throws {
        let task = PanelFixtures.task([Step(key: "q", text: "?", format: .choice(Self.format))])
        var run = PanelFixtures.run(task, on: panel)
        _ = run.start(at: .zero)
        let finder = PressFinder(panel)
        #expect(finder.presses(for: .answer(.choices(["a", "0"])), in: run, from: .zero) == nil)
        for values in [["0"], ["x"], ["b", "a"]] {
            let edges = try #require(finder.presses(for: .answer(.choices(values)), in: run, from: .zero))
            #expect(PressFinderTests.follow(edges, run, panel).answers["q"] == .choices(values))
        }
    }

    @Test func aScriptCannotWantBothAndChanceNeverDoes() {
        let both = ScriptedValue.list([.string("apple"), .string("none")])
        #expect(throws: WantedError.self) {
            try Wanted(both, for: .choice(Self.format), now: PanelFixtures.now)
        }
        var generator = SplitMix64(seed: 5)
        let step = Step(key: "q", text: "?", format: .choice(Self.format), isRequired: true)
        for _ in 0..<200 {
            guard case .answer(.choices(let values)) = Wanted.random(step, now: PanelFixtures.now, using: &generator)
            else { continue }
            #expect(Self.format.canTick(values) && !values.isEmpty)
        }
    }

    @Test func validateAndTheSheetNameWhatStandsAlone() {
        let step = Step(key: "q", text: "?", format: .choice(Self.format))
        guard case .asked(_, let answered) = PanelSupport(step, on: .reference) else {
            Issue.record("refused")
            return
        }
        #expect(answered.contains("(choosing 3, 4 clears the others)"))
        let html = CardSheet(CardSheetTests.study([PanelFixtures.task([step])]), panel: .reference).html
        #expect(html.contains("none (alone)") && !html.contains("apple (alone)"))
    }
}
