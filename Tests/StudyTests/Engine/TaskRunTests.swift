// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Study

struct TaskRunTests {
    static let yes = AnswerFormat.yesNo(yes: "Yes", no: "No")
    static let two = PanelFixtures.task([
        Step(key: "a", text: "A", format: yes, isRequired: true), Step(key: "b", text: "B", format: yes),
    ])

    static func started(_ task: StudyTask, limits: RunLimits = RunLimits()) -> TaskRun {
        var run = PanelFixtures.run(task, on: .reference, limits: limits)
        _ = run.start(at: .zero)
        return run
    }

    static func cues(_ effects: [TaskRun.Effect]) -> [Cue] {
        effects.flatMap { effect in if case .say(let cues) = effect { return cues } else { return [Cue]() } }
    }

    static func record(_ effects: [TaskRun.Effect]) -> RunRecord? {
        effects.compactMap { if case .ended(let record) = $0 { record } else { nil } }.first
    }

    static func at(_ seconds: Int) -> MonotonicTime { .zero + .seconds(seconds) }

    @Test func theCardNumberIsToldFirst() {
        var run = PanelFixtures.run(Self.two, on: .reference)
        #expect(Self.cues(run.start(at: .zero)) == [.card(1, text: "A")])
        #expect(
            Self.cues(run.handle(.gesture(.next, repeats: 0), at: Self.at(1))) == [
                .answer(isYes: true, "Yes"), .card(2, text: "B"),
            ])
    }

    @Test func aRequiredQuestionIsAskedAgain() {
        var run = Self.started(Self.two)
        let cues = Self.cues(run.handle(.gesture(.select, repeats: 0), at: Self.at(1)))
        #expect(cues == [.required, .card(1, text: "A")])
        #expect(run.current?.key == "a")
    }

    @Test func undoLeadsBackAndPassingKeepsTheAnswer() {
        var run = Self.started(Self.two)
        for gesture: Gesture in [.next, .undo, .select, .previous, .select] {
            _ = run.handle(.gesture(gesture, repeats: 0), at: Self.at(1))
        }
        #expect(run.hasEnded)
        #expect(run.answers == ["a": .boolean(true), "b": .boolean(false)])
    }

    @Test func undoAtTheFirstQuestionIsRefused() {
        var run = Self.started(Self.two)
        #expect(Self.cues(run.handle(.gesture(.undo, repeats: 0), at: Self.at(1))) == [.refused])
    }

    @Test func theMenuTakesAnAnswerAway() {
        var run = Self.started(Self.two)
        for gesture: Gesture in [.next, .next, .undo, .menu, .next, .select] {
            _ = run.handle(.gesture(gesture, repeats: 0), at: Self.at(1))
        }
        #expect(run.answers == ["a": .boolean(true)])
        #expect(run.isInReview)
    }

    @Test func aHeldButtonDoesNotAnswerTheNextQuestion() {
        var run = Self.started(Self.two)
        for repeats in 0..<20 { _ = run.handle(.gesture(.next, repeats: repeats), at: Self.at(1)) }
        #expect(run.current?.key == "b")
        #expect(run.answers == ["a": .boolean(true)])
    }

    /// The middle button: `false` = the release, with the gesture it makes.
    private static func middle(_ isPressed: Bool, _ run: inout TaskRun, _ time: MonotonicTime) -> [TaskRun.Effect] {
        let effects = run.handle(.edge(ButtonEvent(button: 1, isPressed: isPressed, time: time)), at: time)
        return isPressed ? effects : effects + run.handle(.gesture(.select, repeats: 0), at: time)
    }

    /// A countdown ends, a question runs out, a recording is full.
    @Test(arguments: [AnswerFormat.countdown(.seconds(9)), .yesNo(yes: "Yes", no: "No"), .text(multiline: false)])
    func aPressThatBeganBeforeAChangeByItselfAnswersNothing(format: AnswerFormat) {
        var limits = RunLimits()
        limits.recording = .seconds(8)
        if case .yesNo = format { limits.question = .seconds(10) }
        let task = PanelFixtures.task([
            Step(key: "a", text: "A", format: format), Step(key: "b", text: "B", format: Self.yes),
        ])
        var run = Self.started(task, limits: limits)
        if case .yesNo = format {} else { _ = run.handle(.gesture(.next, repeats: 0), at: Self.at(1)) }
        if case .text = format { _ = run.handle(.gesture(.select, repeats: 0), at: Self.at(2)) }
        _ = Self.middle(true, &run, Self.at(9))
        let changed = run.handle(.tick, at: Self.at(10))
        #expect(!changed.isEmpty)
        let asked = run.current?.key
        #expect(Self.cues(Self.middle(false, &run, Self.at(11))).isEmpty)
        #expect(run.current?.key == asked)
        _ = Self.middle(true, &run, Self.at(12))
        _ = Self.middle(false, &run, Self.at(12))
        #expect(run.current?.key != asked)
    }

    @Test func aPressThatBeganBeforeTheRunAnswersNothing() {
        var run = PanelFixtures.run(Self.two, on: .reference)
        _ = run.start(at: .zero, isHeld: true)
        #expect(Self.cues(run.handle(.gesture(.select, repeats: 0), at: Self.at(1))).isEmpty)
        #expect(Self.cues(run.handle(.gesture(.select, repeats: 0), at: Self.at(2))).first == .required)
    }

    @Test func silenceIsRemindedAndThenInterrupted() {
        var run = Self.started(Self.two)
        #expect(run.wake == Self.at(60))
        #expect(Self.cues(run.handle(.tick, at: Self.at(60))) == [.reminder, .card(1, text: "A")])
        #expect(run.wake == Self.at(300))
        #expect(Self.record(run.handle(.tick, at: Self.at(300)))?.end == .interrupted)
        #expect(run.wake == nil)
    }

    /// Answers that were not confirmed are no submission.
    @Test func silenceAfterAnAnswerIsInterruptedToo() throws {
        var run = Self.started(Self.two)
        _ = run.handle(.gesture(.next, repeats: 0), at: Self.at(1))
        #expect(run.current?.key == "b")
        let record = try #require(Self.record(run.handle(.tick, at: Self.at(301))))
        #expect(record.end == .interrupted && record.answers == ["a": .boolean(true)])
    }

    /// Options that were all unticked again, and a number that was cleared, are no answer where one is needed.
    @Test(arguments: [true, false]) func anEmptyAnswerIsOneOnlyWhereNoneIsNeeded(isRequired: Bool) throws {
        let cases: [(AnswerFormat, AnswerValue)] = [
            (.choice(ChoiceFormat(options: PanelFixtures.options, isMultiple: true)), .choices([])),
            (.number(NumberFormat(minimum: nil, maximum: nil, maximumFractionDigits: 0)), .cleared),
        ]
        for (format, empty) in cases {
            let run = Self.started(
                PanelFixtures.task([
                    Step(key: "a", text: "A", format: format, isRequired: isRequired),
                    Step(key: "b", text: "B", format: Self.yes),
                ]))
            let edges = try #require(PressFinder(.reference).presses(for: .answer(empty), in: run, from: .zero))
            let after = PressFinderTests.follow(edges, run, .reference)
            #expect(after.current?.key == (isRequired ? "a" : "b"), "\(empty)")
            #expect(after.answers["a"] == (isRequired ? nil : empty))
        }
    }

    @Test func aQuestionWithALimitIsLeftOutInTime() {
        var limits = RunLimits()
        limits.question = .seconds(30)
        var run = Self.started(PanelFixtures.task([Step(key: "b", text: "B", format: Self.yes)]), limits: limits)
        #expect(run.wake == Self.at(20))
        #expect(Self.cues(run.handle(.tick, at: Self.at(20))) == [.timeRunningOut])
        #expect(Self.cues(run.handle(.tick, at: Self.at(30))).first == .expired)
        #expect(run.isInReview)
    }

    /// What waits to be submitted waits for a press alone.
    @Test func theLimitOfTheLastQuestionEndsWithItsAnswer() {
        var limits = RunLimits()
        limits.question = .seconds(30)
        var run = Self.started(Self.two, limits: limits)
        for _ in 0..<2 { _ = run.handle(.gesture(.next, repeats: 0), at: Self.at(1)) }
        #expect(run.isInReview && run.wake == Self.at(61))
        for second in [21, 31, 60] { #expect(Self.cues(run.handle(.tick, at: Self.at(second))).isEmpty) }
        #expect(Self.cues(run.handle(.tick, at: Self.at(61))).first == .reminder)
        #expect(run.isInReview && run.answers.count == 2)
    }

    /// `skipAfterSecs` of ESMira: the page goes, whatever is missing in it (Questionnaire view of
    /// the app, f750e58).
    @Test func aSectionWithALimitIsLeftInTimeWhateverIsMissing() {
        let steps = Self.two.content.steps
        let sections = [
            Section(name: "", steps: [steps[0]], shufflesSteps: false, limit: .seconds(20)),
            Section(name: "", steps: [steps[1]], shufflesSteps: false),
        ]
        let task = Sample.task("t", sections: sections)
        var run = Self.started(task)
        #expect(run.wake == Self.at(20) && run.current?.key == "a")
        #expect(Self.cues(run.handle(.tick, at: Self.at(19))).isEmpty)
        #expect(Self.cues(run.handle(.tick, at: Self.at(20))) == [.expired, .card(2, text: "B")])
        #expect(run.current?.key == "b" && run.wake == Self.at(80))
    }

    /// The text that is said is made when it is said; the card keeps the text of the file.
    @Test func aTextThatIsMadeIsToldInPlaceOfTheOwn() {
        struct MadeText: ComputedText {
            func text(_ facts: StudyFacts) -> String? {
                if case .boolean(true)? = facts.answers["a"] { "Really?" } else { nil }
            }
        }
        var steps = Self.two.content.steps
        steps[1].variation = .computed(MadeText())
        for (gesture, text) in [(Gesture.next, "Really?"), (.previous, "B")] {
            var run = Self.started(Sample.task("t", sections: [Section(name: "", steps: steps, shufflesSteps: false)]))
            let cues = Self.cues(run.handle(.gesture(gesture, repeats: 0), at: Self.at(1)))
            let parts: [Said]? = text == "B" ? nil : [.study(text)]
            let told = Cue.answer(isYes: gesture == .next, gesture == .next ? "Yes" : "No")
            #expect(cues == [told, .card(2, text: text, parts: parts)] && run.currentText == text)
        }
    }

    @Test func aMemoEndsAtItsLongestTime() {
        var run = Self.started(PanelFixtures.task([Step(key: "t", text: "T", format: .text(multiline: true))]))
        for gesture: Gesture in [.next, .select] { _ = run.handle(.gesture(gesture, repeats: 0), at: Self.at(1)) }
        #expect(run.wake == Self.at(121))
        let effects = run.handle(.tick, at: Self.at(121))
        #expect(effects.contains { if case .device(.stopRecording("run-1-1-1")) = $0 { true } else { false } })
        _ = run.handle(.gesture(.select, repeats: 0), at: Self.at(122))
        #expect(run.answers == ["t": .recording("run-1-1-1")])
    }

    /// What was entered, the place that is said again, what is left to press, and the answer.
    static let entries: [(AnswerFormat, Panel, entered: [Gesture], place: Cue?, rest: [Gesture], AnswerValue)] = [
        (
            LettersQuestionTests.text(), LettersQuestionTests.panels[2], [.next, .select, .next, .next, .select], nil,
            [.select, .select], .text("ab")
        ),
        (
            LettersQuestionTests.text(), LettersQuestionTests.panels[2], [.next, .select, .select],
            .spelled([1], names: [.symbol("a")]), [.select], .text("a")
        ),
        (
            .number(NumberFormat(minimum: 0, maximum: 99, maximumFractionDigits: 0)), .reference, [.next, .select],
            .value("1"), [.select], .number(1)
        ),
        (
            .choice(ChoiceFormat(options: PanelFixtures.options, isMultiple: true)), .reference, [.next, .select],
            .option(1, text: "apple", isTicked: true), [.next, .select], .choices(["apple"])
        ),
        (
            .dateTime(.time), .reference, [.next], .position("9"), Array(repeating: .select, count: 4),
            .dateTime(PanelFixtures.now)
        ),
        (
            .text(multiline: true), .reference, [.next, .select, .select], .menuItem(1, VoiceMemoPhrases.keep),
            [.select], .recording("run-1-1-1")
        ),
    ]

    /// A hold that was a little long opens the menu instead of taking the last letter away.
    @Test(arguments: entries.indices) func whatWasEnteredIsStillThereBehindTheMenu(_ index: Int) {
        let (format, panel, entered, place, rest, answer) = Self.entries[index]
        var run = LettersQuestionTests.run(format, on: panel)
        func press(_ gesture: Gesture) -> [Cue] { Self.cues(run.handle(.gesture(gesture, repeats: 0), at: Self.at(1))) }
        for gesture in entered { _ = press(gesture) }
        let drawing = run.drawing
        _ = press(.menu)
        #expect(press(.select) == [.card(1, text: "?")] + (place.map { [$0] } ?? []))
        #expect(run.drawing == drawing && run.questions.count == 1)
        for gesture in rest { _ = press(gesture) }
        #expect(run.answers["q"] == answer)
    }

    @Test func theMenuGivesAQuestionNoMoreTime() {
        var limits = RunLimits()
        limits.question = .seconds(30)
        var run = Self.started(PanelFixtures.task([Step(key: "b", text: "B", format: Self.yes)]), limits: limits)
        _ = run.handle(.gesture(.menu, repeats: 0), at: Self.at(5))
        _ = run.handle(.gesture(.undo, repeats: 0), at: Self.at(15))
        #expect(run.current?.key == "b" && run.wake == Self.at(20))
    }

    private static func spoken(_ more: [Step] = []) -> TaskRun {
        let memo = Step(key: "t", text: "T", format: .text(multiline: true), isRequired: true)
        return started(PanelFixtures.task([memo] + more))
    }

    /// The recorder says it when the next one is under way already.
    @Test func aMemoThatFailedLateEndsNoOther() {
        var run = Self.spoken()
        for gesture: Gesture in [.next, .select, .select, .previous, .select, .next, .select] {
            _ = run.handle(.gesture(gesture, repeats: 0), at: Self.at(1))
        }
        #expect(Self.cues(run.handle(.device(.recordingFailed("run-1-1-1")), at: Self.at(2))).isEmpty)
        #expect(run.wake == Self.at(121))
        let failed = run.handle(.device(.recordingFailed("run-1-1-2")), at: Self.at(3))
        #expect(Self.cues(failed) == [.fault(VoiceMemoPhrases.failed)] && run.wake == Self.at(61))
    }

    @Test func aMemoThatWasKeptAndFailedIsNoAnswerAndAskedForAgain() {
        var last = Self.spoken()
        for gesture: Gesture in [.next, .select, .select, .select] {
            _ = last.handle(.gesture(gesture, repeats: 0), at: Self.at(1))
        }
        #expect(last.isInReview && last.answers == ["t": .recording("run-1-1-1")])
        let cues = Self.cues(last.handle(.device(.recordingFailed("run-1-1-1")), at: Self.at(2)))
        #expect(cues == [.fault(VoiceMemoPhrases.failed), .undone, .card(1, text: "T")])
        #expect(last.answers.isEmpty && last.current?.key == "t")

        var first = Self.spoken([Step(key: "b", text: "B", format: Self.yes)])
        for gesture: Gesture in [.next, .select, .select, .select] {
            _ = first.handle(.gesture(gesture, repeats: 0), at: Self.at(1))
        }
        #expect(first.current?.key == "b")
        let told = first.handle(.device(.recordingFailed("run-1-1-1")), at: Self.at(2))
        #expect(Self.cues(told) == [.fault(VoiceMemoPhrases.failed)] && first.current?.key == "b")
        _ = first.handle(.gesture(.next, repeats: 0), at: Self.at(3))
        #expect(first.answers == ["b": .boolean(true)] && first.current?.key == "t")
    }

    @Test func shuffledOptionsKeepTheNumbersOfTheCard() {
        let format = ChoiceFormat(options: PanelFixtures.options, isMultiple: false, isShuffled: true)
        let task = PanelFixtures.task([Step(key: "c", text: "C", format: .choice(format))])
        var seen: Set<[Int]> = []
        for seed in 0..<20 {
            let chance = Chance(seed: [UInt8(seed)]) { bytes in
                (0..<32).map { UInt8(truncatingIfNeeded: bytes.reduce($0 + seed * 7) { $0 &* 31 &+ Int($1) }) }
            }
            var run = TaskRun(
                OpenedTask(task, opening: 1, chance: chance), facts: StudyFacts(), id: "r", now: PanelFixtures.now,
                panel: .reference, cards: CardIndex([task]))
            _ = run.start(at: .zero)
            var order: [Int] = []
            for _ in 0..<3 {
                for case .option(let number, let text, _) in Self.cues(
                    run.handle(.gesture(.next, repeats: 0), at: Self.at(1)))
                {
                    order.append(number)
                    #expect(text == PanelFixtures.options[number - 1].text)
                }
            }
            #expect(order.sorted() == [1, 2, 3])
            seen.insert(order)
        }
        #expect(seen.count > 1)
    }

    /// What may be left out is accepted as such, and kept as no answer.
    @Test func aQuestionThatIsLeftOutIsAccepted() {
        var run = Self.started(
            PanelFixtures.task(["a", "b"].map { Step(key: $0, text: $0.uppercased(), format: Self.yes) }))
        let cues = Self.cues(run.handle(.gesture(.select, repeats: 0), at: Self.at(1)))
        #expect(cues == [.accepted, .card(2, text: "B")] && run.answers.isEmpty)
    }
}
