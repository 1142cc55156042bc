// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Agent

private func at(_ seconds: Int64) -> MonotonicTime { MonotonicTime(nanoseconds: seconds * 1_000_000_000) }
private func sign(_ name: String, _ answers: Int, bound: Int64 = 30, _ role: ThreadHeartbeat.Role = .measuring)
    -> ThreadHeartbeat
{
    ThreadHeartbeat(name, role, count: answers, bound: .seconds(bound), threadID: 7)
}

@Suite struct HangDetectorTests {
    @Test func whoTurnsIsNeverStuckAndWhoDoesNotIsAfterItsOwnBound() {
        var detector = HangDetector()
        var stuckAt: [String: Int64] = [:]
        for second in stride(from: Int64(0), through: 100, by: 5) {
            let signs = [
                sign("turning", Int(second)), sign("bus", 3), sign("loop", 1, bound: 60, .loop),
                sign("rare", Int(second / 25)),
            ]
            detector.check(signs, at: at(second))
            for stuck in detector.stuck where stuckAt[stuck.name] == nil { stuckAt[stuck.name] = second }
        }
        #expect(stuckAt == ["bus": 35, "loop": 65])
    }

    @Test(arguments: [(30, false), (31, true)] as [(Int64, Bool)])
    func aThreadMayBeSilentForAllOfItsBound(seconds: Int64, isStuck: Bool) {
        var detector = HangDetector()
        detector.check([sign("a", 1)], at: at(0))
        detector.check([sign("new", 1), sign("a", 1)], at: at(seconds))
        #expect(detector.silent == ["a"] && detector.stuck.map(\.name) == (isStuck ? ["a"] : []))
    }

    @Test func aThreadWithoutProgressIsSilentAndOneThatComesBackStartsOver() {
        var detector = HangDetector()
        detector.check([sign("a", 1), sign("b", 1)], at: at(0))
        #expect(detector.silent.isEmpty)
        detector.check([sign("a", 1), sign("b", 2)], at: at(40))
        #expect(detector.silent == ["a"] && detector.stuck.map(\.name) == ["a"])
        detector.check([sign("b", 2)], at: at(50))
        detector.check([sign("a", 1), sign("b", 3)], at: at(60))
        #expect(detector.silent.isEmpty && detector.stuck.isEmpty)
    }
}

@Suite struct RestartRuleTests {
    private let stuck = sign("bus-motion", 3)

    @Test func withoutLoopOrRecorderTheWatchdogIsNotFedWhateverWasTried() {
        var rule = RestartRule(bootID: "b")
        rule.tried = .init(bootID: "b", time: at(0))
        for role in [ThreadHeartbeat.Role.loop, .recorder] {
            let verdict = rule.verdict([sign("x", 1, role)], at: at(10)) { _ in true }
            #expect(!verdict.feeds && !verdict.tries && verdict.faults.count == 1)
        }
        #expect(rule.verdict([], at: at(10)) { _ in true } == RestartRule.Verdict())
    }

    @Test func aThreadThatMeasuresIsWorthOneRestartABootAndDay() {
        var rule = RestartRule(bootID: "b")
        let first = rule.verdict([stuck], at: at(100)) { _ in false }
        #expect(!first.feeds && first.tries && first.faults[0].description.contains("bus-motion"))
        rule.tried = .init(bootID: "b", time: at(100))
        let second = rule.verdict([stuck], at: at(200)) { _ in false }
        #expect(second.feeds && !second.tries && second.faults[0].description.contains("a restart did not help"))
        #expect(rule.verdict([stuck], at: at(100 + 86_400)) { _ in false }.tries)
        rule.tried = .init(bootID: "before", time: at(100))
        #expect(rule.verdict([stuck], at: at(200)) { _ in false }.tries)
    }

    /// signal(7), proc(5): SIGKILL of a thread in state D waits until the kernel lets it go.
    @Test func whatTheKernelHoldsIsNotWorthARestart() {
        let verdict = RestartRule(bootID: "b").verdict([stuck], at: at(100)) { $0 == 7 }
        #expect(
            verdict.feeds && !verdict.tries && verdict.faults[0].description.contains("blocked by a kernel driver")
        )
    }

    @Test func whatWasTriedIsReadAgain() {
        let tried = RestartRule.Tried(bootID: "5f6c", time: at(12))
        #expect(RestartRule.Tried(parsing: tried.text) == tried)
        for text in ["", "5f6c", "5f6c x", "5f6c 1 2"] { #expect(RestartRule.Tried(parsing: text) == nil) }
    }
}
