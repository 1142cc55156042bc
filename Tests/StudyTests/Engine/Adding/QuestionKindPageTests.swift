// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Study

@Suite struct QuestionKindPageTests {
    @Test func thePageHasTheCodeThatIsCompiledHere() throws {
        let page = PhraseSources.text("docs/adding/question-kind.md")
        let blocks = page.split(separator: "```swift\n").dropFirst().compactMap { $0.split(separator: "\n```").first }
        let code = PhraseSources.text("Tests/StudyTests/Engine/Adding/Stars.swift")
        #expect(blocks.count == 2)
        for block in blocks { #expect(code.contains(block), "\(block.prefix(60))") }
    }

    /// Press by press, as the scripted participant goes.
    @Test(arguments: PanelFixtures.panels, [1.0, 3, 5]) func theExampleIsAnsweredOnEveryPanel(
        _ panel: Panel, _ stars: Double
    ) throws {
        let wanted = try StarsKind().wanted(.number(stars), now: PanelFixtures.now)
        let context = QuestionContext(panel: panel, now: PanelFixtures.now, recordingID: "r")
        var machine = StarsKind().machine(in: context)
        _ = machine.begin()
        var effects: [QuestionEffect] = []
        for _ in 0..<20 where !effects.contains(.answered(.number(stars))) {
            let press = try #require(machine.press(towards: wanted))
            effects += machine.handle(.gesture(press.gesture, repeats: 0))
        }
        #expect(effects.last == .answered(.number(stars)))
        #expect(throws: WantedError.self) { try StarsKind().wanted(.number(stars + 0.5), now: PanelFixtures.now) }
    }

    @Test(arguments: Language.allCases) func itIsPrintedInEveryLanguage(_ language: Language) {
        let words = Words(for: language.tag)
        let printed = StarsKind().howTo(on: .reference, in: words)
        #expect(printed.contains(Panel.reference.walking(in: words)) && !printed.contains("{"))
        #expect(StarsKind().refusal(on: .reference) == nil)
    }
}
