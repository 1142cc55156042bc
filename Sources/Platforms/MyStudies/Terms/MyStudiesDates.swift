// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// Times as the study metadata server writes them, for the readers of schedules, resources and questions, and
/// for `MyStudiesRows`. Both apps read the wall clock of the text and ignore its zone, so that 08:56 at the
/// server is 08:56 wherever the device is.
enum MyStudiesDates {
    /// `2017-05-11T08:56:00.000-0400`: the first nineteen characters count. Nil for anything else.
    static func local(_ text: String) -> LocalDateTime? {
        guard text.utf8.count >= 19, text.utf8.count <= 40 else { return nil }
        let parts = text.prefix(19).split(separator: "T", maxSplits: 1)
        guard parts.count == 2, let date = date(parts[0]), let time = time(parts[1]) else { return nil }
        return LocalDateTime(date, time)
    }

    /// `2017-05-11`.
    static func date(_ text: some StringProtocol) -> LocalDate? {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
        guard parts.count == 3, let year = parts[0], let month = parts[1], let day = parts[2],
            (1900...2200).contains(year)
        else { return nil }
        return LocalDate(year: year, month: month, day: day)
    }

    /// `08:56:00` or `08:56`.
    static func time(_ text: some StringProtocol) -> LocalTime? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false).map { Int($0) }
        guard (2...3).contains(parts.count), let hour = parts[0], let minute = parts[1],
            let second = parts.count == 3 ? parts[2] : 0
        else { return nil }
        return LocalTime(hour: hour, minute: minute, second: second)
    }
}

extension LocalDate {
    /// This many months later, on the last day of the month where it has no such day.
    func adding(months: Int) -> LocalDate {
        let (year, month, day) = components
        let index = year * 12 + month - 1 + months
        let target = (year: index >= 0 ? index / 12 : (index - 11) / 12, month: ((index % 12) + 12) % 12 + 1)
        for last in stride(from: day, through: max(day - 3, 1), by: -1) {
            if let date = LocalDate(year: target.year, month: target.month, day: last) { return date }
        }
        return self
    }
}

extension LocalDateTime {
    func adding(days: Int) -> LocalDateTime { LocalDateTime(date.adding(days: days), time) }
    func adding(months: Int) -> LocalDateTime { LocalDateTime(date.adding(months: months), time) }
}
