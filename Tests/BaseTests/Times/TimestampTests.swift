// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Base

@Suite struct TimestampTests {
    static let berlin = Zone(fixed: 3600, identifier: "Europe/Berlin", abbreviation: "CET")

    @Test func momentsArePrintedWithOffset() {
        let moment = Instant(milliseconds: 1_795_248_300_250)
        #expect(moment.rfc3339(in: Self.berlin) == "2026-11-21T09:05:00+01:00")
        #expect(moment.rfc3339(in: Self.berlin, fractionDigits: 3) == "2026-11-21T09:05:00.250+01:00")
        #expect(moment.rfc3339() == "2026-11-21T08:05:00+00:00")
        #expect(moment.rfc3339Zulu(fractionDigits: 6) == "2026-11-21T08:05:00.250000Z")
        #expect(moment.description == "2026-11-21T08:05:00.25Z")
    }

    @Test func offsetsWestAndWithSecondsKeepTheMoment() throws {
        for offset in [-12_600, -1, 3208, -3599] {
            let zone = Zone(fixed: offset, identifier: "X", abbreviation: "X")
            let moment = Instant(seconds: 1_000_000_007)
            #expect(try Instant(rfc3339: moment.rfc3339(in: zone)) == moment)
        }
        #expect(
            Instant.epoch.rfc3339(in: Zone(fixed: -12_600, identifier: "X", abbreviation: "X"))
                == "1969-12-31T20:30:00-03:30")
    }

    /// The examples of RFC 3339 §5.8, seconds by `date -d`.
    @Test(arguments: [
        ("1985-04-12T23:20:50.52Z", 482_196_050_520_000_000), ("1996-12-19T16:39:57-08:00", 851_042_397_000_000_000),
        ("1990-12-31T23:59:60Z", 662_688_000_000_000_000), ("1990-12-31T15:59:60-08:00", 662_688_000_000_000_000),
        ("1937-01-01T12:00:27.87+00:20", -1_041_337_172_130_000_000), ("1970-01-01t00:00:00.0000000019z", 1),
    ])
    func momentsAreRead(text: String, nanoseconds: Int64) throws {
        #expect(try Instant(rfc3339: text).nanoseconds == nanoseconds)
    }

    @Test(arguments: [
        "", "2026-11-21", "2026-11-21T09:05:00", "2026-02-30T09:05:00Z", "2026-11-21T25:61:00Z",
        "2026-11-21T09:05Z", "2026-11-21T09:05:00.Z", "2026-11-21T09:05:00+0100", "2026-11-21T09:05:00Zx",
        "2026-11-21T09:05:00+24:00", "26-11-21T09:05:00Z", "9999-01-01T00:00:00Z", "2026-11-21T09:05:61Z",
        "2026-11-21T09:05:00Ž", "2026-11-21T09:05:00./Z", "2026-11-21T09:05:00.:Z", "2026-11-21T09:05:0/Z",
    ])
    func whatIsNoMomentIsRefused(text: String) {
        #expect(throws: TimeTextError.self) { try Instant(rfc3339: text) }
    }

    /// The whole years that the type holds.
    @Test(arguments: [
        ("1677-12-31T23:59:59.999999999Z", false), ("1678-01-01T00:00:00Z", true),
        ("2261-12-31T23:59:59.999999999Z", true), ("2262-01-01T00:00:00Z", false),
    ])
    func momentsThatTheTypeHoldsAreRead(text: String, isHeld: Bool) {
        #expect((try? Instant(rfc3339: text))?.description == (isHeld ? text : nil))
    }

    @Test func wallTimesArePrintedAndRead() throws {
        let local = try LocalDateTime(parsing: "2026-11-21T09:05")
        #expect(local.description == "2026-11-21T09:05:00")
        #expect(try LocalDateTime(parsing: "2026-11-21 09:05:00.125").description == "2026-11-21T09:05:00.125")
        #expect(try LocalTime(parsing: "23:59:59.999999999").nanosecond == 999_999_999)
        #expect(try LocalDate(parsing: "0001-02-03").description == "0001-02-03")
        for text in ["2026-11-21T09:05Z", "2026-11-21", "2026-11-21T25:61", "2026-11-21T9:05", "2026-11-21T23:59:60"] {
            #expect(throws: TimeTextError.self) { try LocalDateTime(parsing: text) }
        }
    }

    @Test(arguments: [
        "", "2026-11-21x", "2026-11-21 ", " 2026-11-21", "2026-11-21T09:05", "2026-11-211", "2026-11-2", "2026-1-21",
        "26-11-21", "12026-11-21", "-2026-11-21", "2026/11/21", "2026-11-31", "2026-13-01", "2026-00-01",
        "2026-11-2/", "2026-11-2:",
    ])
    func whatIsNoDayIsRefused(text: String) {
        #expect(throws: TimeTextError.self) { try LocalDate(parsing: text) }
    }

    @Test(
        arguments: [
            ("00:00", 0), ("23:59", 86_340), ("23:59:59", 86_399), ("24:00", nil), ("09:60", nil), ("09:05:60", nil),
            ("9:05", nil), ("09:5", nil), ("0905", nil), ("09", nil), ("09:05:", nil), ("09:05:00.", nil),
            ("09:05x", nil), ("09:05:00x", nil), ("09:05:00Z", nil), ("09:05:000", nil), ("", nil),
        ] as [(String, Int64?)])
    func aTimeOfDayIsReadToItsEnd(text: String, seconds: Int64?) {
        #expect((try? LocalTime(parsing: text))?.nanoseconds == seconds.map { $0 * 1_000_000_000 })
    }

    /// ISO 8601: four digits, and more where they are needed; `date -d "9999-12-31 + 1 day"`.
    @Test(arguments: [
        (-1, 12, "-0001-12-10", "-0001-12-11"), (1, 1, "0001-01-10", "0001-01-11"),
        (9999, 12, "9999-12-10", "10000-01-01"),
    ])
    func aYearHasFourDigitsAtLeast(_ year: Int, _ month: Int, _ text: String, _ later: String) throws {
        let date = try #require(LocalDate(year: year, month: month, day: 10))
        #expect(date.description == text && date.adding(days: year == 9999 ? 22 : 1).description == later)
    }

    /// As many digits as are asked for, of nine that there are; by itself a time has those that say something.
    @Test(
        arguments: [
            (123_456_789, -1, "", ".123456789"), (123_456_789, 0, "", ".123456789"),
            (999_999_999, 1, ".9", ".999999999"),
            (123_456_789, 8, ".12345678", ".123456789"), (123_456_789, 9, ".123456789", ".123456789"),
            (123_456_789, 10, ".123456789", ".123456789"), (0, 0, "", ""), (0, 1, ".0", ""),
            (1, 8, ".00000000", ".000000001"),
            (1, 9, ".000000001", ".000000001"), (100_000_000, 2, ".10", ".1"), (120_300_000, 3, ".120", ".1203"),
        ] as [(Int64, Int, String, String)])
    func aFractionIsCut(nanoseconds: Int64, digits: Int, cut: String, shown: String) {
        let time = LocalTime(wrapping: 32_700_000_000_000 + nanoseconds)
        #expect(time.text(fractionDigits: digits) == "09:05:00" + cut)
        #expect(time.description == "09:05:00" + shown)
    }

    @Test func errorSaysWhatWouldHaveBeenRight() {
        let error = #expect(throws: TimeTextError.self) { try LocalTime(parsing: "25:61") }
        #expect(error?.description == "'25:61' is not a time of day; use e.g. 09:05 or 09:05:00")
    }
}
