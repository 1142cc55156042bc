// SPDX-License-Identifier: Apache-2.0
import Times

/// Moments as RFC 3339 text and back, for files and descriptions.
enum TimeText {
    /// `2026-11-21T10:15:00.123456+01:00`; offset 0 is written `Z`. Digits beyond microseconds are cut.
    static func rfc3339(_ instant: Instant, offset: Int = 0) -> String {
        let local = LocalDateTime(instant, offset: offset)
        let (year, month, day) = local.date.components
        let time = local.time
        let date = "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))"
        let clock = "\(padded(time.hour, 2)):\(padded(time.minute, 2)):\(padded(time.second, 2))"
        return "\(date)T\(clock).\(padded(time.nanosecond / 1000, 6))\(zone(offset))"
    }

    /// The moment that such a text names, with any number of decimals; nil for anything else.
    static func instant(_ text: String) -> Instant? {
        let bytes = Array(text.utf8)
        guard bytes.count >= 20, bytes.count <= 40, bytes[4] == 45, bytes[7] == 45, bytes[13] == 58, bytes[16] == 58,
            let year = number(bytes[0..<4]), let month = number(bytes[5..<7]), let day = number(bytes[8..<10]),
            let hour = number(bytes[11..<13]), let minute = number(bytes[14..<16]), let second = number(bytes[17..<19]),
            let date = LocalDate(year: year, month: month, day: day),
            let time = LocalTime(hour: hour, minute: minute, second: second)
        else { return nil }
        var rest = bytes[19...]
        var nanoseconds: Int64 = 0
        if rest.first == 46 {
            let digits = rest.dropFirst().prefix { (48...57).contains($0) }
            guard let fraction = number(digits.prefix(9)) else { return nil }
            nanoseconds = Int64(fraction) * power(ten: 9 - min(9, digits.count))
            rest = rest.dropFirst(1 + digits.count)
        }
        guard let offset = offset(rest) else { return nil }
        return LocalDateTime(date, time).instant(offset: offset) + .nanoseconds(nanoseconds)
    }

    /// Seconds with six decimals, as CLOCK_MONOTONIC is written in files: `81.250000`.
    static func uptime(_ time: MonotonicTime) -> String {
        let microseconds = time.nanoseconds / 1000
        let sign = microseconds < 0 ? "-" : ""
        return "\(sign)\(abs(microseconds) / 1_000_000).\(padded(Int(abs(microseconds) % 1_000_000), 6))"
    }

    /// The reading that such a text names; nil for anything else.
    static func uptime(_ text: Substring) -> MonotonicTime? {
        guard let seconds = Double(text), seconds.isFinite, abs(seconds) < 4e9 else { return nil }
        return MonotonicTime(nanoseconds: Int64((seconds * 1e6).rounded()) * 1000)
    }

    /// A number with zeros before it.
    static func padded(_ value: Int, _ width: Int) -> String {
        let digits = String(abs(value))
        return (value < 0 ? "-" : "") + String(repeating: "0", count: max(0, width - digits.count)) + digits
    }

    /// `Z` or `+01:00`.
    static func zone(_ offset: Int) -> String {
        guard offset != 0 else { return "Z" }
        let minutes = abs(offset) / 60
        return "\(offset < 0 ? "-" : "+")\(padded(minutes / 60, 2)):\(padded(minutes % 60, 2))"
    }

    private static func offset(_ bytes: ArraySlice<UInt8>) -> Int? {
        let bytes = Array(bytes)
        if bytes == [90] || bytes == [122] { return 0 }
        guard bytes.count == 6, bytes[3] == 58, bytes[0] == 43 || bytes[0] == 45,
            let hours = number(bytes[1..<3]), let minutes = number(bytes[4..<6])
        else { return nil }
        return (bytes[0] == 45 ? -1 : 1) * (hours * 3600 + minutes * 60)
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
        guard !digits.isEmpty, digits.allSatisfy({ (48...57).contains($0) }) else { return nil }
        return digits.reduce(0) { $0 * 10 + Int($1 - 48) }
    }

    private static func power(ten exponent: Int) -> Int64 {
        (0..<exponent).reduce(1) { value, _ in value * 10 }
    }
}
