// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Study

/// Tasks that are taken out of a study while it runs.
@Suite struct SchedulerRetirementTests {
    @Test func whatIsOpenEndsAtOnceAndNothingMoreIsPrompted() {
        let lines = SchedulerTests.lines(
            [Sample.task("a", at: [10, 60], timeout: 30), Sample.task("b", at: [20, 70], timeout: 30)],
            [(25, .retired(["a"])), (26, .retired(["a"])), (200, .tick)])
        #expect(
            lines == [
                "10: prompt a/1", "20: prompt b/1", "25: withdraw a/1, missed(deleted) a/1",
                "50: withdraw b/1, expired b/1", "70: prompt b/2", "100: withdraw b/2, expired b/2",
            ])
    }

    @Test func aRunUnderWayMayBeSubmittedAndOneThatIsLeftEnds() {
        let task = Sample.task("a", at: [10], timeout: 300)
        let submitted = SchedulerTests.lines(
            [task], [(11, .opened("a/1")), (12, .retired(["a"])), (13, .completed("a/1"))])
        #expect(submitted == ["10: prompt a/1", "11: withdraw a/1", "13: completed a/1"])
        let left = SchedulerTests.lines([task], [(11, .opened("a/1")), (12, .retired(["a"])), (13, .left("a/1"))])
        #expect(left == ["10: prompt a/1", "11: withdraw a/1", "13: interrupted a/1"])
    }

    @Test func itLeavesTheListForEverAlsoWhereItWasSticky() {
        let tasks = [Sample.task("a", sticky: true, at: [0]), Sample.task("b", at: [0])]
        var scheduler = Scheduler(plan: Sample.plan(tasks))
        _ = SchedulerTests.run(&scheduler, [(1, .tick)])
        #expect(scheduler.list(at: Sample.after(1)).entries.map(\.task) == ["b", "a"])
        _ = SchedulerTests.run(&scheduler, [(2, .retired(["a"])), (3, .replanned(Sample.plan(tasks)))])
        #expect(scheduler.list(at: Sample.after(3)).entries.map(\.task) == ["b"])
        #expect(scheduler.ledger.isBalanced)
    }
}
