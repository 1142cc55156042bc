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
}
