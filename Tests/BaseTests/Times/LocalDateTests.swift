// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Base

@Suite struct LocalDateTests {
    /// Day by day through eight centuries with the rule of the calendar, from Saturday 1600-01-01,
    /// 135 140 days before 1970.
    @Test func everyDayOfEightCenturiesFollowsTheOneBefore() {
        var day = -135_140
        var weekday = 6
        for year in 1600...2400 {
            let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
            for (month, length) in [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31].enumerated() {
                for number in 1...length {
                    let date = LocalDate(daysSinceEpoch: day)
                    if date.components != (year, month + 1, number) || date.weekday != weekday
                        || LocalDate(year: year, month: month + 1, day: number) != date
                    {
                        Issue.record("\(year)-\(month + 1)-\(number) is \(date), weekday \(date.weekday)")
                        return
                    }
                    day += 1
                    weekday = weekday % 7 + 1
                }
                if LocalDate(year: year, month: month + 1, day: length + 1) != nil {
                    Issue.record("\(year)-\(month + 1)")
                }
            }
        }
        #expect(LocalDate(daysSinceEpoch: 0).description == "1970-01-01")
    }

    /// The calendar repeats after 400 years, which are 146 097 days, also before the year 1; years have names from
    /// -9999 to 9999.
    @Test(arguments: [-30, -29, -7, -6, -5, -4, 19]) func theCalendarRepeatsAfterFourHundredYears(_ times: Int) {
        for year in (2000..<2400) where (-9999...9999).contains(year + 400 * times) {
            for (month, day) in [(1, 1), (2, 28), (2, 29), (3, 1), (12, 31)] {
                let far = LocalDate(year: year + 400 * times, month: month, day: day)
                let near = LocalDate(year: year, month: month, day: day)
                if far != near?.adding(days: 146_097 * times)
                    || far.map({ $0.components != (year + 400 * times, month, day) }) == true
                {
                    Issue.record("\(year + 400 * times)-\(month)-\(day)")
                    return
                }
            }
        }
    }

    @Test(arguments: [
        (2026, 2, 30), (2026, 13, 1), (2026, 0, 1), (2026, 1, 0), (2100, 2, 29), (12_000, 1, 1), (10_000, 1, 1),
        (-10_000, 12, 31),
    ])
    func daysThatAreNoneAreRefused(year: Int, month: Int, day: Int) {
        #expect(LocalDate(year: year, month: month, day: day) == nil)
    }
}
