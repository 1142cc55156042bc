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

    @Test(
        arguments: [
            (9_223_372_036, 9_223_372_036_000_000_000), (9_223_372_037, .max), (.max, .max),
            (-9_223_372_036, -9_223_372_036_000_000_000), (-9_223_372_037, .min), (.min, .min),
        ] as [(Int64, Int64)])
    func secondsStayAtTheirEnd(seconds: Int64, nanoseconds: Int64) {
        #expect(Instant(seconds: seconds).nanoseconds == nanoseconds)
        #expect(Duration.seconds(seconds).nanoseconds == nanoseconds)
    }

    @Test(
        arguments: [
            (9_223_372_036_854, 9_223_372_036_854_000_000), (9_223_372_036_855, .max), (.max, .max),
            (-9_223_372_036_854, -9_223_372_036_854_000_000), (-9_223_372_036_855, .min), (.min, .min),
        ] as [(Int64, Int64)])
    func millisecondsStayAtTheirEnd(milliseconds: Int64, nanoseconds: Int64) {
        #expect(Instant(milliseconds: milliseconds).nanoseconds == nanoseconds)
        #expect(Duration.milliseconds(milliseconds).nanoseconds == nanoseconds)
    }

    /// The last nanoseconds of the type, and one beyond.
    @Test(
        arguments: [
            (854_775_806, .max - 1, .min + 2), (854_775_807, .max, .min + 1), (854_775_808, .max, .min),
            (854_775_809, .max, .min),
        ] as [(Int64, Int64, Int64)])
    func aDurationStaysAtItsEnd(beyondSeconds: Int64, after: Int64, before: Int64) {
        let part = Duration.nanoseconds(beyondSeconds)
        #expect((Duration.seconds(9_223_372_036) + part).nanoseconds == after)
        #expect((Duration.seconds(-9_223_372_036) - part).nanoseconds == before)
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
