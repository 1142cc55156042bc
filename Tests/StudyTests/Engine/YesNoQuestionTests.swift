// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Study

/// docs/panel.md: right is yes and left is no; with fewer than three buttons choosing is yes and
/// stepping on is no. Left out with the middle one of three, by a hold of two, in the menu with one.
@Suite struct YesNoQuestionTests {
    @Test(
        arguments: [
            (.one, .select, .next, nil), (.two, .select, .next, .previous), (.three, .next, .previous, .select),
        ] as [(Panel.Layout, Gesture, Gesture, Gesture?)])
    func eachAnswerIsOnePress(_ layout: Panel.Layout, _ yes: Gesture, _ no: Gesture, _ leaveOut: Gesture?) {
        var question = YesNoQuestion(layout: layout)
        #expect(question.press(towards: .answer(.boolean(true))) == Press(yes))
        #expect(question.press(towards: .answer(.boolean(false))) == Press(no))
        #expect(question.press(towards: .leaveOut) == leaveOut.map { Press($0) })
        #expect(question.press(towards: .answer(.number(1))) == nil)
        #expect(question.handle(.gesture(yes, repeats: 0)) == [.answered(.boolean(true))])
        #expect(question.handle(.gesture(no, repeats: 0)) == [.answered(.boolean(false))])
        #expect(question.handle(.gesture(.undo, repeats: 0)) == [.back])
        if let leaveOut { #expect(question.handle(.gesture(leaveOut, repeats: 0)) == [.leftOut]) }
        for gesture in [yes, no] { #expect(question.handle(.gesture(gesture, repeats: 1)).isEmpty) }
    }
}
