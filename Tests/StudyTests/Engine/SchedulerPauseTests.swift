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

    /// A prompt from the tenth minute to the fortieth, and the minutes of a pause.
    @Test(
        arguments: [
            (15, 60, "40: missed(study-paused) a/1"), (39, 60, "40: missed(study-paused) a/1"),
            (15, 40, "40: missed(study-paused) a/1"), (15, 39, "40: withdraw a/1, expired a/1"),
            (40, 60, "40: withdraw a/1, expired a/1"),
        ] as [(Int, Int, String)])
    func whatWasSignalledAndRunsOutInAPauseIsMissedForThatReason(from: Int, to: Int, end: String) {
        let script: [(Int, Scheduler.Event)] = [(from, .paused(true)), (to, .paused(false)), (100, .tick)]
        #expect(Self.lines([Sample.task("a", at: [10], timeout: 30)], script).last == end)
    }

    /// Whether the device was worn says nothing about a prompt that could not be answered.
    @Test func whatWasDoneBeforeAPauseIsKept() {
        func last(_ before: [(Int, Scheduler.Event)]) -> String? {
            Self.lines([Sample.task("a", at: [10], timeout: 30)], before + [(15, .paused(true)), (100, .tick)]).last
        }
        #expect(last([(14, .completed("a/1"))]) == "14: withdraw a/1, completed a/1")
        #expect(last([(12, .opened("a/1")), (13, .left("a/1"))]) == "40: interrupted a/1")
        #expect(last([(5, .notWorn(since: Sample.after(5)))]) == "40: missed(study-paused) a/1")
    }

    @Test func nothingCanBeBegunInAPauseAndWhatWasBegunIsSubmitted() {
        var scheduler = Scheduler(plan: Sample.plan([Sample.task("a", at: [10])]))
        _ = SchedulerTests.run(&scheduler, [(10, .tick), (11, .opened("a/1")), (12, .paused(true))])
        #expect(scheduler.list(at: Sample.after(12)).entries.isEmpty)
        #expect(SchedulerTests.words(scheduler.handle(.completed("a/1"), at: Sample.after(13))) == ["completed a/1"])
    }

    @Test(arguments: [[], ["a/1"]] as [Set<String>]) func aPauseOutlastsARestart(presented: Set<String>) {
        let plan = Sample.plan([Sample.task("a", at: [10], timeout: 30)])
        var scheduler = Scheduler(plan: plan, presented: presented, isPaused: true)
        #expect(SchedulerTests.run(&scheduler, [(60, .tick)]) == ["40: missed(study-paused) a/1"])
    }
}
