// SPDX-License-Identifier: Apache-2.0

/// A day and a time of day on a wall clock, without a zone. Arithmetic here is calendar arithmetic,
/// as if every day had 24 hours.
package struct LocalDateTime: Hashable, Comparable, Sendable {
    package var date: LocalDate
    package var time: LocalTime

    package init(_ date: LocalDate, _ time: LocalTime) { (self.date, self.time) = (date, time) }

    /// Earlier on the wall clock's face; around a DST change that may be the later moment.
    package static func < (left: Self, right: Self) -> Bool {
        (left.date, left.time) < (right.date, right.time)
    }

    /// What a wall clock that is never moved shows this many minutes later; may cross midnight
    /// either way.
    ///
    /// More than 290 years count as 290, so that a number in a study's file cannot overflow.
    package func adding(minutes: Int) -> LocalDateTime {
        adding(.seconds(60 * min(max(minutes, -153_000_000), 153_000_000)))
    }

    /// What a wall clock that is never moved shows a duration later.
    package func adding(_ duration: Duration) -> LocalDateTime {
        let (days, rest) = floorDivide(duration.nanoseconds, LocalTime.day)
        let (carry, shown) = floorDivide(time.nanoseconds + rest, LocalTime.day)
        return LocalDateTime(date.adding(days: Int(days + carry)), LocalTime(wrapping: shown))
    }
}

extension LocalDateTime {
    /// What a clock shows that is `offset` seconds ahead of UTC.
    package init(_ instant: Instant, offset: Int) {
        let (seconds, fraction) = floorDivide(instant.nanoseconds, 1_000_000_000)
        let (days, second) = floorDivide(seconds + Int64(offset), 86_400)
        self.init(LocalDate(daysSinceEpoch: Int(days)), LocalTime(wrapping: second * 1_000_000_000 + fraction))
    }

    /// The moment at which a clock `offset` seconds ahead of UTC shows this.
    package func instant(offset: Int) -> Instant {
        let seconds = Int64(date.daysSinceEpoch) * 86_400 - Int64(offset)
        return Instant(seconds: seconds) + .nanoseconds(time.nanoseconds)
    }
}
