// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Study

@Suite struct PromptSwitchesTests {
    private static func switches(_ list: (Bool, Int)...) -> PromptSwitches {
        PromptSwitches(list.map { (on: $0.0, at: Sample.after($0.1)) })
    }

    @Test(arguments: [(14, false), (15, true), (29, true), (30, false), (50, true), (90, true)])
    func promptsAreOffFromTheSwitchUntilTheNext(minute: Int, areOff: Bool) {
        let switches = Self.switches((false, 15), (false, 20), (true, 30), (true, 40), (false, 50))
        #expect(switches.wereOff(at: Sample.after(minute), by: Sample.after(100)) == areOff)
    }

    @Test(arguments: [(29, false), (30, true)]) func whatEndedInTheFutureDoesNotCount(now: Int, areOff: Bool) {
        let switches = Self.switches((false, 15), (true, 30))
        #expect(switches.wereOff(at: Sample.after(20), by: Sample.after(now)) == areOff)
    }

    @Test func aRestartSignalsNothingThatFellDueWhilePromptsWereOff() {
        var scheduler = Scheduler(
            plan: Sample.plan([Sample.task("a", at: [10, 20, 40], timeout: 25)]), presented: ["a/1"],
            switches: Self.switches((false, 15), (true, 30)))
        let first = scheduler.handle(.tick, at: Sample.after(32))
        #expect(SchedulerTests.words(first) == ["prompt a/1"])
        #expect(
            SchedulerTests.run(&scheduler, [(100, .tick)]) == [
                "35: withdraw a/1, expired a/1", "40: prompt a/3", "45: missed(prompts-off) a/2",
                "65: withdraw a/3, expired a/3",
            ])
    }

    @Test func aTaskThatIsLockedAtTheRestartIsSignalledOnceItOpens() {
        let tasks = [Sample.task("a", at: [5]), Sample.task("b", unlocked: Completed(["a"]), at: [10])]
        var scheduler = Scheduler(plan: Sample.plan(tasks), switches: Self.switches((false, 8), (true, 12)))
        let first = scheduler.handle(.tick, at: Sample.after(20))
        #expect(SchedulerTests.words(first) == ["prompt a/1"])
        #expect(
            SchedulerTests.run(&scheduler, [(30, .completed("a/1"))]) == [
                "30: withdraw a/1, completed a/1, prompt b/1"
            ])
    }

    /// Due at minute 10, over at 40; prompts have been off since minute 5.
    @Test(arguments: [(8, "device-off"), (11, "prompts-off")])
    func whatRanOutWhileTheDeviceWasOffWasMissedForTheFirstReason(offSince: Int, reason: String) {
        var scheduler = Scheduler(
            plan: Sample.plan([Sample.task("a", at: [10], timeout: 30)]), promptsAreOn: false,
            switches: Self.switches((false, 5)))
        let effects = scheduler.handle(
            .wasOff(from: Sample.after(offSince), to: Sample.after(60)), at: Sample.after(60))
        #expect(SchedulerTests.words(effects) == ["missed(\(reason)) a/1"])
    }
}
