// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Study

/// Counts minutes from a variable, and keeps what was given out.
private struct Anchored: Schedule {
    var keepsIssuedRuns: Bool { true }
    let timeout: Int

    func occurrences(of task: StudyTask, in context: ScheduleContext) -> [Occurrence] {
        guard case .number(let minute)? = context.facts.variables["anchor"] else { return [] }
        return [0, 100].enumerated().map { index, offset in
            let due = Sample.after(Int(minute) + offset)
            return Occurrence(
                id: "\(task.key)/\(index + 1)", task: task.key, taskIndex: task.index, number: index + 1,
                local: Zone.utc.local(due), due: due, expires: due + .seconds(timeout * 60))
        }
    }
}

@Suite struct PlanKeepingTests {
    static let task = StudyTask(
        key: "a", index: 0, wireName: "a", name: "a", prompt: PromptText(title: "", message: ""), condition: nil,
        schedule: Anchored(timeout: 30),
        content: Questionnaire(sections: [], shufflesSections: false, submitText: ""))

    static func plan(_ minute: Double?) -> Plan {
        let base = Sample.context()
        let facts = StudyFacts(variables: minute.map { ["anchor": .number($0)] } ?? [:])
        let context = ScheduleContext(enrolment: base.enrolment, zone: base.zone, chance: base.chance, facts: facts)
        return Planner(study: Sample.study([task]), context: context).plan
    }

    @Test func hiddenUntilItsAnchorIsKnown() {
        var scheduler = Scheduler(plan: Self.plan(nil))
        let lines = SchedulerTests.run(&scheduler, [(5, .tick), (20, .replanned(Self.plan(10))), (200, .tick)])
        #expect(
            lines == [
                "20: prompt a/1", "40: withdraw a/1, expired a/1", "110: prompt a/2", "140: withdraw a/2, expired a/2",
            ])
    }

    @Test func anOpenRunIsAtMostExtendedAndAComingOneIsReplaced() {
        var scheduler = Scheduler(plan: Self.plan(10))
        let lines = SchedulerTests.run(
            &scheduler, [(15, .tick), (20, .replanned(Self.plan(25))), (300, .tick)])
        // The first began at 10 and now ends with the new plan's, at 55; the second moves to 125.
        #expect(
            lines == [
                "10: prompt a/1", "55: withdraw a/1, expired a/1", "125: prompt a/2", "155: withdraw a/2, expired a/2",
            ])
        #expect(scheduler.occurrence("a/1")?.due == Sample.after(10))
    }

    @Test func anAnchorThatMovesBackShortensNothing() {
        var scheduler = Scheduler(plan: Self.plan(10))
        let lines = SchedulerTests.run(&scheduler, [(15, .tick), (16, .replanned(Self.plan(2))), (60, .tick)])
        #expect(lines == ["10: prompt a/1", "40: withdraw a/1, expired a/1"])
    }

    @Test func aRunThatIsOverIsNeverChangedAlsoAfterARestart() throws {
        var scheduler = Scheduler(plan: Self.plan(10))
        _ = SchedulerTests.run(&scheduler, [(15, .completed("a/1")), (20, .replanned(Self.plan(60)))])
        #expect(scheduler.occurrence("a/1")?.due == Sample.after(10))
        #expect(scheduler.occurrence("a/2")?.due == Sample.after(160))
        let issued = try #require(scheduler.occurrence("a/1"))
        let restarted = Self.plan(60).keeping([issued], over: ["a/1"])
        #expect(restarted.occurrences.map(\.due) == [Sample.after(10), Sample.after(160)])
    }

    /// Answered once, a task that is open for its time is still open for as long as a new version says.
    @Test func anOfferThatWasAnsweredEndsWithItsPlan() {
        func offer(until minute: Int) -> Occurrence {
            var offer = Occurrence(
                id: "a/open/0", task: "a", taskIndex: 0, number: 1, local: Zone.utc.local(Sample.after(0)),
                due: Sample.after(0), expires: Sample.after(minute), isSignalled: false)
            offer.purpose = .offer
            return offer
        }
        for (old, new) in [(100, 200), (200, 100)] {
            let plan = Plan(tasks: [Self.task], occurrences: [offer(until: new)])
            let kept = plan.keeping([offer(until: old)], over: ["a/open/0"])
            #expect(kept.occurrences.map(\.expires) == [Sample.after(new)])
        }
    }

    @Test func schedulesThatDoNotAskForItFollowTheirPlan() {
        let plan = Sample.plan([Sample.task("a", at: [10], timeout: 30)])
        let moved = Sample.plan([Sample.task("a", at: [12], timeout: 10)])
        #expect(moved.keeping(plan.occurrences, over: []).occurrences == moved.occurrences)
    }
}
