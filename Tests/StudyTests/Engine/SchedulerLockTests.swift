// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Study

/// Prompts with reminders after 5 and 10 minutes, of a platform that drops what comes while its
/// task is locked, or does not.
private struct Called: Schedule {
    let minutes: [Int]
    let isHidden: Bool
    let waitsWhileLocked: Bool

    func occurrences(of task: StudyTask, in context: ScheduleContext) -> [Occurrence] {
        minutes.enumerated().map { number, minute in
            let due = Sample.after(minute)
            var occurrence = Occurrence(
                id: "\(task.key)/\(number + 1)", task: task.key, taskIndex: 0, number: 1, local: Zone.utc.local(due),
                due: due, expires: Sample.after(minute + 50), isHidden: isHidden)
            occurrence.calls.reminders = [due + .seconds(300), due + .seconds(600)]
            return occurrence
        }
    }
}

@Suite struct SchedulerLockTests {
    private static func scheduler(
        _ minutes: [Int], isHidden: Bool = true, waits: Bool = false, hours: OpenHours? = nil
    ) -> Scheduler {
        var task = StudyTask(
            key: "a", index: 0, wireName: "a", name: "a", prompt: PromptText(title: "a", message: ""), condition: nil,
            schedule: Called(minutes: minutes, isHidden: isHidden, waitsWhileLocked: waits), unlocked: Completed(["b"]),
            content: Sample.task("a", at: []).content)
        task.opening = OpeningRules()
        task.opening?.hours = hours
        var facts = StudyFacts(completedTasks: hours == nil ? [] : ["b"])
        facts.setting = FactSetting(enrolment: Sample.enrolment(), zone: .utc, now: Sample.start)
        return Scheduler(plan: Sample.plan([task]), facts: facts)
    }

    private static func facts(_ scheduler: Scheduler, done: Set<String>) -> Scheduler.Event {
        var facts = scheduler.facts
        facts.completedTasks = done
        return .facts(facts)
    }

    /// schema's `unlock_after` waits; ESMira's app skips
    /// (`ActionTrigger.issueInvitationNotification`, ESMira-apps f750e58).
    @Test func whetherALockedPromptWaitsIsSaidByThePlatform() {
        var waiting = Self.scheduler([10], waits: true)
        let unlock = Self.facts(waiting, done: ["b"])
        #expect(SchedulerTests.run(&waiting, [(0, .tick), (12, unlock)]) == ["12: prompt a/1"])
        var gone = Self.scheduler([10])
        #expect(SchedulerTests.run(&gone, [(0, .tick), (12, unlock), (60, .tick)]) == ["10: missed(locked) a/1"])
    }

    @Test func aRunOfItsOwnStaysInTheListInSilence() {
        var scheduler = Self.scheduler([10], isHidden: false)
        let unlock = Self.facts(scheduler, done: ["b"])
        #expect(SchedulerTests.run(&scheduler, [(0, .tick), (12, unlock), (30, .tick)]).isEmpty)
        #expect(scheduler.list(at: Sample.after(30)).entries.map(\.task) == ["a"])
        #expect(SchedulerTests.run(&scheduler, [(70, .tick)]) == ["60: missed(locked) a/1"])
    }

    @Test func theReminderThatFindsItsTaskLockedIsTheLast() {
        var scheduler = Self.scheduler([10])
        let (unlock, lock) = (Self.facts(scheduler, done: ["b"]), Self.facts(scheduler, done: []))
        #expect(
            SchedulerTests.run(&scheduler, [(0, unlock), (12, lock), (17, unlock), (30, .tick)])
                == ["10: prompt a/1"])
        var waiting = Self.scheduler([10], waits: true)
        #expect(
            SchedulerTests.run(&waiting, [(0, unlock), (12, lock), (17, unlock), (30, .tick)])
                == ["10: prompt a/1", "20: remind a/1"])
    }

    /// From 10:00 to 10:15, both ends included; it began at 10:00.
    @Test func theHoursAreAskedAtEverySignalAndOpening() {
        let hours = OpenHours(start: 36_000_000, end: 36_900_000)
        var scheduler = Self.scheduler([10, 40], isHidden: false, hours: hours)
        #expect(
            SchedulerTests.run(&scheduler, [(0, .tick), (15, .tick)]) == ["10: prompt a/1", "15: remind a/1"])
        #expect(scheduler.list(at: Sample.after(15)).entries.count == 1)
        // Its end is a moment at which there is something to do.
        #expect(scheduler.wake == Sample.after(15) + .milliseconds(1))
        #expect(SchedulerTests.run(&scheduler, [(16, .tick), (45, .tick)]).isEmpty)
        #expect(scheduler.list(at: Sample.after(45)).entries.isEmpty)
    }

    @Test func ofTwoAtOneMomentOneStandsForBothAndOneBeforeJoiningIsBookedSo() {
        var twice = Self.scheduler([10, 10])
        let unlock = Self.facts(twice, done: ["b"])
        #expect(
            SchedulerTests.run(&twice, [(0, unlock), (11, .tick)]) == ["10: missed(replaced) a/1, prompt a/2"])
        var early = Self.scheduler([-60, -30])
        #expect(
            SchedulerTests.words(early.handle(unlock, at: Sample.start))
                == ["missed(before-enrolment) a/1", "prompt a/2"])
    }

    @Test(arguments: [
        (79_200_000, 7_200_000, 22, true), (79_200_000, 7_200_000, 1, true), (79_200_000, 7_200_000, 12, false),
        (0, 86_400_000, 0, true), (0, 86_400_000, 23, true), (36_000_000, 36_000_000, 10, true),
        (36_000_000, 86_400_000, 0, false),
    ])
    func hoursMayRunOverMidnight(_ start: Int, _ end: Int, _ hour: Int, _ isIn: Bool) throws {
        let now = LocalDateTime(Zone.utc.local(Sample.start).date, try #require(LocalTime(hour: hour, minute: 0)))
        #expect(OpenHours(start: start, end: end).contains(now.instant(offset: 0), in: .utc) == isIn)
    }

    /// Minutes after ten, and a millisecond behind a last one that is included: from 9:00 to 11:00,
    /// from 22:00 to 2:00, and the whole day.
    @Test(
        arguments: [
            (32_400_000, 39_600_000, 0, 60, 1), (32_400_000, 39_600_000, 60, 60, 1),
            (32_400_000, 39_600_000, 61, 23 * 60, 0), (79_200_000, 7_200_000, 0, 12 * 60, 0),
            (79_200_000, 7_200_000, 12 * 60, 16 * 60, 1), (0, 86_400_000, 0, 14 * 60, 0),
        ] as [(Int, Int, Int, Int, Int)])
    func hoursChangeWhenTheyBeginAndAfterTheirEnd(
        _ start: Int, _ end: Int, _ now: Int, _ next: Int, _ milliseconds: Int
    ) {
        #expect(
            OpenHours(start: start, end: end).nextChange(after: Sample.after(now), in: .utc)
                == Sample.after(next) + .milliseconds(milliseconds))
    }

    /// A task that was done from the list, for no prompt, is done all the same.
    @Test func aRunThatAnswersNoPromptUnlocksWhatWaitsForIt() {
        var scheduler = Self.scheduler([10], waits: true)
        #expect(
            SchedulerTests.run(&scheduler, [(0, .tick), (12, .completedAgain(task: "b"))]) == ["12: prompt a/1"])
        #expect(scheduler.facts.completedTasks == ["b"] && scheduler.ledger.selfStarted == 1)
    }

    /// From nine to eleven, as a new version of the study has it; the old one was open all day.
    @Test func hoursOfAnotherVersionAreLookedAt() {
        var facts = StudyFacts()
        facts.setting = FactSetting(enrolment: Sample.enrolment(), zone: .utc, now: Sample.start)
        var task = Sample.task("a")
        var access = TaskAccess([task.key: task], retired: [], facts: facts, isPaused: false)
        access.setNow(Sample.start)
        #expect(access.nextOpening == nil && access.isUnlocked("a"))
        task.opening = OpeningRules()
        task.opening?.hours = OpenHours(start: 32_400_000, end: 39_600_000)
        access.adopt(Plan(tasks: [task], occurrences: []))
        #expect(access.nextOpening == Sample.after(60) + .milliseconds(1) && access.isUnlocked("a"))
        access.setNow(Sample.after(61))
        #expect(!access.isUnlocked("a") && access.nextOpening == Sample.after(23 * 60))
    }
}
