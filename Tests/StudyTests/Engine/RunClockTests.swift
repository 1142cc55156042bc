// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Study

/// The limits of docs/panel.md by the clock alone: reminded after one minute, broken off after five.
struct RunClockTests {
    private static func at(_ milliseconds: Int) -> MonotonicTime { .zero + .milliseconds(milliseconds) }

    private static func clock(question: Duration? = nil) -> RunClock {
        var limits = RunLimits()
        limits.question = question
        var clock = RunClock(limits, start: PanelFixtures.now)
        clock.begin(at: .zero)
        return clock
    }

    @Test func silenceIsRemindedOnceAndThenBrokenOff() {
        var clock = Self.clock()
        let due = [59_999, 60_000, 60_001, 299_999, 300_000, 300_001].map {
            clock.takeDue(isAsking: true, at: Self.at($0))
        }
        #expect(due == [[], [.reminder], [], [], [.interruption], [.interruption]])
        clock.press(at: Self.at(300_002))
        #expect(clock.takeDue(isAsking: true, at: Self.at(360_001)) == [])
        #expect(clock.wake(isAsking: true) == Self.at(360_002))
        #expect(clock.takeDue(isAsking: true, at: Self.at(360_002)) == [.reminder])
    }

    /// Each question has its warning ten seconds before its end, and its own end.
    @Test func everyQuestionIsWarnedOfOnce() {
        var clock = Self.clock(question: .seconds(30))
        var due: [[RunClock.Due]] = []
        for begin in [0, 25_000] {
            clock.openQuestion(mayBeLeftOut: true, at: Self.at(begin))
            #expect(clock.wake(isAsking: true) == Self.at(begin + 20_000))
            due += [19_999, 20_000, 20_001].map { clock.takeDue(isAsking: true, at: Self.at(begin + $0)) }
            #expect(clock.wake(isAsking: true) == Self.at(begin + 30_000))
        }
        due += [54_999, 55_000].map { clock.takeDue(isAsking: true, at: Self.at($0)) }
        #expect(due == [[], [.questionRunsOut], [], [], [.questionRunsOut], [], [], [.questionOver]])
    }

    @Test func aQuestionThatNeedsAnAnswerHasNoEnd() {
        var clock = Self.clock(question: .seconds(30))
        clock.openQuestion(mayBeLeftOut: true, at: .zero)
        clock.openQuestion(mayBeLeftOut: false, at: Self.at(1))
        #expect(clock.takeDue(isAsking: true, at: Self.at(59_999)) == [])
        #expect(clock.wake(isAsking: true) == Self.at(60_000))
    }

    /// In the menu, and where it is asked whether to submit, no question is open.
    @Test(
        arguments: [(Duration.seconds(20), RunClock.Due.sectionOver), (nil, .questionOver)]
            as [(Duration?, RunClock.Due)])
    func whereNothingIsAskedNothingRunsOut(section: Duration?, due: RunClock.Due) {
        var clock = Self.clock(question: .seconds(30))
        clock.openSection(0, limit: section, at: .zero)
        clock.openQuestion(mayBeLeftOut: true, at: .zero)
        for second in [20, 25, 30, 59] {
            #expect(clock.takeDue(isAsking: false, at: Self.at(1_000 * second)) == [])
            #expect(clock.wake(isAsking: false) == Self.at(60_000))
        }
        #expect(clock.takeDue(isAsking: true, at: Self.at(59_000)) == [due])
    }

    /// Its time counts from its first question on, and going on to the next section ends it.
    @Test func aSectionKeepsItsEnd() {
        var clock = Self.clock()
        clock.openSection(0, limit: .seconds(20), at: .zero)
        clock.openSection(0, limit: .seconds(20), at: Self.at(10_000))
        let due = [19_999, 20_000, 20_001].map { clock.takeDue(isAsking: true, at: Self.at($0)) }
        #expect(due == [[], [.sectionOver], [.sectionOver]])
        clock.openSection(1, limit: nil, at: Self.at(20_001))
        #expect(clock.takeDue(isAsking: true, at: Self.at(40_000)) == [])
        // Its end was a sign of life: silence counts from then on.
        #expect(clock.wake(isAsking: true) == Self.at(80_001))
    }

    @Test func aRecordingIsFullAfterTwoMinutesAndEndsOnlyByItsOwnName() {
        var clock = Self.clock()
        #expect(!clock.isRecording && !clock.isRecordingFull(at: Self.at(1_000_000)))
        clock.startRecording("a", at: Self.at(1_000))
        clock.stopRecording("b")
        #expect(clock.isRecording && clock.wake(isAsking: true) == Self.at(121_000))
        #expect(!clock.isRecordingFull(at: Self.at(120_999)) && clock.isRecordingFull(at: Self.at(121_000)))
        clock.stopRecording("a")
        #expect(!clock.isRecording && clock.wake(isAsking: true) == Self.at(60_000))
    }
}
