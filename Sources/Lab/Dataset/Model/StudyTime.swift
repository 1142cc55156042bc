// SPDX-License-Identifier: Apache-2.0
import Base

/// A moment, and what the participant's wall clock was ahead of UTC then. In a table it has a column for UTC
/// and one for the wall clock.
package struct StudyTime: Sendable, Hashable, Comparable {
    package let instant: Instant
    /// Seconds east of UTC; nil where nothing that arrived says so.
    package let offset: Int?

    package init(_ instant: Instant, offset: Int?) {
        self.instant = instant
        self.offset = offset
    }

    /// RFC 3339 as a device writes it. `Z` leaves the offset nil, since a device in UTC writes `+00:00`.
    /// Nil for any other text.
    package init?(_ text: String?) {
        guard let text, text.utf8.count <= 40, let instant = Instant.parsed(text) else { return nil }
        self.init(instant, offset: Self.offset(of: text))
    }

    /// The numeric offset at the end of an RFC 3339 text, in seconds; nil for `Z`.
    private static func offset(of text: String) -> Int? {
        let end = text.suffix(6)
        guard let sign = end.first, sign == "+" || sign == "-", let hours = Int(end.dropFirst().prefix(2)),
            let minutes = Int(end.suffix(2))
        else { return nil }
        return (sign == "-" ? -1 : 1) * (hours * 3600 + minutes * 60)
    }

    /// The lab's clock may be off, too.
    private static let margin = 120.0
    /// How many seconds before this moment something was received; nil where the errors of both clocks explain that.
    func ahead(of received: Instant?, clockError: Double?) -> Double? {
        guard let received else { return nil }
        let seconds = (instant - received).seconds
        return seconds > (clockError ?? 0) + Self.margin ? seconds : nil
    }

    package static func < (left: Self, right: Self) -> Bool { left.instant < right.instant }

    /// `2026-11-25T08:54:03.145Z`
    package var utc: String { instant.rfc3339Zulu(fractionDigits: 3) }
    /// What the wall clock showed, without an offset: `2026-11-25T09:54:03.145`.
    package var local: String? { offset.map { LocalDateTime(instant, offset: $0).text(fractionDigits: 3) } }
    /// The wall clock's day; UTC's where that is unknown.
    package var day: LocalDate { LocalDateTime(instant, offset: offset ?? 0).date }
}
