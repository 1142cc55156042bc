// SPDX-License-Identifier: Apache-2.0
import Base
import Study
import Testing

@testable import Agent

@Suite struct RetentionHoldTests {
    /// Looks once a minute for `hours`, with the wall clock set ahead at the beginning.
    private func held(_ hold: inout RetentionHold, _ clock: inout Moment, hours: Int, ahead: Duration = .zero) -> [Bool]
    {
        clock = Moment(instant: clock.instant + ahead, monotonic: clock.monotonic)
        return (0..<hours * 60).map { _ in
            clock = Moment(instant: clock.instant + .seconds(60), monotonic: clock.monotonic + .seconds(60))
            return hold.update(at: clock)
        }
    }

    @Test func aWrongYearRemovesNothingForADay() {
        var hold = RetentionHold()
        var clock = Moment(instant: Instant(seconds: 1_795_255_200), monotonic: .zero)
        let start = held(&hold, &clock, hours: 3)
        #expect(start.prefix(59).allSatisfy { $0 } && start.suffix(110).allSatisfy { !$0 })
        let wrong = held(&hold, &clock, hours: 23, ahead: .seconds(31_536_000))
        #expect(wrong.allSatisfy { $0 })
        let back = held(&hold, &clock, hours: 4, ahead: .seconds(-31_536_000))
        #expect(!(back.last ?? true), "it does not last for ever")
        #expect(held(&hold, &clock, hours: 1, ahead: .seconds(300)).allSatisfy { !$0 }, "a correction is no jump")
    }
}
