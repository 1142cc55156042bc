// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Study

/// At the limits of spans: the first moment belongs to it, the last does not.
@Suite struct SchedulerLimitsTests {
    private static func occurrence(_ minute: Int, timeout: Int = 5, plannedFrom: Int? = nil) -> Occurrence {
        let due = Sample.after(minute)
        var occurrence = Occurrence(
            id: "a/1", task: "a", taskIndex: 0, number: 1, local: Zone.utc.local(due), due: due,
            expires: due + .seconds(timeout * 60))
        occurrence.calls.plannedFrom = plannedFrom.map(Sample.after)
        return occurrence
    }

    @Test(arguments: [
        (4, "missed(clock-unknown) a/1"), (5, "missed(device-off) a/1"), (59, "missed(device-off) a/1"),
        (60, "prompt a/1"),
    ])
    func aDeviceIsOffFromTheFirstMomentOnAndBackAtTheLast(minute: Int, word: String) {
        var scheduler = Scheduler(plan: Sample.plan([Sample.task("a", at: [minute], timeout: 1)]))
        _ = scheduler.handle(.tick, at: Sample.after(1))
        let effects = scheduler.handle(.wasOff(from: Sample.after(5), to: Sample.after(60)), at: Sample.after(60))
        #expect(SchedulerTests.words(effects) == [word])
    }

    @Test func anOccurrenceCanBeOpenedUntilBeforeItsEnd() {
        let end = Sample.after(15)
        var scheduler = Scheduler(plan: Sample.plan([Sample.task("a", at: [10], timeout: 5)]))
        #expect(scheduler.handle(.tick, at: Sample.after(10) - .nanoseconds(1)).isEmpty)
        #expect(SchedulerTests.words(scheduler.handle(.tick, at: Sample.after(10))) == ["prompt a/1"])
        #expect(scheduler.handle(.tick, at: end - .nanoseconds(1)).isEmpty)
        #expect(scheduler.list(at: end - .nanoseconds(1)).entries.count == 1 && scheduler.list(at: end).entries.isEmpty)
        #expect(scheduler.opening(of: "a/1", at: end) == nil)
        #expect(SchedulerTests.words(scheduler.handle(.tick, at: end)) == ["withdraw a/1", "expired a/1"])
    }

    private struct Lasting: Schedule {
        let closesWithOccurrence: Bool
        func occurrences(of task: StudyTask, in context: ScheduleContext) -> [Occurrence] {
            [SchedulerLimitsTests.occurrence(10)]
        }
    }

    /// Done or not; a clock that was put back may be before its time.
    @Test(arguments: [false, true]) func aTaskThatStaysIsInTheListFromItsTimeOn(closes: Bool) {
        let task = StudyTask(
            key: "a", index: 0, wireName: "a", name: "a", prompt: PromptText(title: "", message: ""), condition: nil,
            schedule: Lasting(closesWithOccurrence: closes), isSticky: true, content: Sample.task("a").content)
        var scheduler = Scheduler(plan: Sample.plan([task]))
        _ = SchedulerTests.run(&scheduler, [(12, .completed("a/1"))])
        func isListed(_ time: Instant) -> Bool { !scheduler.list(at: time).entries.isEmpty }
        let (due, end) = (Sample.after(10), Sample.after(15))
        #expect(!isListed(due - .nanoseconds(1)) && isListed(due))
        #expect(isListed(end - .nanoseconds(1)) && isListed(end) != closes)
    }

    /// Ten minutes are a jump, less is a correction, after which nothing is presented twice.
    @Test(arguments: [(599, false), (600, true)]) func aJumpIsOneFromTenMinutesOn(seconds: Int, isReturned: Bool) {
        var scheduler = Scheduler(plan: Sample.plan([Sample.task("a", at: [10], timeout: 60)]))
        _ = scheduler.handle(.tick, at: Sample.after(5))
        let ahead = Sample.after(5) + .seconds(seconds)
        #expect(
            SchedulerTests.words(scheduler.handle(.clockJumped(by: .seconds(seconds)), at: ahead)) == ["prompt a/1"])
        let effects = scheduler.handle(.clockJumped(by: .seconds(-seconds)), at: Sample.after(5))
        #expect(SchedulerTests.words(effects) == (isReturned ? ["withdraw a/1", "returned a/1"] : []))
    }

    /// A night without power is taken for a jump ahead as long as no clock contradicts.
    @Test(arguments: [(599, false), (600, true)]) func aCorrectionAfterANightWithoutPowerIsOneBelowTenMinutes(
        seconds: Int, isReturned: Bool
    ) {
        var scheduler = Scheduler(plan: Sample.plan([Sample.task("a", at: [510], timeout: 60)]))
        _ = scheduler.handle(.wasOff(from: Sample.after(5), to: Sample.after(485)), at: Sample.after(485))
        #expect(SchedulerTests.words(scheduler.handle(.tick, at: Sample.after(510))) == ["prompt a/1"])
        let back = Sample.after(510) - .seconds(seconds)
        let effects = scheduler.handle(.clockJumped(by: .seconds(-seconds)), at: back)
        #expect(SchedulerTests.words(effects) == (isReturned ? ["withdraw a/1", "returned a/1"] : []))
    }

    /// The same where the clock of the last run was ahead of this one's.
    @Test(arguments: [(599, false), (600, true)]) func aLastRunThatLiesAheadByTenMinutesWasWrong(
        seconds: Int, isReturned: Bool
    ) {
        var scheduler = Scheduler(
            plan: Sample.plan([Sample.task("a", at: [10], timeout: 1)]), outcomes: ["a/1": .expired])
        let now = Sample.after(5)
        let effects = scheduler.handle(.wasOff(from: now + .seconds(seconds), to: now), at: now)
        #expect(SchedulerTests.words(effects) == (isReturned ? ["returned a/1"] : []))
        #expect(scheduler.ledger.expired == (isReturned ? 0 : 1))
    }

    /// Jumped over unseen once more, what was returned ends as it had ended, also by another version of the study.
    @Test(arguments: [(Outcome.expired, false), (.expired, true), (.declined, false), (.declined, true)])
    func whatWasReturnedAndIsNotSeenEndsAsItHadEnded(outcome: Outcome, isReplanned: Bool) {
        let plan = Sample.plan([Sample.task("a", at: [10], timeout: 1)])
        var scheduler = Scheduler(plan: plan, outcomes: ["a/1": outcome])
        let now = Sample.after(5)
        let returned = scheduler.handle(.wasOff(from: now + .seconds(600), to: now), at: now)
        guard outcome == .expired else { return #expect(returned.isEmpty) }
        #expect(SchedulerTests.words(returned) == ["returned a/1"])
        if isReplanned { _ = scheduler.handle(.replanned(plan), at: now) }
        let effects = scheduler.handle(.wasOff(from: Sample.after(6), to: Sample.after(60)), at: Sample.after(60))
        #expect(SchedulerTests.words(effects) == ["expired a/1"])
    }

    /// Twenty minutes ahead, and some of that back: as long as ten are left it is still ahead.
    @Test(arguments: [(599, 601, true), (600, 600, true), (601, 599, false), (1200, 0, false), (1300, 0, false)])
    func aClockIsAheadWhileTenMinutesOfItsJumpsAreLeft(back: Int, left: Int, isAhead: Bool) {
        var lead = ClockLead()
        #expect(lead.addJump(by: .seconds(1200), at: Sample.after(20)) == nil && lead.origin == Sample.start)
        let now = Sample.after(20) - .seconds(back)
        #expect(lead.addJump(by: .seconds(-back), at: now) == max(Sample.start, now))
        #expect(lead.ahead == .seconds(left) && lead.origin == (isAhead ? Sample.start : nil))
    }

    /// Two jumps of less than ten minutes make one: what fell due within the first did so too early as well.
    @Test func smallJumpsAheadAreTakenBackTogether() {
        let tasks = [Sample.task("a", at: [3], timeout: 60), Sample.task("b", at: [10], timeout: 60, index: 1)]
        var scheduler = Scheduler(plan: Sample.plan(tasks))
        _ = scheduler.handle(.tick, at: Sample.start)
        for jump in 1...2 {
            _ = scheduler.handle(.clockJumped(by: .seconds(400)), at: Sample.start + .seconds(400 * jump))
        }
        let effects = scheduler.handle(.clockJumped(by: .seconds(-800)), at: Sample.start)
        #expect(
            SchedulerTests.words(effects).filter { $0.hasPrefix("returned") } == ["returned a/1", "returned b/1"])
    }

    /// What fell due by the right clock between two small jumps stays due.
    @Test func theLeadBeginsWhereTheRightClockWas() {
        var lead = ClockLead()
        _ = lead.addJump(by: .seconds(400), at: Sample.after(30))
        #expect(lead.origin == nil)
        _ = lead.addJump(by: .seconds(400), at: Sample.after(60))
        #expect(lead.origin == Sample.after(60) - .seconds(800))
    }

    /// What falls due at the very moment to which the clock went back was due.
    @Test func whatIsDueAtTheMomentOfTheReturnStands() {
        var scheduler = Scheduler(plan: Sample.plan([Sample.task("a", at: [10, 11], timeout: 60)]))
        _ = scheduler.handle(.tick, at: Sample.after(5))
        _ = scheduler.handle(.clockJumped(by: .seconds(1800)), at: Sample.after(35))
        let effects = scheduler.handle(.clockJumped(by: .seconds(-1500)), at: Sample.after(10))
        #expect(SchedulerTests.words(effects).filter { $0.hasPrefix("returned") } == ["returned a/2"])
    }

    @Test func aPlannedAlarmIsToldFromItsBeginningUntilItIsDue() {
        let tasks = Sample.plan([Sample.task("a")]).tasks
        let scheduler = Scheduler(
            plan: Plan(tasks: Array(tasks.values), occurrences: [Self.occurrence(60, plannedFrom: 30)]))
        var watch = PlanWatch(nil)
        func count(_ now: Instant) -> Int { watch.takeReports(scheduler, at: now).count }
        #expect(count(Sample.after(30) - .nanoseconds(1)) == 0)
        #expect(count(Sample.after(30)) == 1)
        #expect(count(Sample.after(60) - .nanoseconds(1)) == 0)
        #expect(count(Sample.after(60)) == 1 && watch.sent.isEmpty)
    }

    @Test func aTextIsAnnouncedFromItsOpeningUntilBeforeItCloses() {
        let text = ResourceWatchTests.resource("t", ResourceWatchTests.days(1, 2))
        let (opens, closes) = (Sample.instant(2026, 3, 3, 0, 0), Sample.instant(2026, 3, 4, 0, 0))
        func announced(_ now: Instant) -> Int {
            var watch = ResourceWatch([text], announced: [])
            return watch.takeOpened(at: now, in: Sample.context()).count
        }
        #expect(
            [opens - .nanoseconds(1), opens, closes - .nanoseconds(1), closes].map(announced) == [0, 1, 1, 0])
        for (seconds, isForgotten) in [(599, false), (600, true)] {
            var watch = ResourceWatch([text], announced: ["t"])
            watch.goBack(to: opens - .seconds(seconds), in: Sample.context())
            #expect(watch.announced.isEmpty == isForgotten)
        }
    }

    /// Nothing is to come while a study is paused: it is not known when it goes on.
    @Test func aPausedStudyHasNoNextPrompts() {
        var scheduler = Scheduler(plan: Sample.plan([Sample.task("a", at: [10, 20, 30])]))
        _ = scheduler.handle(.tick, at: Sample.after(15))
        #expect(scheduler.upcoming(5).map(\.id) == ["a/2", "a/3"])
        _ = scheduler.handle(.paused(true), at: Sample.after(16))
        #expect(scheduler.upcoming(5).isEmpty)
        _ = scheduler.handle(.paused(false), at: Sample.after(25))
        #expect(scheduler.upcoming(5).map(\.id) == ["a/3"])
        #expect(Scheduler(plan: Sample.plan([Sample.task("a", at: [10])]), isPaused: true).upcoming(5).isEmpty)
    }

    // MARK: - Another zone

    private static func plan(_ dues: [(minute: Int, local: Int)], timeout: Int = 60) -> Plan {
        let task = Sample.task("a")
        let occurrences = dues.enumerated().map { number, due in
            Occurrence(
                id: "a/\(number + 1)", task: "a", taskIndex: 0, number: number + 1,
                local: Zone.utc.local(Sample.after(due.local)), due: Sample.after(due.minute),
                expires: Sample.after(due.minute + timeout))
        }
        return Plan(tasks: [task], occurrences: occurrences.sorted { $0.due < $1.due })
    }

    /// The same time of day in another zone: what was given out stands at its moment, whether it is
    /// over or open, and what is to come moves.
    @Test func whatWasGivenOutStandsInAnotherZone() {
        let before = Self.plan([(10, 10), (100, 100), (200, 200)])
        let after = Self.plan([(-350, 10), (-260, 100), (-160, 200)])
        let kept = after.keeping(before.occurrences.prefix(2), over: ["a/1"])
        #expect(kept.occurrences.map(\.id) == ["a/3", "a/1", "a/2"])
        #expect(kept.occurrences.map(\.due) == [Sample.after(-160), Sample.after(10), Sample.after(100)])
        #expect(kept.occurrences.map(\.expires) == [Sample.after(-100), Sample.after(70), Sample.after(160)])
    }

    /// What goes with a prompt that was given out goes along: a row of the log knows
    /// its times alone.
    @Test func remindersStayWithTheirPrompt() {
        var old = Self.occurrence(10)
        let logged = old
        old.calls.reminders = [Sample.after(12), Sample.after(14)]
        old.calls.silentFrom = Sample.after(20)
        let plan = Plan(tasks: [Sample.task("a")], occurrences: [old])
        #expect(plan.keeping([logged], over: []).occurrences == [old])
        let moved = Occurrence(
            id: "a/1", task: "a", taskIndex: 0, number: 1, local: old.local, due: old.due - .seconds(3600),
            expires: nil)
        var other = moved
        other.calls.reminders = old.reminders.map { $0 - .seconds(3600) }
        let kept = Plan(tasks: [Sample.task("a")], occurrences: [other]).keeping([logged], over: []).occurrences[0]
        #expect(kept.due == old.due && kept.reminders == old.reminders && kept.expires == old.expires)
    }

    /// A plan that no longer has what is open does not take it away; of a task that is gone it
    /// says how that ended.
    @Test func whatIsOpenIsKeptToItsEnd() {
        let (open, other) = (Self.plan([(10, 10), (40, 40)]).occurrences, Sample.task("b"))
        let plan = Plan(tasks: [Sample.task("a")], occurrences: [open[1]])
        #expect(plan.retaining(open).occurrences.map(\.id) == ["a/1", "a/2"])
        #expect(plan.retaining([]).occurrences == plan.occurrences)
        #expect(Plan(tasks: [other], occurrences: []).retaining(open).occurrences.isEmpty)
    }

    /// What lay ahead of the change and would lie behind it falls due at the change; what has
    /// passed is passed.
    @Test(arguments: [(49, 10), (50, 10), (51, 50), (100, 50)]) func nothingIsGivenAPast(before: Int, due: Int) {
        let (plan, passedOver) = Self.plan([(10, 10)], timeout: 20).crossing(
            from: Self.plan([(before, 10)], timeout: 20), at: Sample.after(50))
        #expect(plan.occurrences[0].due == Sample.after(due) && passedOver.isEmpty == (due == 10))
        #expect(plan.occurrences[0].expires == Sample.after(due == 10 ? 30 : 50))
    }

    @Test func whatAChangeOfZonePassesOverSaysSo() {
        let (plan, passedOver) = Self.plan([(10, 10), (40, 40)], timeout: 20).crossing(
            from: Self.plan([(100, 10), (130, 40)], timeout: 20), at: Sample.after(50))
        var scheduler = Scheduler(plan: plan, passedOver: passedOver)
        // The first is over by then, the second is open for ten minutes more.
        #expect(
            SchedulerTests.words(scheduler.handle(.tick, at: Sample.after(55)))
                == ["missed(zone-changed) a/1", "prompt a/2"])
        #expect(SchedulerTests.words(scheduler.handle(.tick, at: Sample.after(60))) == ["withdraw a/2", "expired a/2"])
    }
}
