// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Study

/// An answer that leads on to another task.
@Suite struct ContinuationTests {
    static let yes = AnswerFormat.yesNo(yes: "Yes", no: "No")
    static let first = beginning(leadingTo: .step("y"))
    static let second = PanelFixtures.task(
        [Step(key: "x", text: "X", format: yes), Step(key: "y", text: "Y", format: yes)], key: "second")

    static func beginning(leadingTo start: RunStart) -> StudyTask {
        let way = Jump(when: Answered(question: "a", value: .boolean(true)), to: .task("second", at: start))
        return PanelFixtures.task(
            [Step(key: "a", text: "A", format: yes, jumps: [way]), Step(key: "b", text: "B", format: yes)], key: "first"
        )
    }

    static func bench(_ tasks: [StudyTask]) -> PanelBench {
        var bench = PanelBench(.reference, tasks: tasks)
        bench.send(.listItems([ListItem(id: "first", name: "first")]))
        bench.reach(.openItem("first"))
        return bench
    }

    @Test func itOpensOnceTheFirstIsStoredAndAtItsStep() {
        var bench = Self.bench([Self.first, Self.second])
        bench.reach(.answer(.answer(.boolean(true))))
        bench.reach(.submit)
        #expect(bench.submitted?.opened.task.key == "first")
        #expect(bench.session.run?.opened.task.key == "second" && bench.session.run?.current?.key == "y")
        bench.reach(.answer(.answer(.boolean(false))))
        bench.reach(.submit)
        #expect(bench.submitted?.opened.task.key == "second" && bench.submitted?.answers == ["y": .boolean(false)])
        #expect(bench.session.isIdle)
    }

    /// MyStudies: an answer that leads to step "0" of another activity.
    @Test func aTaskOpenedAtItsEndOnlyWaitsToBeSubmitted() {
        var bench = Self.bench([Self.beginning(leadingTo: .end), Self.second])
        bench.reach(.answer(.answer(.boolean(true))))
        bench.reach(.submit, limit: 1)
        #expect(bench.session.run?.opened.task.key == "second" && bench.session.run?.isInReview == true)
        bench.reach(.submit)
        #expect(bench.submitted?.opened.task.key == "second" && bench.submitted?.answers.isEmpty == true)
        #expect(bench.session.isIdle)
    }

    @Test func otherAnswersLeadNowhereAndWhatIsLeftDoesNotEither() {
        var bench = Self.bench([Self.first, Self.second])
        bench.reach(.answer(.answer(.boolean(false))))
        bench.reach(.answer(.answer(.boolean(false))))
        bench.reach(.submit)
        #expect(bench.session.isIdle && bench.submitted?.continuation == nil)
        var leaving = Self.bench([Self.first, Self.second])
        leaving.reach(.answer(.answer(.boolean(true))))
        leaving.reach(.leaveRun)
        #expect(leaving.session.run == nil && leaving.submitted == nil)
    }

    @Test func aTaskTheStudyDoesNotHaveIsNotAskedFor() {
        var bench = Self.bench([Self.first])
        bench.reach(.answer(.answer(.boolean(true))))
        bench.reach(.submit)
        #expect(bench.session.isIdle && bench.notes.filter { $0 == "openTask" }.count == 1)
    }

    @Test func itWaitsForTheDisk() throws {
        var bench = Self.bench([Self.first, Self.second])
        bench.stores = false
        bench.reach(.answer(.answer(.boolean(true))))
        bench.reach(.submit)
        #expect(bench.session.run == nil)
        bench.send(.stored(try PanelBench.run(of: #require(bench.submitted))))
        #expect(bench.session.run?.current?.key == "y")
    }
}

struct PanelSessionTests {
    static let yesNo = PanelFixtures.task(
        [Step(key: "craving", text: "Craving?", format: .yesNo(yes: "Yes", no: "No"), isRequired: true)], key: "quick")
    static let survey = PanelFixtures.task(
        [
            Step(key: "hello", text: "Hello", format: .instruction),
            Step(
                key: "fruit", text: "Which?",
                format: .choice(ChoiceFormat(options: PanelFixtures.options, isMultiple: false)), isRequired: true),
            Step(
                key: "mood", text: "Mood?",
                format: .slider(SliderFormat(minimum: 0, maximum: 100, step: 1, minimumLabel: "", maximumLabel: ""))),
            Step(key: "note", text: "Anything else?", format: .text(multiline: true)),
        ], key: "survey")

    static func bench(_ panel: Panel) -> PanelBench { PanelBench(panel, tasks: [yesNo, survey]) }

    static func prompt(_ task: StudyTask) -> PromptItem {
        PromptItem(id: "\(task.key)/1", task: task, cards: CardIndex([yesNo, survey]))
    }

    @Test(arguments: PanelFixtures.panels, [true, false])
    func onePressAnswersAPromptThatSubmitsItselfOnceItWasSaidBack(_ panel: Panel, _ answer: Bool) {
        var bench = Self.bench(panel)
        bench.send(.promptDue(Self.prompt(Self.yesNo)))
        let layout = panel.layout
        bench.press(answer ? layout.yes : layout.no)
        let told = Signals(panel).plan([.answer(isYes: answer, ""), .undoable(seconds: 4)])?.duration ?? .zero
        bench.wait(told + .milliseconds(3_800))
        #expect(bench.submitted == nil)
        bench.wait(.milliseconds(300))
        #expect(bench.submitted?.answers == ["craving": .boolean(answer)])
        #expect(bench.submitted?.questions.first?.answered != nil)
        #expect(bench.submitted?.questions.first?.presses.map(\.isPressed) == [true, false])
        #expect(bench.now < MonotonicTime.zero + .seconds(9))
        #expect(bench.told.last == .saved)
        #expect(bench.notes == ["promptPresented", "acceptPrompt", "openTask", "submitted"])
    }

    /// A prompt that came while the menu was open is signalled only after what is being said: a press before that is
    /// for something else.
    @Test(arguments: PanelFixtures.panels) func aPressBeforeThePromptIsSignalledAnswersNothing(_ panel: Panel) {
        var bench = Self.bench(panel)
        bench.press(.menu)
        bench.send(.promptDue(Self.prompt(Self.yesNo)))
        bench.press(.select)
        bench.press(panel.layout.yes)
        bench.wait(.seconds(20))
        #expect(bench.submitted == nil && bench.session.run?.current?.key == "craving")
        bench.press(panel.layout.no)
        bench.wait(.seconds(8))
        #expect(bench.submitted?.answers == ["craving": .boolean(false)])
    }

    @Test func aPressThatIsHeldWhenThePromptIsSignalledAnswersNothing() {
        var bench = Self.bench(PanelFixtures.one)
        bench.send(.button(ButtonEvent(button: 0, isPressed: true, time: bench.now)))
        bench.send(.promptDue(Self.prompt(Self.yesNo)))
        bench.wait(.milliseconds(200))
        bench.send(.button(ButtonEvent(button: 0, isPressed: false, time: bench.now)))
        bench.wait(.seconds(20))
        #expect(bench.submitted == nil && bench.session.run?.current?.key == "craving")
        bench.press(PanelFixtures.one.layout.no)
        bench.wait(.seconds(8))
        #expect(bench.submitted?.answers == ["craving": .boolean(false)])
    }

    @Test(arguments: PanelFixtures.panels) func aWrongSinglePressIsTakenBack(_ panel: Panel) {
        var bench = Self.bench(panel)
        bench.send(.promptDue(Self.prompt(Self.yesNo)))
        bench.press(panel.layout.yes)
        bench.press(.undo)
        bench.wait(.seconds(20))
        #expect(bench.submitted == nil)
        #expect(bench.session.run?.current?.key == "craving")
        bench.press(panel.layout.no)
        bench.wait(.seconds(8))
        #expect(bench.submitted?.answers == ["craving": .boolean(false)])
    }

    @Test(arguments: PanelFixtures.panels) func aWholeSurveyIsAnsweredByPresses(_ panel: Panel) {
        var bench = Self.bench(panel)
        bench.send(.promptDue(Self.prompt(Self.survey)))
        bench.reach(.takePrompt)
        for wanted: Wanted in [
            .leaveOut, .answer(.choices(["banana"])), .answer(.number(73)), .answer(.text("spoken")),
        ] { bench.reach(.answer(wanted)) }
        #expect(bench.session.run?.isInReview == true)
        bench.reach(.submit)
        #expect(
            bench.submitted?.answers
                == ["fruit": .choices(["banana"]), "mood": .number(73), "note": .recording("run-5-4-1")])
        #expect(bench.submitted?.questions.allSatisfy { $0.answered != nil && !$0.presses.isEmpty } == true)
        #expect(bench.session.isIdle)
    }

    @Test func theSavedToneWaitsForTheCommit() throws {
        var bench = Self.bench(.reference)
        bench.stores = false
        bench.send(.promptDue(Self.prompt(Self.yesNo)))
        bench.press(.next)
        bench.wait(.seconds(8))
        #expect(bench.submitted != nil)
        #expect(!bench.told.contains(.saved))
        bench.send(.stored(try PanelBench.run(of: #require(bench.submitted))))
        #expect(bench.told.last == .saved)
    }

    /// A disk that is slow: the panel gave up on the first answer, and the second is not on the disk either.
    @Test func whatIsStoredLateConfirmsNoOtherAnswer() throws {
        var bench = Self.bench(.reference)
        bench.stores = false
        let first = SubmittedRun(task: Self.yesNo.key, opening: 7)
        bench.send(.promptDue(Self.prompt(Self.yesNo)))
        bench.press(.next)
        bench.wait(.seconds(8))
        #expect(!bench.session.isIdle && bench.submitted != nil)
        bench.send(.stored(first))
        #expect(!bench.told.contains(.saved) && !bench.session.isIdle)
        bench.send(.stored(try PanelBench.run(of: #require(bench.submitted))))
        #expect(bench.told.last == .saved && bench.session.isIdle)
    }

    /// A sensor that fails meanwhile takes nothing from the answer; a store that fails may.
    @Test(arguments: [
        ("accelerometer: the bus does not answer", true), (FaultPhrases.cannotStore.text(in: .english), false),
        (FaultPhrases.notAllStored.text(in: .english), false),
        ("The device cannot store data; free space on the disk that holds it", false),
    ])
    func onlyAFaultOfTheStoreEndsTheWaitForTheDisk(_ fault: String, _ isSaved: Bool) throws {
        var bench = Self.bench(.reference)
        bench.stores = false
        bench.send(.promptDue(Self.prompt(Self.yesNo)))
        bench.press(.next)
        bench.wait(.seconds(8))
        let run = PanelBench.run(of: try #require(bench.submitted))
        bench.send(.fault(fault))
        #expect(bench.session.isIdle != isSaved)
        bench.send(.stored(run))
        #expect(bench.told.contains(.saved) == isSaved)
    }

    @Test func aCommitThatNeverComesIsAFault() {
        var bench = Self.bench(.reference)
        bench.stores = false
        bench.send(.promptDue(Self.prompt(Self.yesNo)))
        bench.press(.next)
        bench.wait(.seconds(20))
        #expect(!bench.told.contains(.saved))
        #expect(bench.told.contains { if case .fault = $0 { true } else { false } })
        #expect(bench.session.isIdle)
    }

    @Test(arguments: PanelFixtures.panels) func promptsRepeatThenOnlyShine(_ panel: Panel) {
        var bench = Self.bench(panel)
        bench.send(.promptDue(Self.prompt(Self.survey)))
        bench.wait(.seconds(1_800))
        let prompts = bench.effects.compactMap { effect -> SignalPlan? in
            guard case .device(.signal(let plan)) = effect, case .prompt = plan.cue else { return nil }
            return plan
        }
        let full = Signals(panel).plan(prompts[0].cue)
        #expect(prompts.count { $0.steps == full.steps } >= 5)
        if panel.hasSound { #expect(prompts.count { $0.steps.contains { $0.sounds } } == 5) }
        #expect(bench.notes == ["promptPresented"])
    }

    @Test(arguments: PanelFixtures.panels) func aPromptIsPutOffAndComesAgain(_ panel: Panel) {
        var bench = Self.bench(panel)
        bench.send(.promptDue(Self.prompt(Self.survey)))
        bench.reach(.putOff)
        #expect(bench.notes == ["promptPresented", "putOff"])
        #expect(bench.session.currentPrompt == nil)
        bench.wait(.seconds(601))
        #expect(bench.session.currentPrompt?.id == "survey/1")
        bench.reach(.decline)
        #expect(bench.notes.last == "decline")
        #expect(bench.session.isIdle && bench.session.currentPrompt == nil)
    }

    /// After a run it is told three seconds later; it is there to be put off before.
    @Test func aPromptPutOffBeforeItsFirstSignalIsPresentedWhenItComesAgain() {
        var bench = Self.bench(.reference)
        bench.send(.listItems([ListItem(id: "quick", name: "quick")]))
        bench.reach(.openItem("quick"))
        bench.send(.promptDue(Self.prompt(Self.survey)))
        bench.reach(.answer(.answer(.boolean(true))))
        bench.reach(.submit)
        bench.reach(.putOff)
        #expect(bench.notes.last == "putOff" && !bench.notes.contains("promptPresented"))
        bench.wait(.seconds(601))
        #expect(bench.notes.last == "promptPresented" && bench.session.currentPrompt?.id == "survey/1")
        bench.wait(.seconds(3600))
        #expect(bench.notes.count { $0 == "promptPresented" } == 1)
    }

    @Test func aPromptThatRunsOutSaysSoAndAnOpenOneStays() {
        var bench = Self.bench(.reference)
        bench.send(.promptDue(Self.prompt(Self.survey)))
        bench.send(.promptWithdrawn(id: "survey/1"))
        #expect(bench.told.last == .expired)
        bench.send(.promptDue(Self.prompt(Self.survey)))
        bench.reach(.takePrompt)
        bench.send(.promptWithdrawn(id: "survey/1"))
        #expect(bench.session.run != nil)
    }

    @Test(arguments: PanelFixtures.panels) func theListOpensWhatIsChosen(_ panel: Panel) {
        var bench = Self.bench(panel)
        bench.send(.listItems([ListItem(id: "quick", name: "quick"), ListItem(id: "survey", name: "survey")]))
        bench.reach(.openItem("survey"))
        #expect(bench.notes == ["openList", "leaveList", "openTask"])
        #expect(bench.session.run?.opened.task.key == "survey")
    }

    @Test(arguments: PanelFixtures.panels) func anEmptyListSaysSoAndCloses(_ panel: Panel) {
        var bench = Self.bench(panel)
        bench.press(.next)
        #expect(bench.told.last == .nothingOpen)
        bench.wait(.seconds(50))
        #expect(bench.notes == ["openList", "leaveList"])
    }

    /// Whoever opens the menu from the list has left the list: the log counts both.
    @Test func theMenuIsReachedFromTheList() {
        var bench = Self.bench(.reference)
        bench.send(.listItems([ListItem(id: "quick", name: "quick")]))
        bench.press(.next)
        bench.press(.menu)
        #expect(bench.notes == ["openList", "leaveList", "openMenu"])
        bench.press(.menu)
        #expect(bench.notes == ["openList", "leaveList", "openMenu", "leaveMenu"] && bench.session.isIdle)
    }

    @Test(arguments: [Gesture.undo, .cancel]) func theListIsLeftWithoutChoosing(_ gesture: Gesture) {
        var bench = Self.bench(.reference)
        bench.send(.listItems([ListItem(id: "quick", name: "quick")]))
        bench.press(.next)
        bench.press(gesture)
        #expect(bench.notes == ["openList", "leaveList"] && bench.session.isIdle)
    }

    /// The place stays where what was shown still is; else the next one is told.
    @Test(arguments: [(["b", "c"], "b"), (["x", "a", "b"], "b"), (["a", "c"], "c"), (["a"], "a")])
    func theListMayChangeWhileItIsOpen(names: [String], opened: String) {
        var bench = Self.bench(.reference)
        bench.send(.listItems(["a", "b", "c"].map { ListItem(id: $0, name: $0) }))
        bench.press(.next)
        bench.press(.next)
        bench.send(.listItems(names.map { ListItem(id: $0, name: $0) }))
        bench.press(.select)
        #expect(bench.effects.contains { if case .openTask(id: opened) = $0 { true } else { false } })
    }

    @Test(arguments: [Gesture.undo, .cancel, .menu]) func notNowIsTakenBackAndThePromptStays(_ gesture: Gesture) {
        var bench = Self.bench(.reference)
        bench.send(.promptDue(Self.prompt(Self.survey)))
        bench.press(.undo)
        bench.press(gesture)
        #expect(bench.session.isIdle && bench.session.currentPrompt?.id == "survey/1")
        #expect(bench.notes == ["promptPresented"])
    }

    @Test func aPromptThatRunsOutWhileItIsPutOffSaysSo() {
        var bench = Self.bench(.reference)
        bench.send(.promptDue(Self.prompt(Self.survey)))
        bench.press(.undo)
        #expect(!bench.session.isIdle)
        bench.send(.promptWithdrawn(id: "another/1"))
        #expect(!bench.session.isIdle && bench.told.last != .expired)
        bench.send(.promptWithdrawn(id: "survey/1"))
        #expect(bench.session.isIdle && bench.told.last == .expired && bench.session.currentPrompt == nil)
    }

    @Test(arguments: PanelFixtures.panels) func promptsGoOffAndOnByTheMenu(_ panel: Panel) {
        var bench = Self.bench(panel)
        bench.reach(.prompts(on: false))
        #expect(bench.notes == ["openMenu", "promptsOff", "leaveMenu"])
        bench.send(.promptDue(Self.prompt(Self.survey)))
        #expect(bench.session.currentPrompt == nil)
        bench.reach(.prompts(on: true))
        #expect(bench.notes.suffix(3) == ["openMenu", "promptsOn", "leaveMenu"])
    }

    @Test(arguments: PanelFixtures.panels) func leavingTheStudyTakesTwoYeses(_ panel: Panel) {
        var bench = Self.bench(panel)
        let presses = bench.reach(.leaveStudy)
        #expect(bench.notes == ["openMenu", "withdrawRequested", "leaveMenu"])
        #expect(presses >= 6)
        // Choosing again and again, as a pressed button in a pocket would, never leaves.
        var pocket = Self.bench(panel)
        pocket.press(.menu)
        for _ in 0..<50 {
            pocket.press(.select)
            pocket.wait(.milliseconds(300))
        }
        #expect(!pocket.notes.contains("withdrawRequested"))
    }

    @Test(arguments: PanelFixtures.panels) func aRunIsLeftByTheMenuWithTwoConfirmations(_ panel: Panel) {
        var bench = Self.bench(panel)
        bench.send(.promptDue(Self.prompt(Self.survey)))
        bench.reach(.takePrompt)
        bench.reach(.leaveRun)
        #expect(bench.notes.last == "runLeft")
        #expect(bench.session.isIdle)
    }

    @Test func aPromptThatComesDuringARunIsToldAfterIt() {
        var bench = Self.bench(.reference)
        bench.send(.listItems([ListItem(id: "survey", name: "survey")]))
        bench.reach(.openItem("survey"))
        bench.send(.promptDue(Self.prompt(Self.yesNo)))
        #expect(!bench.notes.contains("promptPresented"))
        bench.reach(.leaveRun)
        bench.wait(.seconds(4))
        #expect(bench.notes.last == "promptPresented")
    }

    @Test func signsOfLifeTellWhetherItRecords() {
        var bench = Self.bench(.reference)
        bench.wait(.seconds(11))
        #expect(bench.told.last == .alive)
        bench.send(.recording(true))
        bench.wait(.seconds(11))
        #expect(bench.told.last == .recording)
        bench.send(.fault("The card is full"))
        bench.wait(.seconds(11))
        #expect(bench.told.last == .fault(FaultPhrases.general))
    }

    /// At rest, with a prompt and in the list; holding on does nothing anywhere (docs/panel.md).
    @Test func aGestureMeansWhatItWouldDo() {
        var bench = Self.bench(.reference)
        func meanings() -> [PanelMeaning] {
            [Gesture.next, .previous, .select, .undo, .menu, .cancel].map { bench.session.meaning(of: $0) }
        }
        let (list, menu) = (PanelMeaning.phrase(MeaningPhrases.list), PanelMeaning.phrase(MeaningPhrases.menu))
        #expect(meanings() == [list, list, list, list, menu, .nothing])
        bench.send(.promptDue(Self.prompt(Self.yesNo)))
        let notNow = PanelMeaning.phrase(MeaningPhrases.notNow)
        let start = PanelMeaning.phrase(MeaningPhrases.start)
        #expect(meanings() == [.label("Yes"), .label("No"), start, notNow, menu, .nothing])
        bench.send(.promptWithdrawn(id: "quick/1"))
        bench.send(.listItems([ListItem(id: "quick", name: "quick")]))
        bench.press(.next)
        let back = PanelMeaning.phrase(PanelPhrases.back)
        #expect(
            meanings() == [
                .phrase(MeaningPhrases.next), .phrase(MeaningPhrases.previous), .phrase(MeaningPhrases.choose), back,
                back, .nothing,
            ])
    }

    @Test func aThousandRandomPressesNeverLeaveThePanelStuck() {
        var total = 0
        for (seed, panel) in PanelFixtures.panels.enumerated() {
            var generator = SplitMix64(seed: UInt64(seed))
            var bench = Self.bench(panel)
            bench.send(.listItems([ListItem(id: "quick", name: "quick"), ListItem(id: "survey", name: "survey")]))
            for number in 0..<1_000 {
                if generator.below(20) == 0 {
                    bench.send(.promptDue(PromptItem(id: "survey/\(number)", text: Self.survey.prompt, quickCard: nil)))
                }
                let button = generator.below(panel.buttons.count)
                bench.send(.button(ButtonEvent(button: button, isPressed: generator.below(3) > 0, time: bench.now)))
                bench.wait(.milliseconds(generator.below(2_000)))
            }
            bench.wait(.seconds(1_200))
            #expect(bench.session.isIdle)
            #expect(bench.openedRuns == bench.notes.count { $0 == "submitted" || $0 == "runLeft" })
            total += bench.openedRuns
            for (open, leave) in [("openList", "leaveList"), ("openMenu", "leaveMenu")] {
                #expect(bench.notes.count { $0 == open } == bench.notes.count { $0 == leave })
            }
        }
        #expect(total > 0)
    }
}
