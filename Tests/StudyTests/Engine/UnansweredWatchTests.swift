// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Study

/// Due at the given minutes, signalled again 5 minutes later, closed after 10, timed out after 30:
/// ESMira's app keeps a separate time-out for the last signal, which reports `invitation_missed`
/// whether or not the questionnaire can still be filled out (`DbLogic.reportMissedInvitation`,
/// ESMira-apps f750e58).
@Suite struct UnansweredWatchTests {
    private static func plan(_ minutes: [Int]) -> Plan {
        let task = Sample.task("a", at: minutes)
        let occurrences = minutes.enumerated().map { number, minute in
            var occurrence = Occurrence(
                id: "a/\(number + 1)", task: "a", taskIndex: 0, number: 1, local: Zone.utc.local(Sample.after(minute)),
                due: Sample.after(minute), expires: Sample.after(minute + 10))
            occurrence.calls.reminders = [Sample.after(minute + 5)]
            occurrence.calls.silentFrom = Sample.after(minute + 30)
            return occurrence
        }
        return Plan(tasks: [task], occurrences: occurrences)
    }

    private static func lines(_ minutes: [Int], _ script: [(Int, Scheduler.Event)]) -> [String] {
        var scheduler = Scheduler(plan: plan(minutes))
        return SchedulerTests.run(&scheduler, script)
    }

    private static let closed = ["10: prompt a/1", "15: remind a/1", "20: withdraw a/1, expired a/1"]

    @Test func aPromptThatClosedIsReportedOnceAtItsTimeOut() {
        #expect(Self.lines([10], [(40, .tick), (100, .tick)]) == Self.closed + ["40: unanswered a/1"])
    }

    @Test func theNextPromptUpToTheTimeOutTakesItsPlace() {
        #expect(Self.lines([10, 40], [(42, .tick)]) == Self.closed + ["40: prompt a/2"])
        #expect(Self.lines([10, 41], [(42, .tick)]) == Self.closed + ["40: unanswered a/1", "41: prompt a/2"])
    }

    @Test func whatWasBegunInBetweenIsNotReported() {
        #expect(
            Self.lines([10], [(19, .opened("a/1")), (21, .left("a/1")), (100, .tick)]) == [
                "10: prompt a/1", "15: remind a/1", "19: withdraw a/1", "21: interrupted a/1",
            ])
    }

    /// From the prompt to its time-out; later only by a clock that was ahead.
    @Test(arguments: [(9, false), (10, true), (30, true), (40, true), (41, false)])
    func whatWasDoneFromThePromptToItsTimeOutIsNotReported(done: Int, counts: Bool) {
        var facts = StudyFacts()
        facts.variables[StudyFacts.lastDoneVariable("a")] = .number(Double(Sample.after(done).milliseconds))
        let lines = Self.lines([10], [(30, .facts(facts)), (100, .tick)])
        #expect(lines == Self.closed + (counts ? [] : ["40: unanswered a/1"]))
    }

    private struct Closing: Schedule {
        func occurrences(of task: StudyTask, in context: ScheduleContext) -> [Occurrence] {
            UnansweredWatchTests.plan([10]).occurrences
        }
    }

    /// ESMira's list offers the questionnaire after the prompt has closed.
    @Test(arguments: [false, true]) func whenATaskWithATimeOutWasDoneIsKept(isDone: Bool) {
        let step = Step(key: "q", text: "?", format: .yesNo(yes: "Yes", no: "No"))
        let task = StudyTask(
            key: "a", index: 0, wireName: "a", name: "a", prompt: PromptText(title: "", message: ""), condition: nil,
            schedule: Closing(), isSticky: true,
            content: Questionnaire([step]))
        var bench = StudyConductorTests.Bench([task])
        bench.wait(.seconds(25 * 60))
        if isDone { for gesture in [Gesture.next, .select, .next] { bench.press(gesture) } }
        bench.wait(.seconds(30 * 60))
        #expect(bench.reports.contains("submitted") == isDone)
        #expect((bench.conductor.scheduler.facts.lastDone("a") != nil) == isDone)
        #expect(bench.reports.contains("unanswered") == !isDone)
    }

    @Test func whoLeavesIsNotReported() {
        #expect(Self.lines([10], [(30, .studyLeft), (100, .tick)]) == Self.closed)
    }

    /// What the log knows after a restart at minute 60 of a device that was off since
    /// the given minute.
    @Test(arguments: [(20, true), (39, true), (40, false), (50, false)])
    func aRestartReportsItWhereTheRunBeforeCouldNot(offSince: Int, isReported: Bool) {
        var scheduler = Scheduler(plan: Self.plan([10]), outcomes: ["a/1": .expired], presented: ["a/1"])
        let effects = scheduler.handle(
            .wasOff(from: Sample.after(offSince), to: Sample.after(60)), at: Sample.after(60))
        #expect(SchedulerTests.words(effects) == (isReported ? ["unanswered a/1"] : []))
    }

    /// The same of one that closed at 60, while the device was off until 70: timed out at 40.
    @Test(arguments: [(39, true), (40, false), (45, false)])
    func aPromptThatClosedMeanwhileIsNotReportedAgain(offSince: Int, isReported: Bool) {
        var scheduler = Scheduler(plan: Sample.plan([SchedulerCallTests.task("a")]), presented: ["a/1"])
        let effects = scheduler.handle(
            .wasOff(from: Sample.after(offSince), to: Sample.after(70)), at: Sample.after(70))
        #expect(SchedulerTests.words(effects) == (isReported ? ["unanswered a/1"] : []) + ["expired a/1"])
    }

    /// The same of a prompt that is still open: closed at 60, timed out at 40.
    @Test(arguments: [(39, true), (40, false), (45, false)])
    func aPromptThatIsOpenIsNotReportedAgainAfterARestart(offSince: Int, isReported: Bool) {
        var scheduler = Scheduler(plan: Sample.plan([SchedulerCallTests.task("a")]), presented: ["a/1"])
        let effects = scheduler.handle(
            .wasOff(from: Sample.after(offSince), to: Sample.after(50)), at: Sample.after(50))
        #expect(SchedulerTests.words(effects) == (isReported ? ["unanswered a/1"] : []))
    }
}
