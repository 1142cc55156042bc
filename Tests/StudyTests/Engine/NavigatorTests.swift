// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Study

/// Holds while a question has this answer.
struct Answered: Condition {
    let question: String
    let value: AnswerValue
    var questionKeys: [String] { [question] }
    func holds(_ facts: StudyFacts) -> Bool { facts.answers[question] == value }
}

@Suite struct NavigatorTests {
    static func step(
        _ key: String, required: Bool = false, when condition: (any Condition)? = nil, jumps: [Jump] = [],
        detours: [Jump] = [], group: String? = nil, format: AnswerFormat = .yesNo(yes: "y", no: "n")
    ) -> Step {
        var step = Step(
            key: key, text: key, format: format, isRequired: required, visibleWhen: condition, jumps: jumps,
            drawGroup: group)
        step.detours = detours
        return step
    }

    static func navigator(_ sections: [[Step]]) -> Navigator {
        let task = Sample.task("t", sections: sections.map { Section(name: "", steps: $0, shufflesSteps: false) })
        return Navigator(OpenedTask(task, opening: 1, chance: Sample.chance()), facts: StudyFacts())
    }

    static func word(_ move: Navigator.Move) -> String {
        switch move {
        case .step(let step): step.key
        case .required(let step): step.key + "!"
        case .finished: "end"
        }
    }

    /// Answers by key (absent = left unanswered), until the end or `limit` moves.
    static func walk(_ navigator: inout Navigator, _ answers: Answers, limit: Int = 12) -> String {
        var words = [word(navigator.start())]
        while let step = navigator.current, words.count < limit {
            words.append(word(navigator.answer(answers[step.key])))
        }
        return words.joined(separator: " ")
    }

    @Test func sectionsFollowEachOther() {
        var navigator = Self.navigator([[Self.step("a"), Self.step("b")], [], [Self.step("c")]])
        #expect(Self.walk(&navigator, [:]) == "a b c end")
        #expect(navigator.current == nil)
    }

    @Test func nobodyGoesBackFromAOneWaySectionButWithinIt() {
        var sections = [["a"], ["b", "c"]].map { keys in
            Section(name: "", steps: keys.map { Self.step($0) }, shufflesSteps: false)
        }
        for index in sections.indices { sections[index].isOneWay = true }
        let opened = OpenedTask(Sample.task("t", sections: sections), opening: 1, chance: Sample.chance())
        var navigator = Navigator(opened, facts: StudyFacts())
        _ = navigator.start()
        _ = navigator.answer(.boolean(true))
        #expect(navigator.back() == nil && navigator.current?.key == "b")
        _ = navigator.answer(.boolean(true))
        #expect(navigator.back()?.key == "b" && navigator.back() == nil)
        _ = navigator.answer(nil)
        _ = navigator.answer(nil)
        #expect(navigator.current == nil && navigator.back()?.key == "c")
    }

    @Test func emptyTaskIsFinishedAtOnce() {
        var navigator = Self.navigator([[]])
        #expect(Self.walk(&navigator, [:]) == "end")
    }

    @Test func visibilityFollowsTheAnswersOfTheMoment() {
        let rule = Answered(question: "a", value: .boolean(true))
        let sections = [[Self.step("a"), Self.step("b", when: rule), Self.step("c")]]
        var yes = Self.navigator(sections)
        var no = Self.navigator(sections)
        #expect(Self.walk(&yes, ["a": .boolean(true)]) == "a b c end")
        #expect(Self.walk(&no, ["a": .boolean(false)]) == "a c end")
    }

    @Test func stepThatBecomesVisibleAfterItWasPassedIsAskedBeforeTheSectionEnds() {
        let rule = Answered(question: "c", value: .boolean(true))
        var navigator = Self.navigator([
            [Self.step("a"), Self.step("b", when: rule), Self.step("c"), Self.step("d")], [Self.step("e")],
        ])
        #expect(Self.walk(&navigator, ["c": .boolean(true)]) == "a c d b e end")
        // The first of a section is passed when the section begins.
        navigator = Self.navigator([[Self.step("b", when: rule), Self.step("c"), Self.step("d")], [Self.step("e")]])
        #expect(Self.walk(&navigator, ["c": .boolean(true)]) == "c d b e end")
    }

    @Test func sectionIsNotLeftBeforeWhatIsRequiredIsAnswered() {
        var navigator = Self.navigator([[Self.step("a", required: true), Self.step("b")], [Self.step("c")]])
        #expect(Self.walk(&navigator, [:], limit: 4) == "a b a! a!")
        #expect(Self.word(navigator.answer(.boolean(true))) == "c")
    }

    @Test func hiddenRequiredStepsBlockNothing() {
        let rule = Answered(question: "a", value: .boolean(true))
        var navigator = Self.navigator([[Self.step("a"), Self.step("b", required: true, when: rule)]])
        #expect(Self.walk(&navigator, [:]) == "a end")
    }

    @Test func goingBackKeepsAnswersAndHidingKeepsThemToo() {
        let rule = Answered(question: "a", value: .boolean(true))
        var navigator = Self.navigator([[Self.step("a"), Self.step("b", when: rule), Self.step("c")]])
        _ = navigator.start()
        _ = navigator.answer(.boolean(true))
        _ = navigator.answer(.boolean(false))
        #expect(navigator.back()?.key == "b")
        #expect(navigator.back()?.key == "a")
        #expect(navigator.back() == nil)
        #expect(navigator.current?.key == "a")
        #expect(Self.word(navigator.answer(.boolean(false))) == "c")
        #expect(navigator.answers == ["a": .boolean(false), "b": .boolean(false)])
        #expect(navigator.back()?.key == "a")
    }

    /// Going back takes the step that is left off the way, as `_moveToPreviousStep` of SageResearch's
    /// task controller takes it off the history.
    @Test(arguments: [true, false]) func aRequiredStepThatTheWayNoLongerLeadsPastIsNotOwed(byJump: Bool) {
        let away = [Jump(when: Answered(question: "a", value: .boolean(false)), to: .step("c"))]
        var navigator = Self.navigator([
            [
                Self.step("a", jumps: byJump ? away : []),
                Self.step("b", required: true, detours: byJump ? [] : away), Self.step("c"),
            ]
        ])
        _ = navigator.start()
        #expect(Self.word(navigator.answer(.boolean(true))) == "b" && navigator.back()?.key == "a")
        let words = [false, true].map { Self.word(navigator.answer(.boolean($0))) }
        #expect(words == ["c", "end"] && navigator.current == nil)
        #expect(navigator.answers == ["a": .boolean(false), "c": .boolean(true)])
    }

    @Test func aStepThatADetourHidesByNowIsNotOwedThoughItWasPresented() {
        let away = [Jump(when: Answered(question: "c", value: .boolean(true)), to: .step("d"))]
        var navigator = Self.navigator([
            [Self.step("a"), Self.step("b", required: true, detours: away), Self.step("c"), Self.step("d")]
        ])
        #expect(Self.walk(&navigator, ["c": .boolean(true)]) == "a b c d end")
    }

    @Test func aRequiredStepThatTheWayLeadsToAgainIsStillOwed() {
        var navigator = Self.navigator([[Self.step("a"), Self.step("b", required: true), Self.step("c")]])
        _ = navigator.start()
        _ = navigator.answer(.boolean(true))
        #expect(navigator.back()?.key == "a")
        let words = [AnswerValue.boolean(false), nil, nil].map { Self.word(navigator.answer($0)) }
        #expect(words == ["b", "c", "b!"])
    }

    @Test func aStepAskedLateThatWasGoneBackFromIsAskedAgain() {
        let rule = Answered(question: "c", value: .boolean(true))
        var navigator = Self.navigator([
            [Self.step("a"), Self.step("b", required: true, when: rule), Self.step("c"), Self.step("d")]
        ])
        _ = navigator.start()
        let words = [nil, .boolean(true), nil].map { Self.word(navigator.answer($0)) }
        #expect(words == ["c", "d", "b"] && navigator.back()?.key == "d")
        #expect(Self.word(navigator.answer(nil)) == "b")
        #expect(Self.word(navigator.answer(.boolean(true))) == "end")
    }

    @Test func anAnswerThatIsNoneIsTakenBackAndOwedAgain() {
        var navigator = Self.navigator([[Self.step("a", required: true), Self.step("b")]])
        _ = navigator.start()
        _ = navigator.answer(.recording("m"))
        #expect(!navigator.takeBack(.recording("n")) && navigator.takeBack(.recording("m")))
        #expect(navigator.answers.isEmpty && Self.word(navigator.answer(nil)) == "a!")
    }

    @Test func jumpsPassOverStepsAndMayEndTheRun() {
        let yes = Answered(question: "a", value: .boolean(true))
        let no = Answered(question: "a", value: .boolean(false))
        let sections = [
            [
                Self.step("a", jumps: [Jump(when: yes, to: .step("c")), Jump(when: no, to: .end)]),
                Self.step("b", required: true), Self.step("c"),
            ]
        ]
        var jumping = Self.navigator(sections)
        var ending = Self.navigator(sections)
        #expect(Self.walk(&jumping, ["a": .boolean(true)]) == "a c end")
        #expect(Self.walk(&ending, ["a": .boolean(false)]) == "a end")
    }

    @Test func jumpBackLeavesNothingBehindIt() {
        let again = Answered(question: "b", value: .boolean(true))
        var navigator = Self.navigator([[Self.step("a"), Self.step("b", jumps: [Jump(when: again, to: .step("a"))])]])
        _ = navigator.start()
        _ = navigator.answer(nil)
        #expect(Self.word(navigator.answer(.boolean(true))) == "a")
        #expect(navigator.back() == nil)
    }

    /// Reached by a jump alone.
    private struct Hidden: Condition {
        func holds(_ facts: StudyFacts) -> Bool { false }
    }

    @Test func aHiddenStepThatWasJumpedToCanBeGoneBackTo() {
        var navigator = Self.navigator([
            [
                Self.step("a", jumps: [Jump(when: Always(), to: .step("h"))]), Self.step("b"),
                Self.step("h", when: Hidden()), Self.step("c"),
            ]
        ])
        #expect(Self.walk(&navigator, [:], limit: 3) == "a h c")
        #expect(navigator.back()?.key == "h" && navigator.back()?.key == "a")
    }

    @Test func aRunMayBeginInTheMiddleAndUnknownKeysBeginAtTheBeginning() {
        let sections = [[Self.step("a"), Self.step("b", when: Hidden()), Self.step("c")]]
        var navigator = Self.navigator(sections)
        #expect(Self.word(navigator.start(at: .step("b"))) == "b")
        #expect(Self.word(navigator.answer(nil)) == "c")
        var other = Self.navigator(sections)
        #expect(Self.word(other.start(at: .step("zzz"))) == "a")
        var over = Self.navigator(sections)
        #expect(Self.word(over.start(at: .end)) == "end" && over.back() == nil && over.answers.isEmpty)
    }

    @Test func whereARunGoesOnIsForgottenWhenItsAnswerChanges() {
        let yes = Answered(question: "a", value: .boolean(true))
        var navigator = Self.navigator([
            [Self.step("a", jumps: [Jump(when: yes, to: .task("other", at: .step("x")))]), Self.step("b")]
        ])
        _ = navigator.start()
        #expect(Self.word(navigator.answer(.boolean(true))) == "end")
        #expect(navigator.continuation == Continuation(task: "other", start: .step("x")))
        #expect(navigator.back()?.key == "a")
        #expect(Self.word(navigator.answer(.boolean(false))) == "b")
        #expect(navigator.continuation == nil)
    }

    @Test func rulesThatLeadInACircleEndTheRunAtTheFiftyFirstTime() {
        var navigator = Self.navigator([
            [
                Self.step("a", jumps: [Jump(when: Always(), to: .step("b"))], format: .instruction),
                Self.step("b", jumps: [Jump(when: Always(), to: .step("a"))], format: .instruction),
            ]
        ])
        let words = Self.walk(&navigator, [:], limit: 1_000).split(separator: " ")
        #expect(words.count { $0 == "a" } == 51 && words.count { $0 == "b" } == 50 && words.last == "end")
    }

    @Test func drawnMemberCountsAsAnsweredAndTheOthersAreGone() {
        let steps = ["a", "b", "c"].map { Self.step($0, required: true, group: "g") }
        var navigator = Self.navigator([steps + [Self.step("d")]])
        let drawn = navigator.opened.presets
        #expect(drawn.count == 1 && navigator.opened.hiddenForGood.count == 2)
        #expect(Self.walk(&navigator, [:]) == "\(drawn.first ?? "") d end")
    }
}
