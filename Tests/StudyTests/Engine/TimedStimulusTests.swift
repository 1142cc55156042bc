// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Study

/// The arrows of its diagram that no press takes.
struct TimedStimulusTests {
    private static func at(_ milliseconds: Int) -> MonotonicTime { .zero + .milliseconds(milliseconds) }

    private static func lit() -> TimedStimulus {
        var stimulus = TimedStimulus(timeout: .milliseconds(500), resultTime: .seconds(1))
        stimulus.begin(at: at(0), light: at(2_000))
        _ = stimulus.tick(at: at(2_000))
        _ = stimulus.shown(light)
        return stimulus
    }
    private static let light = ShownLight(mark: 1, began: at(2_010), ended: at(2_010))

    @Test func aResultIsShownForItsTimeAndOnce() {
        var stimulus = Self.lit()
        #expect(stimulus.press(at: Self.at(2_300)) == .pressed(.milliseconds(290), Self.light))
        #expect(stimulus.wake == Self.at(3_300))
        #expect(stimulus.tick(at: Self.at(3_299)) == nil)
        #expect(stimulus.tick(at: Self.at(3_300)) == .next)
        #expect(stimulus.wake == nil && stimulus.phase == .idle)
        #expect(stimulus.tick(at: Self.at(9_000)) == nil && stimulus.press(at: Self.at(9_000)) == nil)
        stimulus.interrupt()
        #expect(stimulus.void == 0, "what had its result counts")
    }

    /// 500 ms after the light, and 50 more for the press to arrive.
    @Test func aLightIsLateOnceNoPressCanArriveInTime() {
        var stimulus = Self.lit()
        #expect(stimulus.wake == Self.at(2_560))
        #expect(stimulus.tick(at: Self.at(2_559)) == nil)
        #expect(stimulus.tick(at: Self.at(2_560)) == .late(Self.light))
        #expect(stimulus.press(at: Self.at(2_570)) == nil)
        #expect(stimulus.wake == Self.at(3_560))
    }

    @Test(arguments: [(0, true), (499, true), (500, true), (501, false)]) func aPressCountsFromTheLightToItsEnd(
        after: Int, isInTime: Bool
    ) {
        var stimulus = Self.lit()
        let verdict = stimulus.press(at: Self.at(2_010 + after))
        #expect(verdict == (isInTime ? .pressed(.milliseconds(after), Self.light) : .late(Self.light)))
    }

    @Test func aLightThatDoesNotComeOnIsVoidAfterASecond() {
        var stimulus = TimedStimulus(timeout: .milliseconds(500), resultTime: .seconds(1))
        stimulus.begin(at: Self.at(0), light: Self.at(2_000))
        #expect(stimulus.tick(at: Self.at(1_999)) == nil)
        #expect(stimulus.tick(at: Self.at(2_000)) == .light(1))
        #expect(stimulus.tick(at: Self.at(2_999)) == nil)
        #expect(stimulus.tick(at: Self.at(3_000)) == .dark)
        #expect(stimulus.void == 1 && stimulus.wake == nil)
    }
}
