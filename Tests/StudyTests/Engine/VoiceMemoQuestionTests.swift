// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Study

@Suite struct VoiceMemoQuestionTests {
    static func question() -> VoiceMemoQuestion { VoiceMemoQuestion(id: "memo", layout: Panel.reference.layout) }

    static func words(_ effects: [QuestionEffect]) -> [String] {
        effects.map { effect in
            let name = if case .device(let device) = effect { "\(device)" } else { "\(effect)" }
            return String(name.prefix { $0 != "(" })
        }
    }

    @Test func aMemoInWhichNothingWasHeardCannotBeKept() {
        var question = Self.question()
        _ = question.handle(.gesture(.next, repeats: 0))
        #expect(Self.words(question.handle(.gesture(.select, repeats: 0))) == ["say", "startRecording"])
        #expect(Self.words(question.handle(.gesture(.select, repeats: 0))) == ["stopRecording", "say", "say"])
        // The recorder says it only now, when the memo is already in review.
        #expect(Self.words(question.handle(.device(.recordingFailed("memo-1")))) == ["stopPlaying", "say"])
        // Choosing is leaving it out again, not keeping it.
        #expect(Self.words(question.handle(.gesture(.select, repeats: 0))) == ["leftOut"])
    }

    @Test func theFailureOfADiscardedMemoIsNotThatOfTheNext() {
        var question = Self.question()
        for gesture: Gesture in [.next, .select, .select, .previous, .select, .next] {
            _ = question.handle(.gesture(gesture, repeats: 0))
        }
        #expect(question.handle(.gesture(.select, repeats: 0)).contains(.device(.startRecording("memo-2"))))
        #expect(question.handle(.device(.recordingFailed("memo-1"))).isEmpty)
        #expect(question.handle(.gesture(.select, repeats: 0)).first == .device(.stopRecording("memo-2")))
    }

    @Test func aMemoThatWasHeardIsKept() {
        var question = Self.question()
        _ = question.handle(.gesture(.next, repeats: 0))
        for _ in 0..<2 { _ = question.handle(.gesture(.select, repeats: 0)) }
        #expect(Self.words(question.handle(.gesture(.select, repeats: 0))) == ["stopPlaying", "answered"])
    }

    /// Undo steps to recording again, which still has to be chosen.
    @Test func undoInReviewDiscardsNothingByItself() {
        var question = Self.question()
        for gesture: Gesture in [.next, .select, .select] { _ = question.handle(.gesture(gesture, repeats: 0)) }
        for _ in 0..<2 {
            #expect(
                question.handle(.gesture(.undo, repeats: 0)) == [
                    .device(.stopPlaying), .say(.menuItem(3, VoiceMemoPhrases.again)),
                ])
        }
        var kept = question
        #expect(kept.handle(.gesture(.next, repeats: 0)).last == .say(.menuItem(1, VoiceMemoPhrases.keep)))
        #expect(kept.handle(.gesture(.select, repeats: 0)).last == .answered(.recording("memo-1")))
        #expect(question.handle(.gesture(.select, repeats: 0)).contains(.device(.discardRecording("memo-1"))))
        #expect(question.handle(.gesture(.undo, repeats: 0)) == [.back])
    }
}
