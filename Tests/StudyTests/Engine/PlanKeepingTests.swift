// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Study

/// Counts minutes from a variable, and keeps what was given out.
private struct Anchored: Schedule {
    var keepsIssuedRuns: Bool { true }
    var startsWithVersion: Bool { true }
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

    /// An occurrence of the task `a` that is open for 30 minutes.
    private static func occurrence(
        _ id: String, at minute: Int, local: Int? = nil, identity: Occurrence.Identity = .place
    ) -> Occurrence {
        let due = Sample.after(minute)
        var occurrence = Occurrence(
            id: id, task: "a", taskIndex: 0, number: 1, local: Zone.utc.local(Sample.after(local ?? minute)),
            due: due, expires: due + .seconds(1_800))
        occurrence.identity = identity
        return occurrence
    }

    private static func version(since minute: Int?, _ occurrences: [Occurrence]) -> Plan {
        Plan(tasks: [task], occurrences: occurrences, versionSince: minute.map(Sample.after))
    }

    private static let places: [(Int?, String, Int)] = [
        (nil, "a/1", 10), (9, "a/1", 10), (10, "a/1/10:50:00", 50), (50, "a/1/10:50:00", 50),
    ]

    /// What came at minute 10 has the id that the plan has for minute 50.
    @Test(arguments: places)
    func onlyANewVersionGivesAPlaceToAnotherTime(_ since: Int?, _ id: String, _ minute: Int) {
        let plan = Self.version(since: since, [Self.occurrence("a/1", at: 50)])
        let kept = plan.keeping([Self.occurrence("a/1", at: 10)], over: ["a/1"]).occurrences
        #expect(kept.map(\.id) == [id] && kept.map(\.due) == [Sample.after(minute)])
    }

    @Test func aPlaceWhoseNewTimeHasPassedGivesNothing() {
        let plan = Self.version(since: 51, [Self.occurrence("a/1", at: 50)])
        #expect(plan.keeping([Self.occurrence("a/1", at: 10)], over: ["a/1"]).occurrences.isEmpty)
    }

    /// Planned again or restarted, what has come under its own id is found by it.
    @Test func whatCameUnderAnIdOfItsOwnIsNotGivenAgain() {
        let issued = [Self.occurrence("a/1", at: 10), Self.occurrence("a/1/10:50:00", at: 50)]
        let plan = Self.version(since: 20, [Self.occurrence("a/1", at: 50)])
        #expect(plan.keeping(issued, over: ["a/1", "a/1/10:50:00"]).occurrences.map(\.id) == ["a/1/10:50:00"])
    }

    /// After a journey its time comes again, under another place.
    @Test(arguments: [[], ["a/2"]]) func whatHasComeAtATimeIsNotGivenAgainAtIt(_ over: Set<String>) {
        let plan = Self.version(since: 60, [Self.occurrence("a/1", at: 110, local: 50)])
        let issued = [Self.occurrence("a/1", at: 10), Self.occurrence("a/2", at: 50)]
        let kept = plan.keeping(issued, over: over.union(["a/1"])).occurrences
        #expect(kept.map(\.id) == ["a/2"] && kept.map(\.due) == [Sample.after(50)])
    }

    /// An offer that is open since then is not the prompt of that time.
    @Test func aPromptDoesNotTakeTheIdOfAnOffer() {
        var offer = Self.occurrence("a/open/1", at: 50)
        offer.purpose = .offer
        let plan = Self.version(since: 40, [Self.occurrence("a/1", at: 50)])
        let kept = plan.keeping([Self.occurrence("a/1", at: 10), offer], over: ["a/1"]).occurrences
        #expect(kept.map(\.id) == ["a/1/10:50:00"])
    }

    /// In another zone one falls on the moment of another that is open: they are two.
    @Test func anotherZoneMakesNoTimeAnother() {
        let plan = Self.version(
            since: 10, [Self.occurrence("a/1", at: -50, local: 10), Self.occurrence("a/2", at: 10, local: 70)])
        let kept = plan.keeping([Self.occurrence("a/1", at: 10)], over: []).occurrences
        #expect(kept.map(\.id) == ["a/1", "a/2"] && kept.map(\.due) == [Sample.after(10), Sample.after(10)])
    }

    /// What an event has raised is not raised again by a version with another delay, nor ends later.
    @Test(arguments: [(10, 70), (40, 40)]) func anEventIsNotRaisedAgain(_ delay: Int, _ end: Int) {
        let raised = Self.occurrence("a/0@1", at: delay, identity: .event).expiring(Sample.after(70))
        let issued = Self.occurrence("a/0@1", at: 10, identity: .event)
        let kept = Self.version(since: 20, [raised]).keeping([issued], over: []).occurrences
        #expect(kept.map(\.due) == [Sample.after(10)] && kept.map(\.expires) == [Sample.after(end)])
    }

    /// It was given 30 minutes, and the new version gives 5 or 50.
    @Test(arguments: [(5, 30), (50, 50)])
    func anOpenPromptCanBeOpenedAsLongAsItWasGiven(_ minutes: Int, _ kept: Int) {
        var other = Self.occurrence("a/1", at: 10).expiring(Sample.after(10 + minutes))
        other.calls.openFor = .seconds(60 * minutes)
        let plan = Self.version(since: 20, [other]).keeping([Self.occurrence("a/1", at: 10)], over: [])
        #expect(plan.occurrences.map(\.expires) == [Sample.after(10 + kept)])
        #expect(plan.occurrences.map(\.openFor) == [Duration.seconds(60 * kept)])
    }
}
