// SPDX-License-Identifier: Apache-2.0
import Base

/// A moment as the wall clock of a zone shows it, spelled as RFC 3339 with seconds and a numeric offset:
/// `2019-05-08T23:16:21+10:00`. UTC is `+00:00`, never `Z`. Fractions of a second are cut. For `studyd status`,
/// `studyd plan` and schema's records.
package struct ZonedText: Sendable, Hashable, CustomStringConvertible {
    package let description: String

    package init(_ instant: Instant, in zone: Zone) {
        let offset = zone.period(at: instant).offset
        description = LocalDateTime(instant, offset: offset).text(fractionDigits: 0, offsetMinutes: offset / 60)
    }
}
