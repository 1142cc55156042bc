// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Study

/// The first tap begins a step of thirty seconds: it lasts from its first nanosecond to the last
/// before thirty.
struct TimedStepLimitsTests {
    @Test(arguments: [(0, 2), (1, 2), (29_999, 2), (30_000, 1), (30_001, 1)])
    func aTapCountsBeforeTheEndAndNotAtIt(milliseconds: Int, taps: Int) {
        var told = TimedStepTests.Told(TimedStepTests.tapping)
        told.press(0, 7_000, held: 0)
        // Before anybody has noticed that the time is over.
        told.press(2, 7_000 + milliseconds, held: 0)
        told.tick(until: 60_000)
        told.take(told.step.handle(.gesture(.select, repeats: 0)), 60_000)
        #expect(told.record?.taps.count == taps)
    }

    /// A press may be delivered 50 ms after it was made (`TimedStimulus.delivery`).
    @Test(arguments: [(29_999, 1), (29_960, 40), (29_930, 50)])
    func aTapInTimeThatIsDeliveredAfterTheEndIsWhole(milliseconds: Int, held: Int) {
        var told = TimedStepTests.Told(TimedStepTests.tapping)
        told.press(0, 7_000, held: 0)
        told.tick(until: 37_000)
        told.press(2, 7_000 + milliseconds, held: 50)
        told.tick(until: 60_000)
        told.take(told.step.handle(.gesture(.select, repeats: 0)), 60_000)
        #expect(told.record?.taps.map(\.held) == [.zero, .milliseconds(held)])
    }

    /// On two buttons, of which the right one opens the menu after 2.5 s and does nothing after 6 s (docs/panel.md).
    private static func told() -> TimedStepTests.Told {
        TimedStepTests.Told(TimedStepTests.tapping, on: PanelFixtures.two)
    }

    /// Slow hands: the menu after 6.25 s, and 0.3 s between two presses that are one.
    private static func slow() -> TimedStepTests.Told {
        var panel = PanelFixtures.two
        panel.holdTimes = .slow
        return TimedStepTests.Told(TimedStepTests.tapping, on: panel)
    }

    private static func turn(_ button: Int, _ isPressed: Bool, _ milliseconds: Int, _ told: inout TimedStepTests.Told) {
        let edge = ButtonEvent(button: button, isPressed: isPressed, time: TimedStepTests.at(milliseconds))
        told.take(told.step.handle(.edge(edge)), milliseconds)
    }

    /// After a hold for the menu, which was closed at 20 s.
    private static func closeMenu(_ told: inout TimedStepTests.Told) {
        for event: QuestionEvent in [.interrupted, .tick(TimedStepTests.at(20_000)), .resumed] {
            told.take(told.step.handle(event), 20_000)
        }
    }

    @Test func aPressShorterThanTheHoldForTheMenuIsATap() {
        var told = Self.told()
        told.press(0, 7_000)
        told.press(1, 10_000, held: 2_499)
        #expect(told.step.wake == TimedStepTests.at(37_050))
        told.tick(until: 60_000)
        told.take(told.step.handle(.gesture(.select, repeats: 0)), 60_000)
        #expect(told.record?.taps.map(\.held) == [.milliseconds(80), .milliseconds(2_499)] && told.record?.pauses == 0)
    }

    /// Its time is none of the step's, either: of 30 s three were over when it began.
    @Test(arguments: [2_500, 5_999]) func theHoldForTheMenuIsNoTap(held: Int) {
        var told = Self.told()
        told.press(0, 7_000)
        told.press(1, 10_000, held: held)
        Self.closeMenu(&told)
        #expect(told.step.wake == TimedStepTests.at(47_050))
        told.press(1, 21_000)
        told.tick(until: 60_000)
        told.take(told.step.handle(.gesture(.select, repeats: 0)), 60_000)
        #expect(told.record?.taps.map(\.at) == [.zero, .seconds(4)] && told.record?.pauses == 1)
    }

    @Test func aHoldThatDoesNothingIsNoTapAndTheStepGoesOn() {
        var told = Self.told()
        told.press(0, 7_000)
        told.press(1, 10_000, held: 6_000)
        told.take(told.step.handle(.gesture(.cancel, repeats: 0)), 16_000)
        #expect(told.step.wake == TimedStepTests.at(43_050))
        told.tick(until: 60_000)
        told.take(told.step.handle(.gesture(.select, repeats: 0)), 60_000)
        #expect(told.record?.taps.map(\.at) == [.zero] && told.record?.pauses == 0)
    }

    /// Held from 3 s on: its time comes again.
    @Test func whatWasSaidDuringAHoldIsSaidAgain() {
        var rules = TimedStepTests.tapping
        rules.lines = [.init(at: .milliseconds(2_999), text: "a"), .init(at: .seconds(5), text: "b")]
        var told = TimedStepTests.Told(rules, on: PanelFixtures.panel(["left", "right"], speaks: true))
        told.press(0, 7_000)
        told.tick(until: 10_000)
        Self.turn(1, true, 10_000, &told)
        told.tick(until: 16_000)
        Self.turn(1, false, 16_000, &told)
        told.take(told.step.handle(.gesture(.cancel, repeats: 0)), 16_000)
        told.tick(until: 60_000)
        let said = told.heard.compactMap { if case .say(.message(_)) = $0.effect { $0.at } else { nil } }
        #expect(said == [9_999, 12_000, 18_000])
    }

    /// Pressed a second before the end; the menu opens 0.3 s after the release.
    @Test(arguments: [(6_249, false), (6_250, true), (6_500, true)])
    func aStepOfSlowHandsWaitsForTheMenu(held: Int, opens: Bool) {
        var told = Self.slow()
        told.press(0, 7_000)
        Self.turn(1, true, 36_000, &told)
        told.tick(until: 36_000 + held)
        Self.turn(1, false, 36_000 + held, &told)
        told.tick(until: 36_000 + held + 300)
        #expect(told.step.isUnderWay == !opens)
        if opens {
            Self.closeMenu(&told)
            #expect(told.step.wake == TimedStepTests.at(21_050))
        }
        told.tick(until: 60_000)
        told.take(told.step.handle(.gesture(.select, repeats: 0)), 60_000)
        #expect(told.record?.taps.count == (opens ? 1 : 2) && told.record?.pauses == (opens ? 1 : 0))
    }

    @Test(arguments: [(299, 1), (300, 3)]) func withinTheBridgeOfSlowHandsAHoldGoesOn(gap: Int, taps: Int) {
        var told = Self.slow()
        told.press(0, 7_000)
        told.press(1, 10_000, held: 3_000)
        told.tick(until: 13_000 + gap)
        told.press(1, 13_000 + gap, held: 4_000)
        if taps == 1 {
            Self.closeMenu(&told)
            #expect(told.step.wake == TimedStepTests.at(47_050))
        }
        told.tick(until: 60_000)
        told.take(told.step.handle(.gesture(.select, repeats: 0)), 60_000)
        #expect(told.record?.taps.count == taps && told.record?.pauses == (taps == 1 ? 1 : 0))
    }

    /// A quarter of a second between taps of a button, less than the bridge.
    @Test func quickTapsInTurnOfSlowHandsAreNoHold() {
        var told = Self.slow()
        for start in stride(from: 7_000, to: 37_000, by: 400) {
            for (button, time) in [(1, start), (0, start + 200)] {
                told.tick(until: time)
                told.press(button, time, held: 150)
            }
        }
        told.tick(until: 60_000)
        told.take(told.step.handle(.gesture(.select, repeats: 0)), 60_000)
        #expect(told.record?.taps.count == 150 && told.record?.pauses == 0)
    }

    @Test func theHoldForTheMenuBeginsNoStep() {
        var told = Self.told()
        told.press(1, 7_000, held: 2_500)
        Self.closeMenu(&told)
        #expect(told.step.wake == nil && told.step.takesPresses && !told.step.isUnderWay)
        told.press(0, 21_000)
        told.tick(until: 60_000)
        told.take(told.step.handle(.gesture(.select, repeats: 0)), 60_000)
        #expect(told.record?.uptime == .seconds(21) && told.record?.taps.count == 1 && told.record?.pauses == 0)
    }

    /// Pressed a tenth of a second before the end: only the release tells.
    @Test(arguments: [(2_499, 2), (2_500, 1)]) func theStepWaitsForAPressThatMayOpenTheMenu(held: Int, taps: Int) {
        var told = Self.told()
        told.press(0, 7_000)
        let down = ButtonEvent(button: 1, isPressed: true, time: TimedStepTests.at(36_900))
        told.take(told.step.handle(.edge(down)), 36_900)
        told.tick(until: 36_900 + held)
        #expect(told.step.isUnderWay)
        let up = ButtonEvent(button: 1, isPressed: false, time: TimedStepTests.at(36_900 + held))
        told.take(told.step.handle(.edge(up)), 36_900 + held)
        if taps == 1 { Self.closeMenu(&told) }
        told.tick(until: 60_000)
        told.take(told.step.handle(.gesture(.select, repeats: 0)), 60_000)
        #expect(told.record?.taps.count == taps && told.record?.pauses == 2 - taps)
        #expect(taps == 1 || told.record?.taps.last?.held == .milliseconds(100))
    }
}
