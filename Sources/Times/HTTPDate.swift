// SPDX-License-Identifier: Apache-2.0

/// A date of HTTP (RFC 9110 §5.6.7): one form is written, `Sun, 06 Nov 1994 08:49:37 GMT`, and three are read.
package struct HTTPDate: Hashable, Sendable, CustomStringConvertible {
    /// The moment, to the second.
    package let instant: Instant

    private static let days = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    /// The date of that moment; what is less than a second falls away.
    package init(_ instant: Instant) { self.instant = Instant(seconds: instant.seconds) }

    /// Reads the form of today, that of RFC 850 (`Sunday, 06-Nov-94 08:49:37 GMT`) and that of C's asctime (`Sun Nov  6 08:49:37 1994`).
    /// A year of two digits that seems to lie more than 50 years after `now` is one that is past. Nil for anything else; the weekday is
    /// not looked at.
    package init?(_ text: some StringProtocol, now: Instant) {
        let words = String(text).split(separator: " ").map(String.init)
        let day: String
        let month: String
        let year: String
        let time: String
        switch words.count {
        case 6 where words[5] == "GMT": (day, month, year, time) = (words[1], words[2], words[3], words[4])
        case 5: (day, month, year, time) = (words[2], words[1], words[4], words[3])
        case 4 where words[3] == "GMT":
            let date = words[1].split(separator: "-", omittingEmptySubsequences: false).map(String.init)
            guard date.count == 3 else { return nil }
            (day, month, year, time) = (date[0], date[1], date[2], words[2])
        default: return nil
        }
        guard let place = Self.months.firstIndex(of: month), let day = Self.number(day, 1...2),
            let year = Self.year(year, now), let date = LocalDate(year: year, month: place + 1, day: day),
            let second = Self.second(time)
        else { return nil }
        instant = Instant(seconds: Int64(date.daysSinceEpoch) * 86_400 + Int64(second))
    }

    /// `Sun, 06 Nov 1994 08:49:37 GMT`.
    package var description: String {
        let local = LocalDateTime(instant, offset: 0)
        let (year, month, day) = local.date.components
        let time = String(String(describing: local.time).prefix(8))
        let padded = String(repeating: "0", count: max(0, 4 - String(year).count)) + String(year)
        return
            "\(Self.days[local.date.weekday - 1]), \(day < 10 ? "0" : "")\(day) \(Self.months[month - 1]) \(padded) \(time) GMT"
    }

    private static func number(_ text: some StringProtocol, _ digits: ClosedRange<Int>) -> Int? {
        digits.contains(text.utf8.count) && text.utf8.allSatisfy { (48...57).contains($0) } ? Int(text) : nil
    }

    private static func year(_ text: String, _ now: Instant) -> Int? {
        if let year = number(text, 4...4) { return year }
        guard let short = number(text, 2...2) else { return nil }
        let present = LocalDateTime(now, offset: 0).date.components.year
        let year = present / 100 * 100 + short
        return year > present + 50 ? year - 100 : year
    }

    /// A leap second counts as the next one's beginning.
    private static func second(_ text: String) -> Int? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false).map { number($0, 2...2) }
        guard parts.count == 3, let hour = parts[0], let minute = parts[1], let second = parts[2],
            hour < 24, minute < 60, second <= 60
        else { return nil }
        return hour * 3600 + minute * 60 + second
    }
}
