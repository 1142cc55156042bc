// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Study

struct PanelSupportTests {
    @Test func freeTextWithoutAMicrophoneIsRefusedWithTheRemedy() {
        let step = Step(key: "t", text: "", format: .text(multiline: false))
        guard case .refused(let reason) = PanelSupport(step, on: .reference) else {
            Issue.record("not refused")
            return
        }
        #expect(reason.contains("microphone"))
        #expect(!PanelSupport(step, on: PanelFixtures.one).isRefused)
    }

    @Test(arguments: PanelFixtures.panels) func everyOtherKindIsAskedInWords(_ panel: Panel) {
        for step in CardSheetTests.everyKind where panel.hasMicrophone || step.format != .text(multiline: true) {
            guard case .asked(let how, let answered) = PanelSupport(step, on: panel) else {
                Issue.record("\(step.key) is refused")
                continue
            }
            #expect(how.contains("card number"))
            #expect(panel.buttons.indices.contains { answered.contains(panel.printedName(of: $0)) })
        }
    }

    @Test func theLimitsOfANumberAreSaid() {
        let cases: [(NumberFormat, String)] = [
            (
                NumberFormat(minimum: 2, maximum: 300, maximumFractionDigits: 0),
                "At DONE press MIDDLE to finish; numbers from 2 up to 300"
            ),
            (
                NumberFormat(minimum: nil, maximum: 9.5, maximumFractionDigits: 4),
                "press MIDDLE to finish; numbers up to 9.5, at most 4 digits after the point"
            ),
            (
                NumberFormat(minimum: nil, maximum: nil, maximumFractionDigits: 0),
                "the number so far is read back. At DONE press MIDDLE to finish. To skip: press MIDDLE"
            ),
        ]
        for (format, words) in cases {
            guard
                case .asked(_, let answered) = PanelSupport(
                    Step(key: "n", text: "", format: .number(format)), on: .reference)
            else {
                Issue.record("refused")
                continue
            }
            #expect(answered.contains(words), "\(answered)")
        }
    }

    @Test func whatHasNoPlacesIsRefused() {
        let formats: [AnswerFormat] = [
            .choice(ChoiceFormat(options: [], isMultiple: false)),
            .slider(SliderFormat(minimum: 0, maximum: 1, step: 0, minimumLabel: "", maximumLabel: "")),
            .slider(SliderFormat(minimum: 1, maximum: 0, step: 1, minimumLabel: "", maximumLabel: "")),
            .slider(SliderFormat(minimum: 0, maximum: 1e9, step: 1, minimumLabel: "", maximumLabel: "")),
        ]
        for format in formats {
            let step = Step(key: "x", text: "", format: format)
            #expect(PanelSupport(step, on: .reference).isRefused, "\(format)")
            // A machine is made all the same, and does not fall over.
            var run = PanelFixtures.run(PanelFixtures.task([step]), on: .reference)
            _ = run.start(at: .zero)
            for gesture: Gesture in [.next, .select, .previous, .undo] {
                _ = run.handle(.gesture(gesture, repeats: 0), at: .zero)
            }
        }
    }

    /// What a study can go without is not asked where the panel cannot; what it needs is refused, and asked
    /// elsewhere.
    @Test func stepsThatThePanelCannotAskAreNamedAndLeftOut() {
        var spoken = Step(key: "spoken", text: "", format: .text(multiline: false))
        var pressed = Step(key: "pressed", text: "", format: .yesNo(yes: "Yes", no: "No"))
        (spoken.isDispensable, pressed.isDispensable) = (true, true)
        let needed = Step(key: "needed", text: "", format: .text(multiline: false))
        let study = Sample.study([
            PanelFixtures.task([spoken, pressed, needed], key: "a"), PanelFixtures.task([pressed, spoken], key: "b"),
        ])
        func asked(_ panel: Panel) -> [[String]] { study.served(by: panel).tasks.map { $0.content.steps.map(\.key) } }
        let leftOut = study.stepsLeftOut(on: .reference)
        #expect(leftOut.map { "\($0.task.key) \($0.step.key)" } == ["a spoken", "b spoken"])
        #expect(leftOut.allSatisfy { $0.reason.contains("microphone") })
        #expect(asked(.reference) == [["pressed", "needed"], ["pressed"]])
        #expect(study.stepsLeftOut(on: PanelFixtures.one).isEmpty)
        #expect(asked(PanelFixtures.one) == [["spoken", "pressed", "needed"], ["pressed", "spoken"]])
    }
}
