// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Lab

@Suite struct WrittenTimeTests {
    // Seconds by GNU date: `date -d TEXT +%s`.
    @Test(arguments: [
        ("2019-05-08T23:16:21+10:00", 1_557_321_381, 36_000), ("1970-01-01T00:00:00+00:00", 0, 0),
        ("2024-02-29T12:00:00-03:30", 1_709_220_600, -12_600), ("2026-12-31T23:59:59+14:00", 1_798_711_199, 50_400),
    ]) func theAppsFormIsUnderstood(text: String, seconds: Int64, offset: Int) throws {
        let time = try #require(WrittenTime(text))
        #expect(time.instant.seconds == seconds)
        #expect(time.offset == offset)
    }

    @Test(arguments: [
        "2019-05-08T23:16:21Z", "2019-05-08T23:16:21+1000", "2019-05-08 23:16:21+10:00", "2019-02-29T00:00:00+00:00",
        "2019-05-08T24:00:00+00:00", "2019-05-08T23:16:60+00:00", "2019-05-08T23:16:21-00:00", "",
        "2019-05-08T23:16:21.5+10:00", "2019-05-08T23:16:21+16:00", "٢019-05-08T23:16:21+10:0",
        "1969-12-31T23:59:59+00:00", "2261-01-01T00:00:00+00:00",
    ]) func everyOtherFormIsNone(text: String) {
        #expect(WrittenTime(text) == nil)
    }

    @Test func momentsAreShownAtAnOffset() {
        #expect(Instant(seconds: 1_557_321_381).shown(offset: 36_000) == "2019-05-08 23:16:21")
    }
}
