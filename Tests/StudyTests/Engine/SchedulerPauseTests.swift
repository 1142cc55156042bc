// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Study

@Suite struct SchedulerPauseTests {
    static func lines(_ tasks: [StudyTask], _ script: [(Int, Scheduler.Event)]) -> [String] {
        SchedulerTests.lines(tasks, script)
    }

    @Test func whatFallsDueInAPauseIsMissedForThatReasonOrSignalledAfterwards() {
        let lines = Self.lines(
            [Sample.task("a", at: [10, 60], timeout: 30), Sample.task("b", at: [70])],
            [(5, .paused(true)), (80, .paused(false)), (200, .tick)])
        #expect(
            lines == [
                "40: missed(study-paused) a/1", "80: prompt a/2, prompt b/1", "90: withdraw a/2, expired a/2",
            ])
    }

    @Test func aPauseEndsASignalWhichComesAgainAfterwards() {
        let lines = Self.lines(
            [Sample.task("a", at: [10], timeout: 30)],
            [(15, .paused(true)), (20, .paused(false)), (25, .completed("a/1"))])
        #expect(lines == ["10: prompt a/1", "15: withdraw a/1", "20: prompt a/1", "25: withdraw a/1, completed a/1"])
    }

    @Test func nothingCanBeBegunInAPauseAndWhatWasBegunIsSubmitted() {
        var scheduler = Scheduler(plan: Sample.plan([Sample.task("a", at: [10])]))
        _ = SchedulerTests.run(&scheduler, [(10, .tick), (11, .opened("a/1")), (12, .paused(true))])
        #expect(scheduler.list(at: Sample.after(12)).entries.isEmpty)
        #expect(SchedulerTests.words(scheduler.handle(.completed("a/1"), at: Sample.after(13))) == ["completed a/1"])
    }

    @Test func aPauseOutlastsARestart() {
        let plan = Sample.plan([Sample.task("a", at: [10], timeout: 30)])
        var scheduler = Scheduler(plan: plan, isPaused: true)
        #expect(SchedulerTests.run(&scheduler, [(60, .tick)]) == ["40: missed(study-paused) a/1"])
    }
}
