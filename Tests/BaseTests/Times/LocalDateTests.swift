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

    @Test(arguments: [(2026, 2, 30), (2026, 13, 1), (2026, 0, 1), (2026, 1, 0), (2100, 2, 29), (12_000, 1, 1)])
    func daysThatAreNoneAreRefused(year: Int, month: Int, day: Int) {
        #expect(LocalDate(year: year, month: month, day: day) == nil)
    }
}
