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
        #expect(told.record?.taps.map(\.at) == [.zero])
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
