// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Study

/// What a drawn board shows of an entry under way, and what its buttons are labelled with.
@Suite struct QuestionDrawingTests {
    private static func context(_ panel: Panel = .reference) -> QuestionContext {
        QuestionContext(panel: panel, now: PanelFixtures.now, recordingID: "r")
    }

    private static func play(_ question: inout any QuestionMachine, _ gestures: Gesture...) {
        for gesture in gestures { _ = question.handle(.gesture(gesture, repeats: 0)) }
    }

    @Test func aDateShowsAllOfItselfAndThePartThatMoves() {
        var question: any QuestionMachine = DateTimeQuestion(.dateTime, now: PanelFixtures.now, layout: .three)
        #expect(question.drawing(in: .english).isEmpty)
        let expected = [
            "[202]6-02-27 09:41", "202[6]-02-27 09:41", "2026-[02]-27 09:41", "2026-02-[2]7 09:41",
            "2026-02-2[7] 09:41",
            "2026-02-27 [09]:41", "2026-02-27 09:[4]1", "2026-02-27 09:4[1]",
        ]
        Self.play(&question, .next)
        for text in expected {
            #expect(question.drawing(in: .english) == [text])
            Self.play(&question, .select)
        }
        #expect(question.drawing(in: .english) == ["2026-02-27 09:41"])
        #expect(question.meaning(of: .select) == .phrase(DateTimePhrases.keep))
    }

    @Test func aNumberShowsItsUnitAndTheDigitThatWouldBeAdded() {
        let format = NumberFormat(minimum: 20, maximum: 300, maximumFractionDigits: 1, unit: "kg")
        var question: any QuestionMachine = NumberQuestion(format, layout: .three)
        #expect(question.drawing(in: .english).isEmpty && question.meaning(of: .select) == nil)
        Self.play(&question, .next)
        #expect(question.drawing(in: .english) == ["[1] kg"])
        #expect(question.meaning(of: .select) == .phrase(NumberQuestionPhrases.add))
        Self.play(&question, .select)
        #expect(question.drawing(in: .english) == ["1 kg  [Done]"])
        #expect(question.meaning(of: .select) == .phrase(PanelPhrases.done))
    }

    @Test(arguments: [(Panel.Layout.three, ["[a]", "[b]"]), (.two, ["[a to f]", "[g to l]"])])
    func aTextShowsTheLetterOrGroupThatWouldBeAdded(_ layout: Panel.Layout, _ steps: [String]) {
        var question: any QuestionMachine = LettersQuestion(TextRules(), board: LetterBoard(), layout: layout)
        #expect(question.drawing(in: .english).isEmpty)
        for text in steps {
            Self.play(&question, .next)
            #expect(question.drawing(in: .english) == [text])
        }
        let letter = layout == .three ? "b" : "g"
        Self.play(&question, .select)
        if layout == .two {
            #expect(question.drawing(in: .english) == ["[g]"])
            Self.play(&question, .select)
        }
        #expect(question.drawing(in: .english) == ["\(letter)[Done]"])
        Self.play(&question, .select)
        #expect(question.drawing(in: .english) == [letter])
    }

    @Test func aTextSaysWhatTheMiddleButtonDoesAtEachOfItsPlaces() {
        let choose = PanelMeaning.phrase(MeaningPhrases.choose)
        var letters = LettersQuestionTests.run(
            LettersQuestionTests.text(), on: LettersQuestionTests.panels[2], isRequired: true)
        var memo = LettersQuestionTests.run(.text(multiline: true), on: .reference, isRequired: true)
        func walk(_ run: inout TaskRun, _ gestures: [Gesture]) -> [PanelMeaning] {
            gestures.map { gesture in
                defer { _ = run.handle(.gesture(gesture, repeats: 0), at: .zero) }
                return run.meaning(of: .select)
            }
        }
        let entering: [Gesture] = [.next, .select, .select, .select]
        #expect(
            walk(&letters, entering) == [.nothing, choose, .phrase(PanelPhrases.done), .phrase(DateTimePhrases.keep)])
        #expect(
            walk(&memo, entering) == [.nothing, choose, .phrase(VoiceMemoPhrases.stop), choose])
    }

    @Test func towersAreDrawnFromTheSideAndTheButtonsAreTheirs() {
        var question: any QuestionMachine = TowerOfHanoiStep(TowerOfHanoiRules(disks: 2), in: Self.context())
        #expect(
            question.drawing(in: .english) == [
                "    █         │         │    ", "   ███        │         │    ", " Tower 1   Tower 2   Tower 3 ",
            ])
        #expect(question.meaning(of: .previous) == .phrase(GamePhrases.towers[0]))
        #expect(question.meaning(of: .next) == .phrase(GamePhrases.towers[2]))
        _ = question.handle(.edge(ButtonEvent(button: 0, isPressed: true, time: .zero)))
        #expect(question.drawing(in: .english).last == "[Tower 1]  Tower 2   Tower 3 ")
    }

    @Test func kicksShowTheirCountAndTheReviewWhatWillBeSent() {
        var question: any QuestionMachine = KickCounterStep(
            KickCounterRules(duration: .seconds(600), count: 2), in: Self.context())
        #expect(question.drawing(in: .english).isEmpty)
        for second in 1...3 {
            _ = question.handle(
                .edge(ButtonEvent(button: 2, isPressed: true, time: .zero + .seconds(second * 60))))
            Self.play(&question, .next)
            if second == 2 { #expect(question.drawing(in: .english) == ["1 of 2 kicks"]) }
        }
        #expect(question.drawing(in: .english) == ["2 kicks in 2 min"])
    }

    @Test(arguments: [true, false]) func skippingIsOfferedOnlyWhereItIsAccepted(isRequired: Bool) {
        let steps = [
            Step(key: "y", text: "?", format: .yesNo(yes: "Yes", no: "No"), isRequired: isRequired),
            Step(
                key: "n", text: "?", format: .number(NumberFormat(minimum: 0, maximum: 9, maximumFractionDigits: 0)),
                isRequired: isRequired),
        ]
        for step in steps {
            var run = PanelFixtures.run(PanelFixtures.task([step]), on: .reference)
            _ = run.start(at: .zero)
            let skip = PanelMeaning.phrase(MeaningPhrases.skip)
            #expect(run.meaning(of: .select) == (isRequired ? .nothing : skip), "\(step.key)")
        }
    }

    /// At an option it ticks, at the end it chooses, and before either there is nothing to choose.
    @Test func theMiddleButtonTicksOptionsAndChoosesTheEnd() {
        let format = AnswerFormat.choice(ChoiceFormat(options: PanelFixtures.options, isMultiple: true))
        var run = LettersQuestionTests.run(format, on: .reference, isRequired: true)
        let meanings = [Gesture.next, .select, .next, .previous].map { gesture in
            defer { _ = run.handle(.gesture(gesture, repeats: 0), at: .zero) }
            return run.meaning(of: .select)
        }
        let tick = PanelMeaning.phrase(MeaningPhrases.tick)
        #expect(meanings == [.nothing, tick, tick, .phrase(MeaningPhrases.choose)])
    }
}
