// SPDX-License-Identifier: Apache-2.0
import Times

/// A moment as the wall clock of a zone shows it, spelled as RFC 3339 with seconds and a numeric offset:
/// `2019-05-08T23:16:21+10:00`. UTC is `+00:00`, never `Z`. Fractions of a second are cut.
package struct ZonedText: Sendable, Hashable, CustomStringConvertible {
    /// The spelling.
    package let description: String

    /// The spelling of that moment in that zone.
    package init(_ instant: Instant, in zone: Zone) {
        let offset = zone.period(at: instant).offset
        let local = LocalDateTime(instant, offset: offset)
        let day = local.date.components
        let minutes = abs(offset) / 60
        description =
            Self.digits(day.year, 4) + "-" + Self.digits(day.month, 2) + "-" + Self.digits(day.day, 2)
            + "T" + Self.digits(local.time.hour, 2) + ":" + Self.digits(local.time.minute, 2)
            + ":" + Self.digits(local.time.second, 2) + (offset < 0 ? "-" : "+") + Self.digits(minutes / 60, 2)
            + ":" + Self.digits(minutes % 60, 2)
    }

    private static func digits(_ value: Int, _ width: Int) -> String {
        let text = String(abs(value))
        return (value < 0 ? "-" : "") + String(repeating: "0", count: max(0, width - text.count)) + text
    }
}
