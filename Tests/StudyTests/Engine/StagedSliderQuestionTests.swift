// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Study

/// A scale on one or two buttons begins in the middle, as on three (`SliderFormat.initial`), or
/// where the study proposes.
@Suite struct StagedSliderQuestionTests {
    private static func scale(_ maximum: Double, initial: Double? = nil) -> SliderFormat {
        SliderFormat(minimum: 0, maximum: maximum, step: 1, minimumLabel: "", maximumLabel: "", initial: initial)
    }

    private static func told(_ format: SliderFormat, _ gestures: [Gesture], on layout: Panel.Layout = .two) -> [Cue] {
        var question = StagedSliderQuestion(format, layout: layout)
        return gestures.flatMap { question.handle(.gesture($0, repeats: 0)) }.compactMap {
            if case .say(let cue) = $0 { cue } else { nil }
        }
    }

    @Test func theFirstStepLeadsToTheMiddleOrToWhatTheStudyProposes() {
        #expect(Self.told(Self.scale(10), [.next]) == [.position("5")])
        #expect(Self.told(Self.scale(10), [.previous]) == [.position("4")])
        #expect(Self.told(Self.scale(10, initial: 2), [.next]) == [.position("2")])
        #expect(
            Self.told(Self.scale(100), [.next, .select, .next]) == [
                .position("50"), .accepted, .position("50"), .position("51"),
            ])
        #expect(
            Self.told(Self.scale(10), Array(repeating: .next, count: 7)).suffix(2) == [.position("10"), .position("0")])
    }

    /// The place in the middle is no answer before it was stepped to and chosen.
    @Test func notAnsweredIsNotTheMiddle() {
        var untouched = StagedSliderQuestion(Self.scale(10), layout: .one)
        #expect(untouched.currentPlace == nil && untouched.handle(.gesture(.select, repeats: 0)) == [.leftOut])
        var chosen = StagedSliderQuestion(Self.scale(10), layout: .one)
        _ = chosen.handle(.gesture(.next, repeats: 0))
        #expect(chosen.currentPlace == .position("5"))
        #expect(chosen.handle(.gesture(.select, repeats: 0)) == [.answered(.number(5))])
    }

    /// In every stage: the place that was said when the stage began, not the one after it.
    @Test func undoLeadsToTheBeginningOfTheStageBefore() {
        var question = StagedSliderQuestion(Self.scale(1_000), layout: .one)
        for gesture in [Gesture.next, .select, .select, .undo, .undo] {
            _ = question.handle(.gesture(gesture, repeats: 0))
            #expect(question.currentPlace == .position("500"), "after \(gesture)")
        }
    }

    @Test func onTwoButtonsAHoldGoesOnSteppingBackAndItsReleaseIsNoFurtherStep() throws {
        let task = PanelFixtures.task([Step(key: "q", text: "?", format: .slider(Self.scale(10)))])
        var bench = PanelBench(PanelFixtures.two, tasks: [task])
        bench.send(.listItems([ListItem(id: "task", name: "task")]))
        bench.reach(.openItem("task"))
        bench.press(.previous, repeats: 4)
        #expect(bench.session.run?.currentPlace == .position("1"))
        bench.press(.previous)
        #expect(bench.session.run?.currentPlace == .position("0"), "a short hold is one step")
        bench.press(.select)
        #expect(bench.session.run?.isInReview == true)
    }

    /// Where no question goes by holds they mean what they meant: one step back at the release,
    /// nothing after three seconds.
    @Test func aHoldOfAnotherQuestionCountsOnceAndALongerOneNotAtAll() {
        let options = PanelFixtures.options
        let task = PanelFixtures.task([
            Step(key: "q", text: "?", format: .choice(ChoiceFormat(options: options, isMultiple: false)))
        ])
        func standing(_ hold: Duration) -> Cue? {
            var bench = PanelBench(PanelFixtures.two, tasks: [task])
            bench.send(.listItems([ListItem(id: "task", name: "task")]))
            bench.reach(.openItem("task"))
            for isPressed in [true, false] {
                bench.send(.button(ButtonEvent(button: 0, isPressed: isPressed, time: bench.now)))
                bench.wait(hold)
            }
            return bench.session.run?.currentPlace
        }
        #expect(standing(.milliseconds(1_700)) == .option(3, text: "banana", isTicked: nil))
        #expect(standing(.milliseconds(3_200)) == nil)
    }

    /// Up to twelve places are walked in one round; of more the tens come first.
    @Test func twelvePlacesAreOneRoundAndThirteenAreTwo() {
        #expect(StagedSliderQuestion.firstPlace(Self.scale(11)) == SliderScale(Self.scale(11)).start)
        #expect(StagedSliderQuestion.firstPlace(Self.scale(12)) == 0 && SliderScale(Self.scale(12)).start > 0)
    }
}
