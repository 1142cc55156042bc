// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Study

@Suite struct OpenedTaskTests {
    static let options = ["x", "y", "z"].map { ChoiceFormat.Option(value: $0, text: $0) }

    static var task: StudyTask {
        let choice = AnswerFormat.choice(ChoiceFormat(options: options, isMultiple: false, isShuffled: true))
        let rule = Answered(question: "g1", value: .number(1))
        let first = [
            NavigatorTests.step("g1", group: "g"), NavigatorTests.step("g2", group: "g"),
            NavigatorTests.step("dependent", when: rule),
        ]
        return Sample.task(
            "t",
            sections: [
                Section(name: "1", steps: first, shufflesSteps: true),
                Section(name: "2", steps: [NavigatorTests.step("c", format: choice)], shufflesSteps: false),
            ], shuffled: true)
    }

    @Test func sameOpeningIsTheSameAndOthersDiffer() {
        let orders = (1...40).map { OpenedTask(Self.task, opening: $0, chance: Sample.chance()).order }
        #expect(orders == (1...40).map { OpenedTask(Self.task, opening: $0, chance: Sample.chance()).order })
        #expect(Set(orders).count == 12)
        #expect(orders.allSatisfy { Set($0) == ["g1", "g2", "dependent", "c"] })
    }

    @Test func groupDrawIsEvenAndItsDrawIsKept() {
        let opened = (1...2000).map { OpenedTask(Self.task, opening: $0, chance: Sample.chance()) }
        let first = opened.count { $0.presets == ["g1"] }
        #expect((900...1100).contains(first))
        #expect(opened.allSatisfy { $0.presets.union($0.hiddenForGood) == ["g1", "g2"] })
        let draw = opened[2].draws.first { $0.what == "module t/opening 3/group g" }
        #expect(draw?.probability == 0.5 && draw?.result == opened[2].presets.first)
    }

    @Test func stepThatWasNotDrawnDrivesNoOther() throws {
        for opening in 1...20 {
            let opened = OpenedTask(Self.task, opening: opening, chance: Sample.chance())
            let dependent = try #require(opened.sections.flatMap(\.steps).first { $0.key == "dependent" })
            #expect((dependent.visibleWhen == nil) == opened.hiddenForGood.contains("g1"))
            var navigator = Navigator(opened, facts: StudyFacts())
            // A drawn member counts as 1 for the rules that look at it.
            #expect(NavigatorTests.walk(&navigator, [:]).contains("dependent"))
        }
    }

    private struct Seen: Condition {
        var places: [String: Int] = [:]
        var undrawn: Set<String> = []
        func holds(_ facts: StudyFacts) -> Bool { true }
        func opened(places: [String: Int], undrawn: Set<String>) -> any Condition {
            Seen(places: places, undrawn: undrawn)
        }
    }

    @Test(arguments: [false, true]) func aConditionKnowsTheOrderAndTheDrawOfItsOpening(isPart: Bool) throws {
        let steps = [
            NavigatorTests.step("g1", group: "g"), NavigatorTests.step("g2", group: "g"),
            NavigatorTests.step("dependent", when: isPart ? AllOf([Always(), Seen()]) as any Condition : Seen()),
        ]
        let task = Sample.task("t", sections: [Section(name: "1", steps: steps, shufflesSteps: true)])
        for opening in 1...20 {
            let opened = OpenedTask(task, opening: opening, chance: Sample.chance())
            let dependent = try #require(opened.sections.flatMap(\.steps).first { $0.key == "dependent" })
            let rule = isPart ? (dependent.visibleWhen as? AllOf)?.all.last : dependent.visibleWhen
            let seen = try #require(rule as? Seen)
            #expect(opened.order.indices.allSatisfy { seen.places[opened.order[$0]] == $0 })
            #expect(seen.undrawn == opened.hiddenForGood)
        }
    }

    @Test func optionsAreShuffledAndTheTaskKeepsItsOrder() {
        let orders = (1...60).map { opening -> [String] in
            let opened = OpenedTask(Self.task, opening: opening, chance: Sample.chance())
            guard case .choice(let choice)? = opened.sections.flatMap(\.steps).first(where: { $0.key == "c" })?.format
            else { return [] }
            return choice.options.map(\.value)
        }
        #expect(Set(orders).count == 6)
    }

    @Test func whatStaysAtTheEndsStaysAndWhatBelongsBehindAnotherGoesWithIt() {
        func step(_ key: String, _ place: ShufflePlace = .anywhere) -> Step {
            var step = NavigatorTests.step(key)
            step.inShuffle = place
            return step
        }
        let steps = [
            step("head", .fixed), step("a"), step("a2", .behind), step("b"), step("c"), step("foot", .fixed),
        ]
        let task = Sample.task("t", sections: [Section(name: "", steps: steps, shufflesSteps: true)])
        let opened = (1...60).map { OpenedTask(task, opening: $0, chance: Sample.chance()) }
        #expect(opened.allSatisfy { $0.order.first == "head" && $0.order.last == "foot" })
        #expect(opened.allSatisfy { $0.order.joined(separator: " ").contains("a a2") })
        #expect(Set(opened.map(\.order)).count == 6)
        #expect(opened.allSatisfy { $0.draws.map(\.probability) == [1 / 6] })
    }
}
