// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Study

@Suite struct PanelLeavingTests {
    static func bench(_ panel: Panel, _ withdrawal: WithdrawalRule) -> PanelBench {
        PanelBench(
            panel, tasks: [PanelFixtures.task([Step(key: "q", text: "?", format: .yesNo(yes: "Yes", no: "No"))])],
            withdrawal: withdrawal)
    }

    static func wishes(_ bench: PanelBench) -> [Bool?] {
        bench.effects.compactMap { if case .withdrawRequested(let deletes) = $0 { .some(deletes) } else { nil } }
    }

    @Test(arguments: PanelFixtures.panels) func whereTheStudyDecidesTheParticipantIsNotAskedAboutTheData(_ panel: Panel)
    {
        for rule in [WithdrawalRule.keepsData, .deletesData] {
            var bench = Self.bench(panel, rule)
            bench.reach(.leaveStudy)
            #expect(Self.wishes(bench) == [nil])
        }
    }

    @Test(arguments: PanelFixtures.panels) func whereTheParticipantDecidesBothAnswersLeave(_ panel: Panel) {
        var deleting = Self.bench(panel, .asks("We are sorry"))
        deleting.reach(.leaveStudy)
        #expect(Self.wishes(deleting) == [true])
        #expect(deleting.told.contains(.leaveStudy(stage: 3)))
        // Two yeses, then the first of the two answers about the data: keep them.
        var keeping = Self.bench(panel, .asks("We are sorry"))
        while !keeping.told.contains(.leaveStudy(stage: 3)), let next = keeping.session.press(towards: .leaveStudy) {
            keeping.press(next.gesture, repeats: next.repeats)
            keeping.wait(PressFinder.pause)
        }
        keeping.press(.select)
        keeping.wait(PressFinder.pause)
        #expect(Self.wishes(keeping) == [false] && keeping.session.isIdle)
    }

    @Test(arguments: PanelFixtures.panels) func whoGoesBackAtTheDataStays(_ panel: Panel) {
        var bench = Self.bench(panel, .asks(""))
        while !bench.told.contains(.leaveStudy(stage: 3)), let next = bench.session.press(towards: .leaveStudy) {
            bench.press(next.gesture, repeats: next.repeats)
            bench.wait(PressFinder.pause)
        }
        bench.press(.undo)
        bench.wait(.seconds(120))
        #expect(Self.wishes(bench).isEmpty && bench.session.isIdle)
    }

    @Test func aMessageIsToldAtOnceWhileNothingIsOpen() {
        var bench = Self.bench(.reference, .keepsData)
        bench.send(.news("The ward has moved."))
        #expect(bench.told.last == .news("The ward has moved."))
    }

    @Test func aMessageDisturbsNoRunAndIsToldAfterwards() {
        var bench = Self.bench(PanelFixtures.panel(["a", "b", "c"], speaks: true), .keepsData)
        let task = bench.tasks["task"]!
        bench.send(
            .promptDue(PromptItem(id: "task/1", task: task, cards: CardIndex([task]))))
        bench.reach(.takePrompt)
        bench.send(.news("One"))
        bench.send(.news("Two"))
        #expect(!bench.told.contains(.news("One")))
        bench.reach(.leaveRun)
        let said = bench.effects.flatMap(\.heard)
        #expect(said.filter { ["One", "Two"].contains($0) } == ["One", "Two"])
    }

    /// Each begins at the answer that leaves things as they are (docs/panel.md).
    @Test(arguments: ["We are sorry", ""]) func eachQuestionIsToldWithItsAnswers(_ words: String) {
        var bench = Self.bench(.reference, .asks(words))
        func told(_ gesture: Gesture) -> [Cue] {
            bench.effects = []
            bench.press(gesture)
            bench.wait(PressFinder.pause)
            return bench.effects.flatMap { effect -> [Cue] in
                if case .device(.signal(let plan)) = effect { plan.cues } else { [] }
            }
        }
        _ = told(.menu)
        #expect(told(.previous) == [.menuItem(4, PanelPhrases.leaveTheStudy)])
        for stage in 1...2 {
            #expect(told(.select) == [.leaveStudy(stage: stage), .menuItem(1, PanelPhrases.stayOrLeave[0])])
            #expect(told(.next) == [.menuItem(2, PanelPhrases.stayOrLeave[1])])
        }
        let last =
            [Cue.leaveStudy(stage: 3)] + (words.isEmpty ? [] : [Cue.message(words)])
            + [Cue.menuItem(1, PanelPhrases.keepOrDelete[0])]
        #expect(told(.select) == last)
        #expect(told(.next) == [.menuItem(2, PanelPhrases.keepOrDelete[1])])
        #expect(told(.next) == last)
        #expect(told(.undo).contains(.undone))
        #expect(bench.session.isIdle && Self.wishes(bench).isEmpty)
    }
}
