// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Base
@testable import Study

@Suite struct DateLimitsTests {
    static func at(_ year: Int, _ month: Int, _ day: Int, _ hour: Int = 0, _ minute: Int = 0, _ second: Int = 0)
        -> LocalDateTime
    {
        LocalDateTime(
            LocalDate(year: year, month: month, day: day)!, LocalTime(hour: hour, minute: minute, second: second)!)
    }
    static let now = at(2026, 2, 27, 9, 41, 30)

    static let cases: [(limits: DateLimits, format: DateTimeFormat, low: LocalDateTime?, high: LocalDateTime?)] = [
        (DateLimits(), .date, at(1900, 1, 1), at(2099, 12, 31, 23, 59)),
        (DateLimits(latest: .now), .date, at(1900, 1, 1), at(2026, 2, 27, 23, 59)),
        (DateLimits(latest: .now), .dateTime, at(1900, 1, 1), at(2026, 2, 27, 9, 41)),
        (DateLimits(earliest: .now), .date, at(2026, 2, 27), at(2099, 12, 31, 23, 59)),
        (DateLimits(earliest: .tomorrow), .date, at(2026, 2, 28), at(2099, 12, 31, 23, 59)),
        (DateLimits(earliest: .tomorrow), .dateTime, at(2026, 2, 28), at(2099, 12, 31, 23, 59)),
        (DateLimits(earliest: .now), .dateTime, at(2026, 2, 27, 9, 42), at(2099, 12, 31, 23, 59)),
        (
            DateLimits(earliest: .fixed(at(2017, 4, 18, 8)), latest: .fixed(at(2017, 4, 29, 7))), .date,
            at(2017, 4, 18), at(2017, 4, 29, 23, 59)
        ),
        (
            DateLimits(earliest: .fixed(at(2017, 4, 18, 8)), latest: .fixed(at(2017, 4, 29, 7))), .dateTime,
            at(2017, 4, 18, 8), at(2017, 4, 29, 7)
        ),
        (DateLimits(earliest: .fixed(at(2150, 1, 1))), .date, at(2150, 1, 1), at(2150, 1, 1, 23, 59)),
        (DateLimits(latest: .fixed(at(1850, 1, 1))), .date, at(1850, 1, 1), at(1850, 1, 1, 23, 59)),
        (DateLimits(earliest: .fixed(at(2020, 1, 2)), latest: .fixed(at(2020, 1, 1))), .date, nil, nil),
        (
            DateLimits(earliest: .fixed(at(2020, 1, 1, 9)), latest: .fixed(at(2020, 1, 1, 8))), .date, at(2020, 1, 1),
            at(2020, 1, 1, 23, 59)
        ),
        (DateLimits(earliest: .fixed(at(2020, 1, 1, 9)), latest: .fixed(at(2020, 1, 1, 8))), .dateTime, nil, nil),
        (
            DateLimits(earliest: .fixed(at(2020, 1, 1, 8, 0, 10)), latest: .fixed(at(2020, 1, 1, 8, 0, 50))), .dateTime,
            nil, nil
        ),
    ]

    @Test(arguments: cases.indices) func theRangeIsOfWholeDaysOrMinutesWithinTheLimits(_ index: Int) {
        let item = Self.cases[index]
        let range = item.limits.range(item.format, at: Self.now)
        #expect(range?.lowerBound == item.low)
        #expect(range?.upperBound == item.high)
    }
}
