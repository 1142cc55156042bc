// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Study

@Suite struct PlanTests {
    @Test func onlyFittingTasksInTimeOrderAndTiesInTheOrderOfTheFile() {
        let tasks = [
            Sample.task("a", condition: "X", at: [30, 10]), Sample.task("b", at: [10], index: 1),
            Sample.task("c", condition: "Y", at: [5], index: 2),
        ]
        #expect(Sample.plan(tasks, condition: "X").occurrences.map(\.id) == ["a/2", "b/1", "a/1"])
        #expect(Sample.plan(tasks).occurrences.map(\.id) == ["b/1"])
    }

    @Test func linesSayWhatIsSpecial() throws {
        let tasks = [Sample.task("s", sticky: true, at: [-5, 10])]
        let planner = Planner(study: Sample.study(tasks), context: Sample.context(condition: "X"))
        #expect(
            planner.lines().map(\.json) == [
                #"{"id":"s/1","task":"s","index":0,"number":1,"due":"2026-03-02T09:55:00+00:00","condition":"X","remark":"before enrolment"}"#,
                #"{"id":"s/2","task":"s","index":0,"number":2,"due":"2026-03-02T10:10:00+00:00","condition":"X","remark":"hidden"}"#,
            ])
    }

    @Test func daysCutThePlanAtMidnight() {
        let planner = Planner(
            study: Sample.study([Sample.task("a", at: [-601, -600, 1, 839, 840, 2279, 2280])]),
            context: Sample.context())
        #expect(planner.lines().map(\.occurrence.number) == [1, 2, 3, 4, 5, 6, 7])
        #expect(planner.lines(days: 1).map(\.occurrence.number) == [2, 3, 4], "the day before is none of them")
        #expect(planner.lines(days: 2).map(\.occurrence.number) == [2, 3, 4, 5, 6])
    }

    @Test func armIsDrawnEvenlyAndToldWithItsProbability() throws {
        let study = Sample.study([], conditions: ["A", "B", "B"])
        let draws = (0...255).compactMap { ChanceDraw.condition(of: study, chance: Sample.chance($0)) }
        #expect((55...115).contains(draws.count { $0.result == "A" }))
        #expect(draws.allSatisfy { abs($0.probability - ($0.result == "A" ? 1 : 2) / 3.0) < 1e-12 })
        #expect(ChanceDraw.condition(of: Sample.study([]), chance: Sample.chance()) == nil)
    }
}
