// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Study

/// Numbers its runs, of which there are none, and may open for an hour with each message.
private struct Numbered: Schedule {
    var numbersRuns: Bool { true }
    var opensWithMessages = false

    func occurrences(of task: StudyTask, in context: ScheduleContext) -> [Occurrence] { [] }

    func raised(by happening: StudyHappening, of task: StudyTask, in context: ScheduleContext) -> [Occurrence] {
        guard opensWithMessages, happening.name == .message else { return [] }
        return [
            Occurrence(
                id: "\(task.key)/1", task: task.key, taskIndex: task.index, number: 1,
                local: context.zone.local(happening.moment), due: happening.moment,
                expires: happening.moment + .seconds(3_600))
        ]
    }
}

@Suite struct RunNumberingTests {
    private static func task(opensWithMessages: Bool = false) -> StudyTask {
        StudyTask(
            key: "a", index: 0, wireName: "a", name: "a", prompt: PromptText(title: "", message: ""), condition: nil,
            schedule: Numbered(opensWithMessages: opensWithMessages),
            content: Questionnaire(sections: [], shufflesSections: false, submitText: ""))
    }

    private static func run(_ id: String, _ minutes: ClosedRange<Int>) -> Occurrence {
        run(id, from: minutes.lowerBound, to: minutes.upperBound)
    }

    private static func run(_ id: String, from start: Int, to end: Int) -> Occurrence {
        let due = Sample.after(start)
        return Occurrence(
            id: id, task: String(id.prefix { $0 != "/" }), taskIndex: 0, number: 1, local: Zone.utc.local(due),
            due: due, expires: Sample.after(end))
    }

    private static func plan(_ runs: [Occurrence]) -> Plan { Plan(tasks: [task()], occurrences: runs) }

    @Test(arguments: [("a/rule.r.3", false), ("a/3", true)])
    func aDeclinedPromptOfARuleNumbersNothingAgain(_ id: String, _ renumbers: Bool) {
        let prompt = Self.run(id, 10...70)
        let renumbered = Self.plan([prompt]).renumbered(
            since: Self.plan([]), [(prompt, .declined)], at: Sample.after(20))
        #expect(renumbered.contains("a") == renumbers)
    }

    /// A window whose end is written before its start.
    @Test(arguments: [(59, false), (60, true)])
    func aRunIsNotOverBeforeItIsDue(_ minute: Int, _ isOver: Bool) {
        let plan = Self.plan([Self.run("a/1", from: 60, to: 50)])
        let now = Sample.after(minute)
        #expect(plan.renumbered(since: plan, [], at: now).contains("a") == isOver)
        #expect(plan.notOver(at: now).contains("a/1") == !isOver)
    }

    /// What has happened since the plan was made belongs to the present version, too.
    @Test(arguments: [true, false]) func anOpenPromptEndsWhereTheVersionRaisesItNoMore(_ raises: Bool) {
        var bench = StudyConductorTests.Bench([Self.task(opensWithMessages: true)])
        bench.send(.happened(StudyHappening(.message, at: bench.now.instant)))
        let next = Sample.study([Self.task(opensWithMessages: raises)])
        let ends = bench.conductor.notes(takingUp: next, at: bench.now.instant).map { note in
            guard case .concluded(let occurrence, let outcome) = note else { return "\(note)" }
            return "\(occurrence.id) \(outcome.reason?.rawValue ?? outcome.name)"
        }
        #expect(ends == (raises ? [] : ["a/1 replaced"]))
    }

    /// The clock goes back by half an hour to minute 10. What ended by it under earlier numbers never was due, and
    /// has other numbers when it is; what was due before, was done, or is of a task that is gone, stays.
    @Test func aRunUnderEarlierNumbersLeavesWithTheClockThatWasAhead() {
        var scheduler = Scheduler(
            plan: Self.plan([Self.run("a/v2/4", 600...660)]),
            former: [
                (Self.run("a/1", 10...15), .expired), (Self.run("a/2", 11...15), .expired),
                (Self.run("a/3", 20...60), .missed(.replaced)), (Self.run("a/4", 20...60), .completed),
                (Self.run("b/1", 20...25), .expired),
            ])
        _ = scheduler.handle(.tick, at: Sample.after(10))
        _ = scheduler.handle(.clockJumped(by: .seconds(1_800)), at: Sample.after(40))
        let lines = SchedulerTests.run(
            &scheduler, [(10, .clockJumped(by: .seconds(-1_800))), (610, .tick)])
        #expect(lines == ["10: returned a/2, returned a/3", "600: prompt a/v2/4"])
        #expect(scheduler.endings.map(\.occurrence.id) == ["a/1", "a/4", "b/1", "a/v2/4"])
        #expect(scheduler.occurrence("a/2") == nil && scheduler.occurrence("a/v2/4")?.due == Sample.after(600))
        #expect(scheduler.ledger.due == 4 && scheduler.ledger.completed == 1 && scheduler.ledger.expired == 2)
    }
}
