// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Study

struct StudyNeedsTests {
    private static let letters = LettersQuestionTests.panels[2]

    /// docs/sage.md: `audioLevel` is left out only without a microphone.
    @Test(
        arguments: [
            (.recording, .reference, true, false), (.reading(.noise(seconds: 5)), .reference, true, false),
            (.reading(.ambient(seconds: 5)), .reference, true, false), (.reading(.battery), .reference, false, false),
            (.text(multiline: true), .reference, true, false), (.text(multiline: true), letters, false, false),
            (.recording, letters, true, false), (.position, .reference, false, true),
            (.yesNo(yes: "Yes", no: "No"), .reference, false, false), (.instruction, .reference, false, false),
        ] as [(AnswerFormat, Panel, Bool, Bool)])
    func whatAStepIsAnsweredByIsNeeded(format: AnswerFormat, panel: Panel, microphone: Bool, position: Bool) {
        let other = Step(key: "o", text: "?", format: .yesNo(yes: "Yes", no: "No"))
        for steps in [
            [Step(key: "q", text: "?", format: format), other], [other, Step(key: "q", text: "?", format: format)],
        ] {
            let needs = StudyNeeds(Sample.study([PanelFixtures.task(steps)]), condition: nil, panel: panel)
            #expect(needs.microphone == microphone && needs.position == position && needs.features.isEmpty)
        }
    }

    @Test(
        arguments: [(nil, "X", true), (nil, nil, true), ("X", "X", true), ("X", "Y", false), ("X", nil, false)]
            as [(String?, String?, Bool)])
    func whatOtherArmsAskIsNotNeeded(ofTask: String?, ofParticipant: String?, isNeeded: Bool) {
        let steps = [Step(key: "q", text: "?", format: .position), Step(key: "r", text: "?", format: .recording)]
        let task = Sample.task(
            "a", sections: [Section(name: "", steps: steps, shufflesSteps: false)], condition: ofTask)
        let needs = StudyNeeds(Sample.study([task]), condition: ofParticipant, panel: .reference)
        #expect(needs.position == isNeeded && needs.microphone == isNeeded)
    }
}
