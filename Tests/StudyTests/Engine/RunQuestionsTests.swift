// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Study

struct RunQuestionsTests {
    private static func at(_ seconds: Int) -> MonotonicTime { .zero + .seconds(seconds) }

    @Test func theLastPresentationIsTheOneThatIsAnswered() {
        var questions = RunQuestions()
        questions.close(at: Self.at(1))
        #expect(questions.all.isEmpty)
        for (step, answered) in [("a", 2), ("b", nil), ("a", 5)] as [(String, Int?)] {
            questions.present(step, at: Self.at(1))
            if let answered { questions.close(at: Self.at(answered)) }
        }
        #expect(questions.all.map(\.step) == ["a", "b", "a"])
        #expect(questions.all.map(\.answered) == [Self.at(2), nil, Self.at(5)])
    }

    /// Two buttons are down when the next question opens; a third release has no press.
    @Test func aReleaseBelongsToTheQuestionOfItsPress() {
        var questions = RunQuestions()
        func edge(_ button: Int, _ isPressed: Bool, _ second: Int) {
            questions.record(ButtonEvent(button: button, isPressed: isPressed, time: Self.at(second)))
        }
        edge(0, true, 0)
        #expect(questions.all.isEmpty)
        questions.present("a", at: Self.at(1))
        edge(0, true, 2)
        edge(1, true, 3)
        questions.present("b", at: Self.at(4))
        edge(0, false, 5)
        edge(0, true, 6)
        edge(1, false, 7)
        edge(0, false, 8)
        edge(2, false, 9)
        let presses = questions.all.map { $0.presses.map(\.time) }
        #expect(presses == [[2, 3, 5, 7].map(Self.at), [6, 8, 9].map(Self.at)])
    }

    /// The press that submits is no press of the last answer; the release of the press that gave it is.
    @Test func whatIsPressedInTheReviewBelongsToNoQuestion() {
        var questions = RunQuestions()
        questions.present("a", at: Self.at(1))
        questions.record(ButtonEvent(button: 0, isPressed: true, time: Self.at(2)))
        questions.close(at: Self.at(2))
        for (button, isPressed, second) in [(0, false, 3), (1, true, 4), (1, false, 5)] {
            questions.record(ButtonEvent(button: button, isPressed: isPressed, time: Self.at(second)))
        }
        #expect(questions.all.map { $0.presses.map(\.time) } == [[2, 3].map(Self.at)])
    }
}
