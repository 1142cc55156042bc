// SPDX-License-Identifier: Apache-2.0
import Base

/// A time as a device writes it: `2019-05-08T23:16:21+10:00`, local time with a numeric offset, never `Z`.
/// `SchemaPost` reads the times of its fields so.
struct WrittenTime: Hashable, Sendable {
    let instant: Instant
    /// Seconds east of UTC.
    let offset: Int

    /// Nil for every other form, other ways of RFC 3339 included, and outside the
    /// years 1970...2199.
    init?(_ text: String) {
        let bytes = Array(text.utf8)
        // Refuses seconds of 60 (a leap second) and `-00:00`, an unknown offset.
        guard bytes.count == 25, bytes[10] == UInt8(ascii: "T"), bytes[17..<19] != [0x36, 0x30],
            !text.hasSuffix("-00:00"), let instant = try? Instant(rfc3339: text),
            let hours = Int(text.suffix(6).prefix(3)), let minutes = Int(text.suffix(2)),
            // Zones lie between -12:00 and +14:00; local mean times up to 15:13 have been in use.
            abs(hours) <= 15,
            // A device's wildest clock must not make the difference of two times overflow.
            (Instant.epoch...Instant(seconds: 7_258_118_400)).contains(instant)
        else { return nil }
        self.instant = instant
        offset = hours * 3600 + (text.suffix(6).first == "-" ? -minutes : minutes) * 60
    }
}

extension WrittenTime {
    /// Of the writer's wall clock.
    var date: LocalDate { local.date }
    /// Minutes after midnight of the writer's wall clock.
    var minute: Int { local.time.hour * 60 + local.time.minute }

    private var local: LocalDateTime { LocalDateTime(instant, offset: offset) }
}

extension Instant {
    /// In 2255, shortly before an `Instant` ends.
    static let distantFuture = Instant(seconds: 9_000_000_000)

    /// `2019-05-08 13:16:21`, what a clock at that offset from UTC shows.
    package func shown(offset: Int = 0) -> String {
        let local = LocalDateTime(self, offset: offset)
        return "\(local.date) \(String(describing: local.time).prefix(8))"
    }
}
