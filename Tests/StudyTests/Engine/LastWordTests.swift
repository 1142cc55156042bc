// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Study

/// What is asked and told at the end of a run: once, before anything happens, and
/// with all its words.
@Suite struct LastWordTests {
    private static let yes = AnswerFormat.yesNo(yes: "Yes", no: "No")

    private static func bench(_ steps: [Step], on panel: Panel = .reference) -> PanelBench {
        var bench = PanelBench(panel, tasks: [PanelFixtures.task(steps)])
        bench.send(.listItems([ListItem(id: "task", name: "task")]))
        bench.reach(.openItem("task"))
        return bench
    }

    private static func cues(_ bench: PanelBench) -> [[Cue]] {
        bench.effects.compactMap { if case .device(.signal(let plan)) = $0 { plan.cues } else { nil } }
    }

    @Test func aSignalNamesEverythingThatIsToldWithIt() {
        var bench = Self.bench([
            Step(key: "a", text: "A?", format: Self.yes), Step(key: "b", text: "B?", format: Self.yes),
        ])
        for _ in 0..<2 { bench.reach(.answer(.answer(.boolean(true)))) }
        #expect(
            Self.cues(bench).last == [
                .answer(isYes: true, "Yes"), .confirm, .card(1, text: "", parts: []), .answer(isYes: true, "Yes"),
                .card(2, text: "", parts: []), .answer(isYes: true, "Yes"),
            ])
    }

    /// What would be submitted is said back, by signals and by voice, whatever was asked.
    @Test func everyAnswerIsSaidBackBeforeItIsSubmitted() throws {
        let options = ChoiceFormat(options: PanelFixtures.options, isMultiple: true)
        let scale = SliderFormat(minimum: 0, maximum: 10, step: 1, minimumLabel: "", maximumLabel: "")
        let day = LocalDateTime(try #require(LocalDate(year: 2026, month: 2, day: 27)), .midnight)
        let cases: [(AnswerFormat, AnswerValue, cue: Cue, said: [String])] = [
            (Self.yes, .boolean(true), .answer(isYes: true, "Yes"), ["Yes"]),
            (Self.yes, .boolean(false), .answer(isYes: false, "No"), ["No"]),
            (
                .choice(options), .choices(["banana", "apple"]),
                .spelled([1, 3], names: [.study("apple"), .study("banana")]), ["apple", "banana"]
            ),
            (.slider(scale), .number(7), .value("7"), ["7"]),
            (
                .number(NumberFormat(minimum: 0, maximum: 99, maximumFractionDigits: 0, unit: "")), .number(42),
                .value("42"), ["42"]
            ),
            (.dateTime(.date), .dateTime(day), .value("2026 02 27"), []),
        ]
        let panel = PanelFixtures.panel(["a", "b", "c"], speaks: true)
        for item in cases {
            var bench = Self.bench([Step(key: "a", text: "A?", format: item.0)], on: panel)
            bench.reach(.answer(.answer(item.1)))
            let last = try #require(Self.cues(bench).last)
            #expect(last.suffix(2).first == item.cue && last.last == .undoable(seconds: 4), "\(last)")
            if !item.said.isEmpty { #expect(item.cue.speech(in: .english).map(\.text) == item.said) }
            #expect(!item.cue.rhythm.groups.isEmpty)
        }
        #expect(Cue.answer(isYes: true, "Ja").rhythm != Cue.answer(isYes: false, "Ja").rhythm)
    }

    @Test func fiveAnswersAreAllSaidBack() {
        var bench = Self.bench((1...5).map { Step(key: "k\($0)", text: "?", format: Self.yes) })
        for _ in 1...5 { bench.reach(.answer(.answer(.boolean(true)))) }
        let told = Self.cues(bench).last ?? []
        #expect(
            told.filter { if case .card = $0 { true } else { false } } == (1...5).map { .card($0, text: "", parts: []) }
        )
    }

    @Test func ofManyAnswersTheLastIsSaidBack() {
        var bench = Self.bench((1...6).map { Step(key: "k\($0)", text: "?", format: Self.yes) })
        for number in 1...6 { bench.reach(.answer(.answer(.boolean(number < 6)))) }
        #expect(
            Self.cues(bench).last?.suffix(3) == [.confirm, .card(6, text: "", parts: []), .answer(isYes: false, "No")])
    }

    @Test(arguments: PanelFixtures.panels) func theOnlyQuestionIsNotConfirmedAndItsFourSecondsAreTold(_ panel: Panel) {
        var bench = Self.bench(
            [Step(key: "i", text: "Read", format: .instruction), Step(key: "a", text: "A?", format: Self.yes)],
            on: panel)
        bench.reach(.answer(.leaveOut))
        bench.reach(.answer(.answer(.boolean(false))))
        let told: [Cue] = [.answer(isYes: false, "No"), .undoable(seconds: 4)]
        #expect(Self.cues(bench).last == told)
        // They begin when the answer was said; the release of the press is 0.12 s later at most.
        bench.wait((Signals(panel).plan(told)?.playingTime ?? .zero) + .milliseconds(3_600))
        #expect(bench.submitted == nil)
        bench.wait(.milliseconds(500))
        #expect(bench.submitted?.answers == ["a": .boolean(false)])
    }

    /// A hold that begins within the four seconds is not overtaken by them.
    @Test(arguments: PanelFixtures.panels) func whoHoldsAButtonHasNotSubmitted(_ panel: Panel) {
        var bench = Self.bench([Step(key: "a", text: "A?", format: Self.yes)], on: panel)
        bench.reach(.answer(.answer(.boolean(true))))
        bench.wait(.milliseconds(3_500))
        bench.press(.undo)
        #expect(bench.submitted == nil && bench.session.run?.current?.key == "a")
    }

    @Test func leavingIsAskedBeforeItIsSaid() {
        var bench = Self.bench([Step(key: "a", text: "A?", format: Self.yes)])
        bench.press(.menu)
        bench.press(.previous)
        bench.press(.select)
        #expect(Self.cues(bench).last == [.leaveRun] && Cue.leaveRun.heard() == ["Leave without saving?"])
        #expect(!Self.cues(bench).joined().contains(.runLeft))
        bench.press(.select)
        #expect(Self.cues(bench).joined().contains(.runLeft) && bench.session.run == nil)
    }

    /// A press that answers a question must come after its words.
    @Test func aPromptOfOnePressTellsItsQuestion() {
        let task = PanelFixtures.task([Step(key: "a", text: "Did you sleep well?", format: Self.yes)])
        var bench = PanelBench(.reference, tasks: [task])
        bench.send(.promptDue(PromptItem(id: "task/1", task: task, cards: CardIndex([task]))))
        #expect(Self.cues(bench).last?.last == .card(1, text: "Did you sleep well?"))
    }

    /// The log says which part it is; the participant is asked for the same each time.
    @Test func aFaultIsToldOnceHoweverItsCauseIsWorded() {
        var bench = PanelBench(.reference, tasks: [])
        func faults() -> Int { Self.cues(bench).joined().count { if case .fault = $0 { true } else { false } } }
        for cause in [
            "the light is missing for 1 s", "the light is missing for 2 s", "the button is missing", "the light",
        ] {
            bench.send(.fault(cause))
        }
        #expect(faults() == 1)
        bench.send(.fault(FaultPhrases.cannotStore.text(in: .english)))
        #expect(faults() == 2, "other words")
        bench.send(.fault(nil))
        bench.send(.fault("the light"))
        #expect(faults() == 3, "once more after it was over")
    }

    @Test func aNumberIsReadBackWithEveryDigitAndTakenAtDone() {
        var question = NumberQuestion(NumberFormat(minimum: 0, maximum: 99, maximumFractionDigits: 0), layout: .three)
        func press(_ gesture: Gesture) -> [QuestionEffect] { question.handle(.gesture(gesture, repeats: 0)) }
        _ = (1...4).map { _ in press(.next) }
        #expect(press(.select) == [.say(.accepted), .say(.value("4"))])
        _ = (1...5).map { _ in press(.next) }
        #expect(press(.select) == [.say(.accepted), .say(.value("45"))])
        #expect(press(.undo) == [.say(.undone), .say(.value("4"))])
        #expect(press(.select) == [.answered(.number(4))])
    }
}
