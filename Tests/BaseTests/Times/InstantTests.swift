// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Base

@Suite struct InstantTests {
    @Test func secondsBeforeTheEpochAreRoundedDown() {
        #expect(Instant(nanoseconds: -1).seconds == -1)
        #expect(Instant(nanoseconds: -1).milliseconds == -1)
        #expect(Instant(nanoseconds: 1_999_999_999).seconds == 1)
    }

    @Test func endsOfTheTypeSaturate() {
        #expect(Instant(seconds: .max).nanoseconds == .max)
        #expect(Instant(milliseconds: .min).nanoseconds == .min)
        #expect((Instant(nanoseconds: .max) + .seconds(1)).nanoseconds == .max)
        #expect((Instant(nanoseconds: .min) - .seconds(1)).nanoseconds == .min)
        #expect((Instant(nanoseconds: .min) - Instant(nanoseconds: .max)).nanoseconds == .min)
        #expect((Instant(nanoseconds: .max) - Instant(nanoseconds: .min)).nanoseconds == .max)
    }
}
