// SPDX-License-Identifier: Apache-2.0
import Base

/// A part of a day or a time that is entered by itself; the cases are in the order of asking.
enum DateTimeField: Int, Sendable, Comparable {
    case decade, year, month, dayTens, dayOnes, hour, minuteTens, minuteOnes

    static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// The values of all fields of a `DateTimeQuestion` while they are entered; they need not make a day that
/// exists.
struct DateTimeFields: Sendable {
    /// By `DateTimeField.rawValue`.
    private var values: [Int]

    init(_ moment: LocalDateTime) {
        let (year, month, day) = moment.date.components
        let (hour, minute) = (moment.time.hour, moment.time.minute)
        values = [year / 10, year % 10, month, day / 10, day % 10, hour, minute / 10, minute % 10]
    }

    subscript(field: DateTimeField) -> Int {
        get { values[field.rawValue] }
        set { values[field.rawValue] = newValue }
    }

    /// Nil where there is no such day.
    var date: LocalDate? { LocalDate(year: year, month: self[.month], day: day) }
    var time: LocalTime? { LocalTime(hour: self[.hour], minute: self[.minuteTens] * 10 + self[.minuteOnes]) }

    private var year: Int { self[.decade] * 10 + self[.year] }
    private var day: Int { self[.dayTens] * 10 + self[.dayOnes] }

    /// The first and the last day with these values up to `field`; nil where there is none.
    func days(upTo field: DateTimeField) -> ClosedRange<LocalDate>? {
        let decade = self[.decade] * 10
        let years = field == .decade ? decade...decade + 9 : year...year
        let months = field < .month ? 1...12 : self[.month]...self[.month]
        guard let longest = Self.daysInMonth(years.upperBound, months.upperBound) else { return nil }
        let tens = self[.dayTens] * 10
        let (firstDay, lastDay): (Int, Int) =
            switch field {
            case .decade, .year, .month: (1, longest)
            case .dayTens: (max(tens, 1), min(tens + 9, longest))
            default: (day, day)
            }
        guard firstDay <= lastDay,
            let first = LocalDate(year: years.lowerBound, month: months.lowerBound, day: firstDay),
            let last = LocalDate(year: years.upperBound, month: months.upperBound, day: lastDay)
        else { return nil }
        return first...last
    }

    private static func daysInMonth(_ year: Int, _ month: Int) -> Int? {
        (28...31).last { LocalDate(year: year, month: month, day: $0) != nil }
    }

    /// The first and the last time of day with these values up to `field`.
    func times(upTo field: DateTimeField) -> ClosedRange<LocalTime> {
        let hour = self[.hour] * 60
        let tens = hour + self[.minuteTens] * 10
        let minutes: ClosedRange<Int> =
            switch field {
            case .hour: hour...hour + 59
            case .minuteTens: tens...tens + 9
            case .minuteOnes: tens + self[.minuteOnes]...tens + self[.minuteOnes]
            default: 0...1_439
            }
        func time(_ minutes: Int) -> LocalTime { LocalTime(hour: minutes / 60, minute: minutes % 60) ?? .midnight }
        return time(minutes.lowerBound)...time(minutes.upperBound)
    }
}
