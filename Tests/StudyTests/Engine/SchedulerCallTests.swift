// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Study

/// Due at minute 10: signalled again at 15 and 20, in silence from 40 on, closed at 60. What is
/// raised by an answer to "b" is due 5 minutes later.
///
/// The times are those of ESMira's app (`ActionTrigger.kt`, `issueInvitationNotification`,
/// ESMira-apps f750e58): each reminder after the one before, the time-out after the last; what is
/// taken up or answered is not signalled again.
private struct Called: Schedule {
    func occurrences(of task: StudyTask, in context: ScheduleContext) -> [Occurrence] {
        [Self.occurrence("\(task.key)/1", of: task, at: 10)]
    }

    func raised(by happening: StudyHappening, of task: StudyTask, in context: ScheduleContext) -> [Occurrence] {
        guard happening.name == .submitted, happening.task == "b" else { return [] }
        let minute = Int((happening.moment - Sample.start).components.seconds / 60)
        return [Self.occurrence("\(task.key)/@\(minute)", of: task, at: minute + 5)]
    }

    private static func occurrence(_ id: String, of task: StudyTask, at minute: Int) -> Occurrence {
        var occurrence = Occurrence(
            id: id, task: task.key, taskIndex: task.index, number: 1, local: Zone.utc.local(Sample.after(minute)),
            due: Sample.after(minute), expires: Sample.after(minute + 50))
        occurrence.calls.reminders = [Sample.after(minute + 5), Sample.after(minute + 10)]
        occurrence.calls.silentFrom = Sample.after(minute + 30)
        return occurrence
    }
}

@Suite struct SchedulerCallTests {
    static func task(_ key: String, rest: Duration? = nil, isSticky: Bool = false) -> StudyTask {
        var task = StudyTask(
            key: key, index: 0, wireName: key, name: key, prompt: PromptText(title: key, message: ""), condition: nil,
            schedule: Called(), isSticky: isSticky, content: Sample.task(key, at: []).content)
        task.opening = OpeningRules()
        task.opening?.rest = rest
        return task
    }

    static func lines(_ script: [(Int, Scheduler.Event)]) -> [String] {
        var scheduler = Scheduler(plan: Sample.plan([task("a")]))
        return SchedulerTests.run(&scheduler, script)
    }

    @Test func nobodyComesAndItIsSignalledAgainAndThenNoMore() {
        #expect(
            Self.lines([(100, .tick)]) == [
                "10: prompt a/1", "15: remind a/1", "20: remind a/1", "40: withdraw a/1, unanswered a/1",
                "60: expired a/1",
            ])
    }

    @Test func whoeverBeganAnsweredOrDeclinedIsNotSignalledAgain() {
        #expect(
            Self.lines([(12, .opened("a/1")), (14, .left("a/1")), (100, .tick)]) == [
                "10: prompt a/1", "12: withdraw a/1", "60: interrupted a/1",
            ])
        #expect(
            Self.lines([(17, .completed("a/1")), (100, .tick)]) == [
                "10: prompt a/1", "15: remind a/1", "17: withdraw a/1, completed a/1",
            ])
        #expect(
            Self.lines([(12, .declined("a/1")), (100, .tick)]) == ["10: prompt a/1", "12: withdraw a/1, declined a/1"])
    }

    @Test func aDeviceThatWasOffGivesOneSignalAndNoneAfterTheEnd() {
        var late = Scheduler(plan: Sample.plan([Self.task("a")]))
        #expect(SchedulerTests.words(late.handle(.tick, at: Sample.after(17))) == ["prompt a/1"])
        #expect(SchedulerTests.run(&late, [(30, .tick)]) == ["20: remind a/1"])
        var missed = Scheduler(plan: Sample.plan([Self.task("a")]))
        #expect(SchedulerTests.words(missed.handle(.tick, at: Sample.after(45))) == ["unanswered a/1"])
        #expect(missed.list(at: Sample.after(45)).entries.map(\.task) == ["a"])
    }

    @Test func whatHappenedRaisesAPromptOnceAndEveryLaterPlanHasIt() throws {
        let study = Sample.study([Self.task("a")])
        let happening = StudyHappening(.submitted, task: "b", at: Sample.after(70))
        var planner = Planner(study: study, context: Sample.context())
        var scheduler = Scheduler(plan: planner.plan)
        _ = SchedulerTests.run(&scheduler, [(65, .tick)])
        let raised = planner.raised(by: happening)
        let again = [(70, Scheduler.Event.raised(raised)), (71, .raised(raised)), (76, .tick)]
        #expect(SchedulerTests.run(&scheduler, again) == ["75: prompt a/@70"])
        #expect(scheduler.ledger.due == 2 && scheduler.ledger.isBalanced)
        // After a restart only the variable is known.
        #expect(happening.variable == "happened/submitted/\(happening.moment.milliseconds)/b")
        var facts = StudyFacts()
        facts.variables[happening.variable] = .number(0)
        #expect(facts.happenings == [happening])
        let context = planner.context
        planner.context = ScheduleContext(
            enrolment: context.enrolment, zone: context.zone, chance: context.chance, facts: facts)
        #expect(planner.plan.occurrences.map(\.id) == ["a/1", "a/@70"])
    }

    @Test func aTaskThatRestsIsNotOfferedUntilItsTimeIsOver() {
        var scheduler = Scheduler(plan: Sample.plan([Self.task("a", rest: .seconds(1_800), isSticky: true)]))
        _ = SchedulerTests.run(&scheduler, [(12, .opened("a/1")), (13, .completed("a/1"))])
        var facts = StudyFacts(completedTasks: ["a"])
        facts.variables[StudyFacts.lastDoneVariable("a")] = .number(Double(Sample.after(13).milliseconds))
        _ = scheduler.handle(.facts(facts), at: Sample.after(13))
        #expect(scheduler.list(at: Sample.after(13)).entries.isEmpty)
        #expect(scheduler.wake == Sample.after(43))
        _ = scheduler.handle(.tick, at: Sample.after(43))
        #expect(scheduler.list(at: Sample.after(43)).entries.map(\.task) == ["a"])
    }

    /// systemd, src/core/timer.c, `timer_start`: a time of last running that lies in the future is not
    /// believed.
    @Test(arguments: [(0, true), (1, false)]) func aTaskDoneByAClockThatWasAheadDoesNotRest(
        milliseconds: Int64, isResting: Bool
    ) {
        var scheduler = Scheduler(plan: Sample.plan([Self.task("a", rest: .seconds(1_800), isSticky: true)]))
        _ = SchedulerTests.run(&scheduler, [(12, .opened("a/1")), (13, .completed("a/1"))])
        let now = Sample.after(20)
        var facts = scheduler.facts
        facts.variables[StudyFacts.lastDoneVariable("a")] = .number(Double(now.milliseconds + milliseconds))
        _ = scheduler.handle(.facts(facts), at: now)
        #expect(scheduler.canOpen("a") != isResting)
        #expect(scheduler.list(at: now).entries.isEmpty == isResting)
    }
}
