// SPDX-License-Identifier: Apache-2.0
import Times

/// A time as a device writes it: `2019-05-08T23:16:21+10:00`, local time with a numeric offset, never `Z`.
struct WrittenTime: Hashable, Sendable {
    /// The moment.
    let instant: Instant
    /// Seconds east of UTC.
    let offset: Int

    /// Nil for every other form.
    init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count == 25, Self.has(bytes, "-", 4, 7), Self.has(bytes, "T", 10), Self.has(bytes, ":", 13, 16, 22),
            let year = Self.number(bytes[0..<4]), let month = Self.number(bytes[5..<7]),
            let day = Self.number(bytes[8..<10]), let hour = Self.number(bytes[11..<13]),
            let minute = Self.number(bytes[14..<16]), let second = Self.number(bytes[17..<19]),
            let offsetHours = Self.number(bytes[20..<22]), let offsetMinutes = Self.number(bytes[23..<25]),
            let date = LocalDate(year: year, month: month, day: day),
            let time = LocalTime(hour: hour, minute: minute, second: second),
            // Zones lie between -12:00 and +14:00; local mean times up to 15:13 have been in use.
            offsetHours <= 15, offsetMinutes < 60, (1678...2261).contains(year)
        else { return nil }
        let size = offsetHours * 3600 + offsetMinutes * 60
        switch bytes[19] {
        case UInt8(ascii: "+"): offset = size
        case UInt8(ascii: "-") where size != 0: offset = -size
        default: return nil
        }
        instant = LocalDateTime(date, time).instant(offset: offset)
    }

    private static func has(_ bytes: [UInt8], _ mark: Character, _ places: Int...) -> Bool {
        places.allSatisfy { bytes[$0] == mark.asciiValue }
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
        guard digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }
}

extension Instant {
    /// `2019-05-08 13:16:21`, what a clock at that offset from UTC shows.
    func shown(offset: Int = 0) -> String {
        let local = LocalDateTime(self, offset: offset)
        let (year, month, day) = local.date.components
        let two: (Int) -> String = { $0 < 10 ? "0\($0)" : "\($0)" }
        return
            "\(year)-\(two(month))-\(two(day)) \(two(local.time.hour)):\(two(local.time.minute)):\(two(local.time.second))"
    }
}
