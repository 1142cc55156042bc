// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Study

/// The arrows of its diagram.
struct PositionQuestionTests {
    private static let here = DeviceNews.position(latitude: 51.5, longitude: -0.125)

    private static func taking() -> ReadingQuestion {
        var question = ReadingQuestion()
        _ = question.handle(.gesture(.next, repeats: 0))
        return question
    }

    @Test(arguments: [Gesture.next, .previous]) func onePressTakesThePositionAndTheReceiverAnswers(_ gesture: Gesture) {
        var question = ReadingQuestion()
        #expect(question.begin() == [] && !question.awaitsDevice)
        #expect(question.handle(.gesture(gesture, repeats: 0)) == [.device(.takePosition)])
        #expect(question.awaitsDevice)
        #expect(question.handle(.device(Self.here)) == [.answered(.position(latitude: 51.5, longitude: -0.125))])
        #expect(!question.awaitsDevice)
    }

    @Test func beforeItIsTakenItCanBeLeftOutAndLeadsBack() {
        var question = ReadingQuestion()
        #expect(question.handle(.device(Self.here)) == [] && question.handle(.device(.noPosition)) == [])
        #expect(question.handle(.gesture(.next, repeats: 1)) == [] && !question.awaitsDevice, "a hold counts once")
        #expect(question.handle(.gesture(.undo, repeats: 0)) == [.back])
        #expect(question.handle(.gesture(.select, repeats: 0)) == [.leftOut])
    }

    @Test(arguments: [Gesture.next, .previous, .select, .undo]) func whileItIsTakenPressesMeanNothing(
        _ gesture: Gesture
    ) {
        var question = Self.taking()
        #expect(question.handle(.gesture(gesture, repeats: 0)) == [] && question.awaitsDevice)
    }

    @Test func whatIsNotKnownIsSaidAndAskedAgain() {
        var question = Self.taking()
        #expect(question.handle(.device(.reading(nil))) == [], "that was not asked for")
        #expect(question.handle(.device(.noPosition)) == [.say(.fault(PositionPhrases.unknown))])
        #expect(!question.awaitsDevice && question.handle(.device(Self.here)) == [])
        #expect(question.handle(.gesture(.previous, repeats: 0)) == [.device(.takePosition)])
        question = Self.taking()
        _ = question.handle(.device(.noPosition))
        #expect(question.handle(.gesture(.select, repeats: 0)) == [.leftOut])
    }

    @Test func eachWantedAnswerHasItsPress() {
        let question = ReadingQuestion()
        #expect(question.press(towards: .answer(.position(latitude: 0, longitude: 0))) == Press(.next))
        #expect(question.press(towards: .leaveOut) == Press(.select))
        #expect(question.press(towards: .answer(.number(1))) == nil)
    }
}
