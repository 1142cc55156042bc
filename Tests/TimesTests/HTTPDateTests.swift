// SPDX-License-Identifier: Apache-2.0
import Testing
import Times

/// The three forms of one moment are RFC 9110 §5.6.7's own; the others were written by Python's `email.utils.formatdate(t, usegmt=True)`.
@Suite struct HTTPDateTests {
    static let now = Instant(seconds: 1_780_000_000)

    @Test(arguments: ["Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994"])
    func theThreeFormsOfTheStandardAreOneMoment(text: String) {
        #expect(HTTPDate(text, now: Self.now)?.instant == Instant(seconds: 784_111_777))
    }

    @Test(
        arguments: [
            (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"), (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
            (1_709_164_800, "Thu, 29 Feb 2024 00:00:00 GMT"), (4_102_444_799, "Thu, 31 Dec 2099 23:59:59 GMT"),
            (1_780_000_000, "Thu, 28 May 2026 20:26:40 GMT"),
        ] as [(Int64, String)])
    func datesAreWrittenAsPythonWritesThem(seconds: Int64, text: String) {
        #expect(HTTPDate(Instant(seconds: seconds)).description == text)
        #expect(HTTPDate(text, now: Self.now)?.instant == Instant(seconds: seconds))
    }

    @Test func aYearOfTwoDigitsLiesAtMostFiftyYearsAhead() {
        #expect(
            HTTPDate("Friday, 06-Nov-76 08:49:37 GMT", now: Self.now).map {
                LocalDateTime($0.instant, offset: 0).date.components.year
            } == 2076)
        #expect(
            HTTPDate("Sunday, 06-Nov-77 08:49:37 GMT", now: Self.now).map {
                LocalDateTime($0.instant, offset: 0).date.components.year
            } == 1977)
    }

    @Test(arguments: [
        "", "120", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 CET", "Sun, 31 Feb 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 nov 1994 08:49:37 GMT",
        "Sun, 06 Nov 99999999999999999999 08:49:37 GMT",
        "Sun, -6 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 8:49:37 GMT",
    ])
    func nothingElseIsADate(text: String) {
        #expect(HTTPDate(text, now: Self.now) == nil)
    }
}
