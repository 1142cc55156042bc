// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import PlatformMyStudies

/// Times as the study metadata server writes them.
@Suite struct MyStudiesDatesTests {
    /// Of the years in which a study can be; the days are those of the calendar.
    @Test(arguments: [
        ("2017-05-11", true), ("1900-01-01", true), ("1899-12-31", false), ("2200-12-31", true), ("2201-01-01", false),
        ("2016-02-29", true), ("2017-02-29", false), ("2017-00-11", false), ("2017-13-11", false),
        ("2017-05-00", false), ("2017-05-32", false), ("2017-05", false), ("2017-05-11-", false),
        ("2017--05-11", false), ("-2017-05-11", false), ("2017-05-xx", false), ("", false),
    ])
    func aDayIsYearMonthAndDay(text: String, isOne: Bool) {
        let date = MyStudiesDates.date(text)
        #expect((date != nil) == isOne)
        if let date { #expect("\(date)" == text) }
    }

    @Test(
        arguments: [
            ("08:56:00", "08:56:00"), ("08:56", "08:56:00"), ("00:00", "00:00:00"), ("23:59:59", "23:59:59"),
            ("24:00:00", nil), ("08:60:00", nil), ("08", nil), ("08:", nil), ("08:56:", nil), ("08::56", nil),
            (":08:56", nil), ("08:56:00:00", nil), ("", nil),
        ] as [(String, String?)])
    func aTimeOfDayIsHourAndMinuteAndPerhapsASecond(text: String, shown: String?) {
        #expect(MyStudiesDates.time(text)?.text(fractionDigits: 0) == shown)
    }

    /// What is behind the second does not count, and is no longer than a zone and a fraction are.
    @Test(arguments: [
        ("2017-05-11T08:56:00", true), ("2017-05-11T08:56:00.000-0400", true), ("2017-05-11T08:56:00 anything", true),
        ("2017-05-11T08:56:0", false), ("2017-05-11 08:56:00", false), ("2017-05-11T08:56:60", false), ("", false),
    ])
    func aMomentIsADayAndATime(text: String, isOne: Bool) {
        #expect(MyStudiesDates.local(text)?.text(fractionDigits: 0) == (isOne ? "2017-05-11T08:56:00" : nil))
    }

    @Test func aMomentHasFortyLettersAtMost() {
        let moment = "2017-05-11T08:56:00"
        #expect(MyStudiesDates.local(moment + String(repeating: "0", count: 21)) != nil)
        #expect(MyStudiesDates.local(moment + String(repeating: "0", count: 22)) == nil)
    }

    /// As `Calendar.date(byAdding: .month, …)` of the iOS app counts.
    @Test(arguments: [
        ("2026-01-15", 0, "2026-01-15"), ("2026-01-15", 1, "2026-02-15"), ("2026-12-15", 1, "2027-01-15"),
        ("2026-01-15", -1, "2025-12-15"), ("2026-03-15", 9, "2026-12-15"), ("2026-03-15", 10, "2027-01-15"),
        ("2026-03-15", 12, "2027-03-15"), ("2026-03-15", -15, "2024-12-15"), ("2026-01-31", 1, "2026-02-28"),
        ("2024-01-31", 1, "2024-02-29"), ("2026-01-30", 1, "2026-02-28"), ("2026-03-31", 1, "2026-04-30"),
        ("2026-03-31", 2, "2026-05-31"), ("2026-03-31", -1, "2026-02-28"), ("2024-02-29", 12, "2025-02-28"),
    ])
    func aMonthLaterIsTheSameDayOrTheMonthsLast(day: String, months: Int, then: String) throws {
        #expect(try LocalDate(parsing: day).adding(months: months) == LocalDate(parsing: then))
    }
}
