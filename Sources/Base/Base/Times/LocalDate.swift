// SPDX-License-Identifier: Apache-2.0

/// A day of the proleptic Gregorian calendar, without a zone.
package struct LocalDate: Hashable, Comparable, Sendable {
    /// Days since 1970-01-01, negative before.
    package var daysSinceEpoch: Int

    package init(daysSinceEpoch: Int) { self.daysSinceEpoch = daysSinceEpoch }

    /// Nil where there is no such day (February 30, month 13), and outside the years -9999...9999.
    package init?(year: Int, month: Int, day: Int) {
        guard (-9999...9999).contains(year), (1...12).contains(month), (1...31).contains(day) else { return nil }
        daysSinceEpoch = Self.days(year: year, month: month, day: day)
        guard components.day == day else { return nil }
    }

    /// The first of a month 1...12 of any year: no check, for years beyond those that
    /// have a name here.
    init(firstOf month: Int, year: Int) { daysSinceEpoch = Self.days(year: year, month: month, day: 1) }

    /// Year, month 1...12 and day 1...31.
    package var components: (year: Int, month: Int, day: Int) {
        // Howard Hinnant's civil_from_days (`days` below is days_from_civil): days are counted from March 1 of
        // year 0, so that a leap day ends its year, in eras of 400 years (146 097 days).
        let shifted = daysSinceEpoch + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
    }

    /// ISO 8601 weekday: Monday 1 ... Sunday 7.
    package var weekday: Int { ((daysSinceEpoch % 7 + 7) + 3) % 7 + 1 }

    package static func < (left: Self, right: Self) -> Bool { left.daysSinceEpoch < right.daysSinceEpoch }

    package func adding(days: Int) -> LocalDate { LocalDate(daysSinceEpoch: daysSinceEpoch + days) }

    private static func days(year: Int, month: Int, day: Int) -> Int {
        let year = month <= 2 ? year - 1 : year
        let era = (year >= 0 ? year : year - 399) / 400
        let yearOfEra = year - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }
}
