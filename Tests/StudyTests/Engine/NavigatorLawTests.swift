// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Study

/// Laws of every walk through every questionnaire.
@Suite struct NavigatorLawTests {
    static func sections(_ generator: inout SplitMix64) -> [[Step]] {
        let keys = (0..<(1 + generator.below(10))).map { "q\($0)" }
        let steps = keys.map { key -> Step in
            let driver = keys[generator.below(keys.count)]
            let rule = Answered(question: driver, value: .boolean(generator.below(2) == 0))
            return NavigatorTests.step(
                key, required: generator.below(3) == 0, when: generator.below(2) == 0 ? rule : nil,
                group: generator.below(5) == 0 ? "g" : nil)
        }
        let cut = generator.below(steps.count + 1)
        return [Array(steps[..<cut]), Array(steps[cut...])]
    }

    /// With jumps in whatever direction, and detours ahead: only of jumps it is counted how often they lead
    /// back.
    private static func routed(_ generator: inout SplitMix64) -> [[Step]] {
        let sections = sections(&generator)
        let keys = sections.joined().map(\.key)
        func jumps(to keys: ArraySlice<String>) -> [Jump] {
            guard generator.below(4) == 0 else { return [] }
            let rule = Answered(question: driver(), value: .boolean(generator.below(2) == 0))
            return [
                Jump(when: rule, to: keys.dropFirst(generator.below(keys.count + 1)).first.map { .step($0) } ?? .end)
            ]
        }
        func driver() -> String { keys[generator.below(keys.count)] }
        return sections.map { steps in
            steps.map { step in
                var step = step
                step.jumps = jumps(to: keys[...])
                step.detours = jumps(to: keys.drop { $0 != step.key }.dropFirst())
                return step
            }
        }
    }

    /// What is answered next is answered under the key of the step that is shown.
    @Test func theStepThatAMoveGivesIsThePresentOneAndEveryWalkEnds() {
        var generator = SplitMix64(seed: 41)
        for _ in 0..<1000 {
            var navigator = NavigatorTests.navigator(Self.routed(&generator))
            var (move, moves) = (navigator.start(), 0)
            while navigator.current != nil, moves < 20_000 {
                moves += 1
                #expect(NavigatorTests.word(move).hasPrefix(navigator.current?.key ?? "none"))
                if generator.below(6) == 0, let earlier = navigator.back() {
                    move = .step(earlier)
                } else {
                    move = navigator.answer(generator.below(4) == 0 ? nil : .boolean(generator.below(2) == 0))
                }
            }
            #expect(navigator.current == nil && NavigatorTests.word(move) == "end", "\(moves) moves")
        }
    }

    @Test func everyWalkEndsAndShowsOnlyWhatIsVisible() {
        var generator = SplitMix64(seed: 17)
        for _ in 0..<2000 {
            var navigator = NavigatorTests.navigator(Self.sections(&generator))
            var moves = 0
            _ = navigator.start()
            while let step = navigator.current, moves < 400 {
                moves += 1
                var facts = StudyFacts(answers: navigator.answers)
                for key in navigator.opened.presets where facts.answers[key] == nil { facts.answers[key] = .number(1) }
                #expect(!navigator.opened.hiddenForGood.contains(step.key) && step.visibleWhen?.holds(facts) ?? true)
                if generator.below(6) == 0, let earlier = navigator.back() {
                    #expect(earlier.key == navigator.current?.key)
                    continue
                }
                _ = navigator.answer(generator.below(4) == 0 ? nil : .boolean(generator.below(2) == 0))
            }
            #expect(navigator.current == nil, "a walk of \(moves) moves did not end")
        }
    }

    /// Sage's navigator has a flag for it (`isPeeking`, SageResearch
    /// `RSDConditionalStepNavigator`): what would come next is asked without applying a rule. Here
    /// looking ahead is done on a copy, however far.
    @Test func lookingAheadNeitherMovesNorAnswersNorAppliesRules() {
        var generator = SplitMix64(seed: 29)
        for _ in 0..<500 {
            let sections = Self.sections(&generator)
            var (walker, peeker) = (NavigatorTests.navigator(sections), NavigatorTests.navigator(sections))
            #expect(NavigatorTests.word(walker.start()) == NavigatorTests.word(peeker.start()))
            for _ in 0..<40 where walker.current != nil {
                var ahead = peeker
                while ahead.current != nil, generator.below(4) > 0 {
                    _ = ahead.answer(.boolean(generator.below(2) == 0))
                }
                let answer = AnswerValue.boolean(generator.below(2) == 0)
                #expect(NavigatorTests.word(walker.answer(answer)) == NavigatorTests.word(peeker.answer(answer)))
                #expect(walker.answers == peeker.answers)
            }
        }
    }

    @Test func goingBackRetracesTheWay() {
        var generator = SplitMix64(seed: 23)
        for _ in 0..<500 {
            let steps = (0..<6).map { NavigatorTests.step("q\($0)") }
            var navigator = NavigatorTests.navigator([Array(steps[..<3]), Array(steps[3...])])
            _ = navigator.start()
            for _ in 0..<40 {
                let here = Int(navigator.current?.key.dropFirst() ?? "") ?? 6
                if generator.below(2) == 0 {
                    #expect(navigator.back()?.key == (here == 0 ? nil : "q\(here - 1)"))
                } else if here < 6 {
                    _ = navigator.answer(nil)
                }
            }
        }
    }
}

struct NavigatorLoopTests {
    @Test func rulesThatLeadBackEndTheRunAfterFiftyRounds() {
        let task = PanelFixtures.task([
            Step(key: "a", text: "", format: .instruction),
            Step(
                key: "b", text: "", format: .yesNo(yes: "", no: ""), jumps: [Jump(when: Always(), to: .step("a"))]),
        ])
        var navigator = Navigator(OpenedTask(task, opening: 1, chance: PanelFixtures.chance), facts: StudyFacts())
        var answers = 0
        var move = navigator.start()
        while case .step = move {
            answers += 1
            move = navigator.answer(.boolean(true))
        }
        #expect(answers == 2 * (Navigator.mostVisits + 1))
    }
}
