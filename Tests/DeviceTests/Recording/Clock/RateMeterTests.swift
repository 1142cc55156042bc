// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Base
@testable import Device

@Suite struct RateMeterTests {
    @Test func aGapIsNoPartOfTheRate() throws {
        var meter = RateMeter()
        meter.add(0, at: MonotonicTime(seconds: 10), error: .milliseconds(1))
        meter.add(1000, at: MonotonicTime(seconds: 20), error: .milliseconds(1))
        meter.cut()
        meter.add(5000, at: MonotonicTime(seconds: 90), error: .milliseconds(1))
        meter.add(6000, at: MonotonicTime(seconds: 100), error: .milliseconds(1))
        #expect(meter.rate == 100)
        #expect(abs(try #require(meter.rateError) - 0.02) < 1e-9)
        // One moment behind another gap adds neither samples nor an error.
        meter.cut()
        meter.add(9000, at: MonotonicTime(seconds: 200), error: .milliseconds(1))
        #expect(meter.rate == 100)
        #expect(abs(try #require(meter.rateError) - 0.02) < 1e-9)
    }

    @Test func theBadlyKnownBeginningIsLeftOut() throws {
        var meter = RateMeter()
        meter.add(0, at: MonotonicTime(seconds: 0.03), error: .milliseconds(40))
        meter.add(100, at: MonotonicTime(seconds: 1), error: .milliseconds(1))
        meter.add(10_000, at: MonotonicTime(seconds: 100), error: .milliseconds(1))
        #expect(meter.rate == 100 && (meter.rateError ?? 1) < 0.003)
    }

    @Test func oneMomentTellsNothing() {
        var meter = RateMeter()
        #expect(meter.rate == nil && meter.rateError == nil)
        meter.add(7, at: MonotonicTime(seconds: 1), error: .zero)
        #expect(meter.rate == nil)
    }
}
