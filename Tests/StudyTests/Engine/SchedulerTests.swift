// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Study

@Suite struct SchedulerTests {
    /// Effects as short words: `prompt a/1`, `withdraw a/1`, `expired a/1`,
    /// `missed(device-off) a/1`.
    static func words(_ effects: [Scheduler.Effect]) -> [String] {
        effects.map { effect in
            switch effect {
            case .prompt(let occurrence): "prompt " + occurrence.id
            case .withdraw(let occurrence): "withdraw " + occurrence.id
            case .outcome(let occurrence, let outcome):
                outcome.name + (outcome.reason.map { "(\($0.rawValue))" } ?? "") + " " + occurrence.id
            case .remind(let occurrence): "remind " + occurrence.id
            case .unanswered(let occurrence): "unanswered " + occurrence.id
            case .returned(let occurrence): "returned " + occurrence.id
            }
        }
    }

    /// Runs a script of (minute, event) and gives what happened, `minute: effects`, with ticks at
    /// every wake between.
    static func run(_ scheduler: inout Scheduler, _ script: [(Int, Scheduler.Event)]) -> [String] {
        var lines: [String] = []
        func note(_ at: Instant, _ effects: [Scheduler.Effect]) {
            if !effects.isEmpty {
                lines.append(
                    "\((at - Sample.start).nanoseconds / 60_000_000_000): " + words(effects).joined(separator: ", "))
            }
        }
        for (minute, event) in script {
            while let wake = scheduler.wake, wake < Sample.after(minute) {
                note(wake, scheduler.handle(.tick, at: wake))
            }
            note(Sample.after(minute), scheduler.handle(event, at: Sample.after(minute)))
            #expect(scheduler.ledger.isBalanced)
        }
        return lines
    }

    static func lines(_ tasks: [StudyTask], _ script: [(Int, Scheduler.Event)]) -> [String] {
        var scheduler = Scheduler(plan: Sample.plan(tasks))
        return run(&scheduler, script)
    }

    @Test func promptIsGivenWhenDueAndEndsWhenItsTimeRunsOut() {
        let lines = Self.lines([Sample.task("a", at: [10, 60], timeout: 30)], [(0, .tick), (200, .tick)])
        #expect(
            lines == [
                "10: prompt a/1", "40: withdraw a/1, expired a/1", "60: prompt a/2", "90: withdraw a/2, expired a/2",
            ])
    }

    @Test func completingAndDecliningEndTheSignal() {
        let lines = Self.lines(
            [Sample.task("a", at: [10, 20])],
            [(15, .opened("a/1")), (16, .completed("a/1")), (25, .declined("a/2")), (26, .completed("a/2"))])
        #expect(
            lines == [
                "10: prompt a/1", "15: withdraw a/1", "16: completed a/1", "20: prompt a/2",
                "25: withdraw a/2, declined a/2",
            ])
    }

    @Test func runThatOutlastsItsTimeMayStillBeSubmitted() {
        let task = Sample.task("a", at: [10], timeout: 5)
        #expect(
            Self.lines([task], [(12, .opened("a/1")), (30, .completed("a/1"))])
                == ["10: prompt a/1", "12: withdraw a/1", "30: completed a/1"])
        #expect(
            Self.lines([task], [(12, .opened("a/1")), (30, .left("a/1"))]).last == "30: interrupted a/1")
        #expect(
            Self.lines([task], [(12, .opened("a/1")), (13, .left("a/1")), (30, .tick)]).last == "15: interrupted a/1")
    }

    @Test func deviceThatWasOffPresentsLateWhatIsStillOpen() {
        var scheduler = Scheduler(plan: Sample.plan([Sample.task("a", at: [10, 50], timeout: 30)]))
        let effects = scheduler.handle(.wasOff(from: Sample.after(5), to: Sample.after(60)), at: Sample.after(60))
        #expect(Self.words(effects) == ["missed(device-off) a/1", "prompt a/2"])
    }

    /// From 15:00 to 18:00, due behind another prompt; off from 15:40 to 18:30, when the clock is known at once.
    @Test func whatWaitedBehindAnotherAndRanOutWhileTheDeviceWasOffWasMissedForThat() {
        let plan = Sample.plan([Sample.task("a", at: [300], timeout: 180)])
        var before = Scheduler(plan: plan)
        #expect(Self.run(&before, [(330, .delayed("a/1")), (340, .tick)]) == ["300: prompt a/1"])
        var scheduler = Scheduler(plan: plan, clockIsTrusted: false)
        let now = Sample.after(510)
        #expect(scheduler.handle(.wasOff(from: Sample.after(340), to: now), at: now).isEmpty)
        #expect(Self.words(scheduler.handle(.clock(trusted: true), at: now)) == ["missed(device-off) a/1"])
    }

    @Test func nothingFallsDueWhileTheClockIsUnknown() {
        var scheduler = Scheduler(
            plan: Sample.plan([Sample.task("a", at: [10, 50], timeout: 30)]), clockIsTrusted: false)
        #expect(scheduler.handle(.tick, at: Sample.after(500)).isEmpty)
        #expect(scheduler.wake == nil)
        #expect(scheduler.list(at: Sample.after(55)).entries.isEmpty)
        let effects = scheduler.handle(.clock(trusted: true), at: Sample.after(60))
        #expect(Self.words(effects) == ["missed(clock-unknown) a/1", "prompt a/2"])
    }

    @Test func clockThatJumpsOverAnOccurrenceIsToBlame() {
        var scheduler = Scheduler(plan: Sample.plan([Sample.task("a", at: [10], timeout: 30)]))
        _ = scheduler.handle(.tick, at: Sample.after(1))
        #expect(Self.words(scheduler.handle(.tick, at: Sample.after(300))) == ["missed(clock-unknown) a/1"])
    }

    @Test func restartIsAReplay() {
        let plan = Sample.plan([Sample.task("a", at: [10, 20, 30, 40], timeout: 60)])
        var scheduler = Scheduler(plan: plan, outcomes: ["a/1": .completed], presented: ["a/2"])
        #expect(Self.words(scheduler.handle(.tick, at: Sample.after(85))) == ["expired a/2", "prompt a/4"])
        #expect(Self.words(scheduler.handle(.tick, at: Sample.after(95))) == ["expired a/3"])
    }

    @Test func promptsOffSilencesAndOnSignalsOnlyWhatComes() {
        let lines = Self.lines(
            [Sample.task("a", at: [10, 20, 40], timeout: 25)],
            [(15, .prompts(false)), (30, .prompts(true)), (100, .tick)])
        #expect(
            lines == [
                "10: prompt a/1", "15: withdraw a/1", "35: expired a/1", "40: prompt a/3",
                "45: missed(prompts-off) a/2",
                "65: withdraw a/3, expired a/3",
            ])
    }

    @Test func anotherVersionSignalsNothingThatHadItsTurnInSilence() {
        let plan = Sample.plan([Sample.task("a", at: [10, 20, 40], timeout: 25)])
        var old = Scheduler(plan: plan)
        _ = Self.run(&old, [(15, .prompts(false)), (30, .prompts(true)), (32, .tick)])
        var renewed = Scheduler(plan: plan, presented: ["a/1"])
        renewed.keepPrompts(of: old)
        #expect(
            Self.run(&renewed, [(32, .tick), (100, .tick)]) == [
                "35: expired a/1", "40: prompt a/3", "45: missed(prompts-off) a/2", "65: withdraw a/3, expired a/3",
            ])
    }

    @Test func anotherVersionSignalsAgainWhatIsSignalledOrWaitsForThePanel() {
        let plan = Sample.plan([Sample.task("a", at: [10], timeout: 25)])
        for event in [Scheduler.Event.presented("a/1"), .delayed("a/1")] {
            var old = Scheduler(plan: plan)
            _ = Self.run(&old, [(10, .tick), (11, event)])
            var renewed = Scheduler(plan: plan)
            renewed.keepPrompts(of: old)
            #expect(Self.words(renewed.handle(.tick, at: Sample.after(12))) == ["prompt a/1"])
        }
    }

    /// Of the tasks that another version brings, one is locked and one stays in the list.
    @Test func aNewPlanBringsTheRulesOfItsTasks() {
        let task = Sample.task("a", at: [5])
        var scheduler = Scheduler(plan: Sample.plan([task]))
        _ = Self.run(&scheduler, [(6, .tick)])
        let plan = Sample.plan([
            task, Sample.task("b", unlocked: Completed(["a"]), at: [7], index: 1),
            Sample.task("c", sticky: true, label: "More", at: [7], index: 2),
        ])
        #expect(Self.run(&scheduler, [(7, .replanned(plan))]) == ["7: prompt c/1"])
        let entries = scheduler.list(at: Sample.after(7)).entries
        #expect(entries.map(\.task) == ["a", "c"] && entries.map(\.isSticky) == [false, true])
        #expect(Self.run(&scheduler, [(8, .completed("a/1"))]) == ["8: withdraw a/1, completed a/1, prompt b/1"])
    }

    @Test func lockedOccurrencesBecomePresentableTheNewestWithASignal() {
        let tasks = [
            Sample.task("a", at: [5]),
            Sample.task("b", unlocked: Completed(["a"]), at: [1, 2, 10, 30], timeout: 15, index: 1),
        ]
        let lines = Self.lines(tasks, [(12, .completed("a/1")), (100, .tick)])
        #expect(
            lines == [
                "5: prompt a/1", "12: withdraw a/1, completed a/1, prompt b/3", "16: expired b/1", "17: expired b/2",
                "25: withdraw b/3, expired b/3", "30: prompt b/4", "45: withdraw b/4, expired b/4",
            ])
        #expect(Self.lines([tasks[1]], [(100, .tick)]).first == "16: missed(locked) b/1")
    }

    @Test func repeatsOfAStickyTaskSignalAndEndWithTheNextOrAfterADay() {
        var scheduler = Scheduler(plan: Sample.plan([Sample.task("s", sticky: true, at: [10, 100, 200], timeout: 1)]))
        let lines = Self.run(&scheduler, [(50, .completed("s/1")), (2000, .tick)])
        #expect(
            lines == [
                "10: prompt s/1", "50: withdraw s/1, completed s/1", "100: prompt s/2",
                "200: withdraw s/2, expired s/2, prompt s/3", "1640: withdraw s/3, expired s/3",
            ])
        let entries = scheduler.list(at: Sample.after(2000)).entries
        #expect(entries.map(\.occurrence.id) == ["s/1"] && entries[0].answers == nil)
    }

    @Test func repeatOpensTheStickyTaskWithItsFirstTime() throws {
        var scheduler = Scheduler(plan: Sample.plan([Sample.task("s", sticky: true, at: [10, 100])]))
        _ = Self.run(&scheduler, [(50, .completed("s/1")), (101, .tick)])
        let entry = try #require(scheduler.opening(of: "s/2", at: Sample.after(101)))
        #expect(entry.occurrence.id == "s/1" && entry.answers?.id == "s/2")
        #expect(scheduler.list(at: Sample.after(101)).entries.first?.answers?.id == "s/2")
    }

    @Test func timesBeforeEnrolmentAreOpenWithoutASignal() {
        let tasks = [
            Sample.task("a", at: [-30]), Sample.task("b", at: [-30], timeout: 10),
            Sample.task("c", at: [-30], timeout: 40), Sample.task("s", sticky: true, at: [-30, -20]),
        ]
        var scheduler = Scheduler(plan: Sample.plan(tasks))
        #expect(
            Self.words(scheduler.handle(.tick, at: Sample.start))
                == ["missed(before-enrolment) b/1", "missed(before-enrolment) s/2"])
        #expect(scheduler.list(at: Sample.start).entries.map(\.occurrence.id) == ["c/1", "a/1", "s/1"])
        #expect(Self.run(&scheduler, [(20, .tick)]) == ["10: expired c/1"])
    }

    @Test func listIsInThePlatformsOrder() {
        let tasks = [
            Sample.task("s1", sticky: true, label: "X", at: [1]), Sample.task("s2", sticky: true, label: "Y", at: [2]),
            Sample.task("s3", sticky: true, label: "Y", at: [3]), Sample.task("s4", sticky: true, label: "X", at: [4]),
            Sample.task("a", at: [5, 7]), Sample.task("b", at: [6]),
            Sample.task("locked", unlocked: Completed(["a"]), at: [1]),
        ]
        var scheduler = Scheduler(plan: Sample.plan(tasks))
        _ = Self.run(&scheduler, [(10, .tick)])
        let entries = scheduler.list(at: Sample.after(10)).entries
        #expect(entries.map(\.task) == ["a", "b", "a", "s1", "s2", "s3", "s4"])
        #expect(entries.map(\.startsGroup) == [true, false, false, true, true, false, true])
    }

    @Test func promptWhoseTimeIsOverOpensNothing() {
        var scheduler = Scheduler(plan: Sample.plan([Sample.task("a", at: [10], timeout: 5)]))
        _ = Self.run(&scheduler, [(12, .tick)])
        #expect(scheduler.opening(of: "a/1", at: Sample.after(12)) != nil)
        #expect(scheduler.opening(of: "a/1", at: Sample.after(15)) == nil)
        #expect(scheduler.opening(of: "a/9", at: Sample.after(12)) == nil)
    }

    @Test func newPlanKeepsWhatHappened() {
        let old = Sample.plan([Sample.task("a", at: [10, 60], timeout: 100), Sample.task("gone", at: [5, 70])])
        var scheduler = Scheduler(plan: old)
        _ = Self.run(&scheduler, [(20, .completed("a/1"))])
        let new = Sample.plan([Sample.task("a", at: [70, 30], timeout: 100)].map { $0 })
        let effects = scheduler.handle(.replanned(new), at: Sample.after(30))
        #expect(Self.words(effects) == ["prompt a/2"])
        #expect(scheduler.ledger.due == 3 && scheduler.ledger.completed == 1 && scheduler.ledger.open == 2)
    }

    @Test func halfAYearOfFourteenPromptsADayBalances() {
        let minutes = (0..<182).flatMap { day in (1...14).map { day * 1440 + $0 * 60 } }
        let plan = Sample.plan([Sample.task("a", at: minutes, timeout: 30)])
        var scheduler = Scheduler(plan: plan)
        var prompts = 0
        var outcomes: [String: Int] = [:]
        while let wake = scheduler.wake {
            for effect in scheduler.handle(.tick, at: wake) {
                switch effect {
                case .prompt(let occurrence):
                    prompts += 1
                    if prompts % 3 == 0 {
                        for case .outcome(let done, _) in scheduler.handle(.completed(occurrence.id), at: wake) {
                            outcomes[done.id, default: 0] += 1
                        }
                    }
                case .outcome(let occurrence, _): outcomes[occurrence.id, default: 0] += 1
                case .returned(let occurrence): Issue.record("\(occurrence.id) returned")
                case .withdraw, .remind, .unanswered: break
                }
            }
        }
        #expect(prompts == 2548 && outcomes.count == 2548 && outcomes.values.allSatisfy { $0 == 1 })
        #expect(scheduler.ledger.completed == 849 && scheduler.ledger.expired == 1699 && scheduler.ledger.isBalanced)
    }

    @Test func halfAYearOfUnansweredPromptsWithoutEndPilesUp() {
        let minutes = (0..<182).flatMap { day in (1...14).map { day * 1440 + $0 * 60 } }
        var scheduler = Scheduler(plan: Sample.plan([Sample.task("a", at: minutes)]))
        while let wake = scheduler.wake { _ = scheduler.handle(.tick, at: wake) }
        #expect(scheduler.ledger.open == 2548)
        #expect(scheduler.list(at: Sample.after(1_000_000)).entries.count == 2548)
    }
}
