// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Base

/// Dates come from files and networks: at the ends of the type they stay there, on their own side.
@Suite struct InstantLimitsTests {
    private static let most = Duration.nanoseconds(Int64.max)
    private static let least = Duration.nanoseconds(Int64.min)

    @Test(
        arguments: [
            (0, most, .max), (1, most, .max), (-1, most, .max - 1), (0, least, .min), (-1, least, .min),
            (1, least, .min + 1),
        ] as [(Int64, Duration, Int64)])
    func aSumStaysAtItsEnd(nanoseconds: Int64, added: Duration, sum: Int64) {
        #expect((Instant(nanoseconds: nanoseconds) + added).nanoseconds == sum)
    }

    @Test(
        arguments: [
            (0, most, -.max), (-1, most, .min), (-2, most, .min), (0, least, .max), (1, least, .max),
            (-1, least, .max),
        ] as [(Int64, Duration, Int64)])
    func aDifferenceStaysAtItsEnd(nanoseconds: Int64, taken: Duration, difference: Int64) {
        #expect((Instant(nanoseconds: nanoseconds) - taken).nanoseconds == difference)
    }

    @Test(
        arguments: [
            (0, .min, .max), (1, .min, .max), (-1, .min, .max), (0, .max, -.max), (-1, .max, .min), (-2, .max, .min),
        ] as [(Int64, Int64, Int64)])
    func theTimeBetweenTwoStaysAtItsEnd(later: Int64, earlier: Int64, between: Int64) {
        let found = Instant(nanoseconds: later) - Instant(nanoseconds: earlier)
        #expect(found == .nanoseconds(between))
    }

    /// Whole seconds and milliseconds are rounded down on both sides of 1970.
    @Test(
        arguments: [
            (-1_000_000_001, -2, -1001), (-1_000_000_000, -1, -1000), (-999_999_999, -1, -1000), (-1, -1, -1),
            (0, 0, 0),
            (999_999, 0, 0), (1_000_000, 0, 1), (999_999_999, 0, 999), (1_000_000_000, 1, 1000),
        ] as [(Int64, Int64, Int64)])
    func secondsAreRoundedDown(nanoseconds: Int64, seconds: Int64, milliseconds: Int64) {
        let instant = Instant(nanoseconds: nanoseconds)
        #expect(instant.seconds == seconds && instant.milliseconds == milliseconds)
    }
}
