// SPDX-License-Identifier: Apache-2.0

// Moments, days and times of day as texts (RFC 3339), and read from them.

extension Instant: CustomStringConvertible {
    /// RFC 3339 with the zone's offset at that moment: `2026-11-21T09:05:00+01:00`, for UTC
    /// `+00:00`, never `Z`.
    ///
    /// `fractionDigits` 0...9; what is beyond them is cut, not rounded, so that a time is never
    /// later than the moment. An offset with seconds (before 1972) is cut to the minute, as the format
    /// wants, and the wall time shown accordingly.
    package func rfc3339(in zone: Zone = .utc, fractionDigits: Int = 0) -> String {
        let minutes = zone.period(at: self).offset / 60
        return LocalDateTime(self, offset: minutes * 60).text(fractionDigits: fractionDigits, offsetMinutes: minutes)
    }

    /// RFC 3339 with the offset of a wall clock in seconds, to the microsecond:
    /// `2026-11-21T10:15:00.123456+01:00`; offset 0 is written `Z`.
    package func rfc3339(offset: Int) -> String {
        LocalDateTime(self, offset: offset).text(fractionDigits: 6) + Zone.text(offset: offset)
    }

    /// RFC 3339 in UTC with `Z`: `2026-11-21T08:05:00Z`. `fractionDigits` as in
    /// `rfc3339(in:fractionDigits:)`.
    package func rfc3339Zulu(fractionDigits: Int = 0) -> String {
        LocalDateTime(self, offset: 0).text(fractionDigits: fractionDigits) + "Z"
    }

    /// UTC with `Z` and as many digits after the second as are needed.
    package var description: String { LocalDateTime(self, offset: 0).description + "Z" }

    /// The moment that an RFC 3339 text with `Z` or an offset names.
    ///
    /// A leap second counts as the second after it; digits beyond the nanosecond are cut. Throws
    /// `TimeTextError`, also outside the years 1678...2261, which the type does not hold.
    package init(rfc3339 text: String) throws(TimeTextError) {
        var cursor = TextCursor(text)
        guard let date = cursor.date(), (1678...2261).contains(date.components.year), cursor.consumeDateEnd(),
            let time = cursor.time(needsSeconds: true, allowsLeapSecond: true), let offset = cursor.offset(),
            cursor.isAtEnd
        else { throw TimeTextError(text: text, expected: "a time with offset; use e.g. 2026-11-21T09:05:00+01:00") }
        let minute = LocalDateTime(date, .midnight).instant(offset: offset)
        self = minute + .nanoseconds(time)
    }

    /// The same, but nil for any other text.
    package static func parsed(_ text: String) -> Instant? { try? Instant(rfc3339: text) }
}

extension LocalDate: CustomStringConvertible {
    /// `2026-11-21`.
    package var description: String {
        var text = TimeBytes()
        text.add(self)
        return text.text
    }

    /// The day that `2026-11-21` names. Throws `TimeTextError`.
    package init(parsing text: String) throws(TimeTextError) {
        var cursor = TextCursor(text)
        guard let date = cursor.date(), cursor.isAtEnd else {
            throw TimeTextError(text: text, expected: "a date; use e.g. 2026-11-21")
        }
        self = date
    }
}

extension LocalTime: CustomStringConvertible {
    /// `09:05:00`, with a fraction only where there is one.
    package var description: String {
        var digits = 9
        var rest = nanosecond
        while digits > 0, rest % 10 == 0 { (digits, rest) = (digits - 1, rest / 10) }
        return text(fractionDigits: digits)
    }

    /// The time of day that `09:05`, `09:05:00` or `09:05:00.250` names. Throws `TimeTextError`.
    package init(parsing text: String) throws(TimeTextError) {
        var cursor = TextCursor(text)
        guard let time = cursor.time(needsSeconds: false, allowsLeapSecond: false), cursor.isAtEnd else {
            throw TimeTextError(text: text, expected: "a time of day; use e.g. 09:05 or 09:05:00")
        }
        self.init(wrapping: time)
    }

    /// `09:05:00` and exactly this many digits (0...9) after the second; what is beyond them is
    /// cut.
    package func text(fractionDigits: Int) -> String {
        var text = TimeBytes()
        text.add(self, fractionDigits: fractionDigits)
        return text.text
    }
}

extension LocalDateTime: CustomStringConvertible {
    /// `2026-11-21T09:05:00`, with a fraction only where there is one.
    package var description: String { "\(date)T\(time)" }

    /// `2026-11-21T09:05:00` and exactly this many digits (0...9) after the second; what is beyond
    /// them is cut.
    package func text(fractionDigits: Int) -> String { bytes(fractionDigits: fractionDigits).text }

    /// The same with a numeric offset after it: `2026-11-21T09:05:00+01:00`.
    package func text(fractionDigits: Int, offsetMinutes: Int) -> String {
        var text = bytes(fractionDigits: fractionDigits)
        text.add(offsetMinutes < 0 ? "-" : "+")
        text.add(abs(offsetMinutes) / 60, width: 2)
        text.add(":")
        text.add(abs(offsetMinutes) % 60, width: 2)
        return text.text
    }

    private func bytes(fractionDigits: Int) -> TimeBytes {
        var text = TimeBytes()
        text.add(date)
        text.add("T")
        text.add(time, fractionDigits: fractionDigits)
        return text
    }

    /// The wall time that `2026-11-21T09:05` or `2026-11-21T09:05:00` names, `T` or a space
    /// between. Throws `TimeTextError`.
    package init(parsing text: String) throws(TimeTextError) {
        var cursor = TextCursor(text)
        guard let date = cursor.date(), cursor.consumeDateEnd(),
            let time = cursor.time(needsSeconds: false, allowsLeapSecond: false), cursor.isAtEnd
        else { throw TimeTextError(text: text, expected: "a local time without offset; use e.g. 2026-11-21T09:05") }
        self.init(date, LocalTime(wrapping: time))
    }
}

/// The digits and signs of a time, without a string for each of them: times are in every row
/// and every record.
private struct TimeBytes {
    private var bytes: [UInt8] = []

    init() { bytes.reserveCapacity(36) }

    var text: String { String(decoding: bytes, as: UTF8.self) }

    mutating func add(_ sign: Unicode.Scalar) { bytes.append(UInt8(truncatingIfNeeded: sign.value)) }

    /// A value from 0 on, with at least this many digits.
    mutating func add(_ value: Int, width: Int) {
        if value >= 10 || width > 1 { add(value / 10, width: width - 1) }
        bytes.append(UInt8(0x30 + value % 10))
    }

    mutating func add(_ date: LocalDate) {
        let (year, month, day) = date.components
        if year < 0 { add("-") }
        add(abs(year), width: 4)
        add("-")
        add(month, width: 2)
        add("-")
        add(day, width: 2)
    }

    /// `fractionDigits` 0...9; what is beyond them is cut.
    mutating func add(_ time: LocalTime, fractionDigits: Int) {
        add(time.hour, width: 2)
        add(":")
        add(time.minute, width: 2)
        add(":")
        add(time.second, width: 2)
        let digits = min(max(fractionDigits, 0), 9)
        guard digits > 0 else { return }
        add(".")
        add(time.nanosecond, width: 9)
        bytes.removeLast(9 - digits)
    }
}

extension TextCursor {
    mutating func date() -> LocalDate? {
        guard let year = number(digits: 4), consume("-"), let month = number(digits: 2), consume("-"),
            let day = number(digits: 2)
        else { return nil }
        return LocalDate(year: year, month: month, day: day)
    }

    mutating func consumeDateEnd() -> Bool { consume("T") || consume("t") || consume(" ") }

    /// Nanoseconds since midnight; a whole day or more only in a leap second.
    mutating func time(needsSeconds: Bool, allowsLeapSecond: Bool) -> Int64? {
        guard let hour = number(digits: 2), consume(":"), let minute = number(digits: 2),
            let start = LocalTime(hour: hour, minute: minute)
        else { return nil }
        guard consume(":") else { return needsSeconds ? nil : start.nanoseconds }
        guard let second = number(digits: 2), second < (allowsLeapSecond ? 61 : 60), let fraction = fraction() else {
            return nil
        }
        return start.nanoseconds + Int64(second) * 1_000_000_000 + fraction
    }

    /// Nanoseconds; 0 without a point, nil where no digit follows it.
    private mutating func fraction() -> Int64? {
        guard consume(".") else { return 0 }
        let digits = consume { $0.isASCIIDigit }
        if digits.isEmpty { return nil }
        return (0..<9).reduce(0) { value, place in
            value * 10 + (place < digits.count ? Int64(digits[digits.startIndex + place]) - 0x30 : 0)
        }
    }

    /// Seconds east of UTC.
    mutating func offset() -> Int? {
        if consume("Z") || consume("z") { return 0 }
        let isWest = consume("-")
        guard isWest || consume("+"), let hours = number(digits: 2), hours < 24, consume(":"),
            let minutes = number(digits: 2), minutes < 60
        else { return nil }
        return (hours * 3600 + minutes * 60) * (isWest ? -1 : 1)
    }
}

/// Why a text is not a time.
package struct TimeTextError: Error, Hashable, CustomStringConvertible {
    /// The text as given, cut to 64 characters.
    package let text: String
    /// What was looked for, with an example.
    private let expected: String

    package init(text: String, expected: String) {
        self.text = String(text.prefix(64))
        self.expected = expected
    }

    /// Quotes the text, cut as it is, and says what was looked for.
    package var description: String { "'\(text)' is not \(expected)" }
}
