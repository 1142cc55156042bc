// SPDX-License-Identifier: Apache-2.0
import Base

/// Between which moments a day or a time may be answered, and where choosing begins; `DateTimeQuestion` offers
/// no others.
package struct DateLimits: Sendable, Hashable {
    /// One end of the range.
    package enum Bound: Sendable, Hashable {
        /// As a wall clock shows it.
        case fixed(LocalDateTime)
        /// The moment at which it is asked; for a day alone, today.
        case now
        /// The beginning of the day after the one on which it is asked.
        case tomorrow
    }
    /// Inclusive; nil = no limit.
    package let earliest: Bound?
    /// Inclusive; nil = no limit.
    package let latest: Bound?
    /// Where choosing begins, moved into the range; nil = now.
    package let initial: LocalDateTime?

    package init(earliest: Bound? = nil, latest: Bound? = nil, initial: LocalDateTime? = nil) {
        (self.earliest, self.latest, self.initial) = (earliest, latest, initial)
    }

    /// What may be answered in `format` when it is asked at `now`: whole minutes, for a day
    /// alone whole days. Nil where nothing lies between the limits. Years without a limit
    /// are 1900 to 2099.
    package func range(_ format: DateTimeFormat, at now: LocalDateTime) -> ClosedRange<LocalDateTime>? {
        let low = earliest.map { Self.first($0.moment(at: now), format) }
        let high = latest.map { Self.last($0.moment(at: now), format) }
        let first = low ?? min(Self.firstDay, high.map { LocalDateTime($0.date, .midnight) } ?? Self.firstDay)
        let last = high ?? max(Self.lastDay, low.map { LocalDateTime($0.date, Self.lastMinute) } ?? Self.lastDay)
        return first <= last ? first...last : nil
    }

    // 1900-01-01 and 2099-12-31.
    private static let firstDay = LocalDateTime(LocalDate(daysSinceEpoch: -25_567), .midnight)
    private static let lastDay = LocalDateTime(LocalDate(daysSinceEpoch: 47_481), lastMinute)
    private static let lastMinute = LocalTime(hour: 23, minute: 59) ?? .midnight

    /// The first whole minute that is not before the moment; of a day or a time alone, the beginning of the day.
    private static func first(_ moment: LocalDateTime, _ format: DateTimeFormat) -> LocalDateTime {
        if format != .dateTime { return LocalDateTime(moment.date, .midnight) }
        let minute = whole(moment)
        return minute < moment ? minute.adding(minutes: 1) : minute
    }

    /// The last whole minute that is not after the moment; of a day or a time alone, the end of the day.
    private static func last(_ moment: LocalDateTime, _ format: DateTimeFormat) -> LocalDateTime {
        format == .dateTime ? whole(moment) : LocalDateTime(moment.date, lastMinute)
    }

    private static func whole(_ moment: LocalDateTime) -> LocalDateTime {
        LocalDateTime(moment.date, LocalTime(hour: moment.time.hour, minute: moment.time.minute) ?? moment.time)
    }
}

extension DateLimits.Bound {
    fileprivate func moment(at now: LocalDateTime) -> LocalDateTime {
        switch self {
        case .fixed(let moment): moment
        case .now: now
        case .tomorrow: LocalDateTime(now.date.adding(days: 1), .midnight)
        }
    }
}
