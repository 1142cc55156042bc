// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Study

/// A prompt that ran out while the device lay on a table was not seen: it is no refusal.
@Suite struct SchedulerNotWornTests {
    /// Due at minute 10, over at minute 40.
    private static func end(_ script: [(Int, Scheduler.Event)]) -> String? {
        SchedulerTests.lines([Sample.task("a", at: [10], timeout: 30)], script + [(60, .tick)]).last
    }

    private static func since(_ minute: Int) -> Scheduler.Event { .notWorn(since: Sample.after(minute)) }

    /// Wear is known an hour late: what counts is since when.
    @Test(arguments: [(0, 1), (5, 39), (9, 11), (10, 20), (10, 39)])
    func notWornFromWhenItWasDueToItsEndIsNotWorn(since: Int, known: Int) {
        #expect(Self.end([(known, Self.since(since))]) == "40: withdraw a/1, missed(not-worn) a/1")
    }

    @Test(arguments: [
        [(20, since(11))], [(20, since(5)), (39, .notWorn(since: nil))],
        [(20, since(5)), (30, .notWorn(since: nil)), (39, since(31))], [(41, since(5))],
    ])
    func wornAtAnyMomentOfItIsExpired(script: [(Int, Scheduler.Event)]) {
        #expect(Self.end(script) == "40: withdraw a/1, expired a/1")
    }

    @Test func whatWasBegunOrAnsweredEndsAsItWould() {
        #expect(Self.end([(20, Self.since(5)), (25, .opened("a/1")), (26, .left("a/1"))]) == "40: interrupted a/1")
        #expect(Self.end([(20, Self.since(5)), (25, .completed("a/1"))]) == "25: withdraw a/1, completed a/1")
    }

    @Test func whatKeptItFromBeingPresentedIsTheReason() {
        #expect(Self.end([(5, Self.since(0)), (6, .prompts(false))]) == "40: missed(prompts-off) a/1")
    }

    /// The sensors say it once, and an update of the study comes behind it.
    @Test func anotherVersionKnowsThatTheDeviceIsNotWorn() {
        let plan = Sample.plan([Sample.task("a", at: [10], timeout: 30)])
        var old = Scheduler(plan: plan)
        _ = SchedulerTests.run(&old, [(0, .tick), (5, Self.since(4)), (12, .tick)])
        var renewed = Scheduler(plan: plan, presented: ["a/1"])
        renewed.keepWear(of: old)
        let lines = SchedulerTests.run(&renewed, [(13, .tick), (60, .tick)])
        #expect(lines.last?.hasSuffix("missed(not-worn) a/1") == true, "\(lines)")
    }

    @Test func aClockThatIsSetTakesTheTimeAlong() {
        let ahead: [(Int, Scheduler.Event)] = [(0, .tick), (4, Self.since(3)), (5, .clockJumped(by: .seconds(360)))]
        // Minute 3 of the old clock is minute 9 of the new one.
        #expect(Self.end(ahead) == "40: withdraw a/1, missed(not-worn) a/1")
        let further: [(Int, Scheduler.Event)] = [(0, .tick), (4, Self.since(3)), (5, .clockJumped(by: .seconds(480)))]
        #expect(Self.end(further) == "40: withdraw a/1, expired a/1")
    }
}
