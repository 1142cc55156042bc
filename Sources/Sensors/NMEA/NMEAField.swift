// SPDX-License-Identifier: Apache-2.0
import Times

/// How the fields of NMEA sentences are written. Everything is read as integers, so that no digit is rounded twice.
enum NMEAField {
    /// A number without sign and point, of at most nine digits.
    static func digits(_ text: String?) -> Int? {
        guard let text, (1...9).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return Int(text)
    }

    /// `[-]digits[.digits]` in units of 10^-places; further places are cut. Nil for anything else and for huge numbers.
    static func fixed(_ text: String?, places: Int) -> Int64? {
        guard let bytes = text?.utf8, bytes.count <= 24 else { return nil }
        let isNegative = bytes.first == UInt8(ascii: "-")
        var value: Int64 = 0
        var whole = 0
        var fraction: Int?  // digits behind the point, nil before it
        for byte in isNegative ? bytes.dropFirst() : bytes[...] {
            if byte == UInt8(ascii: "."), fraction == nil {
                fraction = 0
                continue
            }
            guard isDigit(byte) else { return nil }
            if let places = fraction { fraction = places + 1 } else { whole += 1 }
            guard whole <= 9 else { return nil }
            if fraction ?? 0 <= places { value = value * 10 + Int64(byte - 0x30) }
        }
        guard whole + (fraction ?? 0) > 0 else { return nil }
        for _ in min(fraction ?? 0, places)..<places { value *= 10 }
        return isNegative ? -value : value
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

    /// A decimal number, to six places.
    static func number(_ text: String?) -> Double? { fixed(text, places: 6).map { Double($0) / 1e6 } }

    /// A dilution of precision; 99 and more is how receivers say that there is none, and so is 0.
    static func dilution(_ text: String?) -> Double? { number(text).flatMap { $0 > 0 && $0 < 99 ? $0 : nil } }

    /// hhmmss[.sss] in nanoseconds since midnight; second 60 is a leap second.
    static func timeOfDay(_ text: String?) -> Int64? {
        guard let nanoseconds = fixed(text, places: 9), nanoseconds >= 0, let text,
            text.utf8.prefix(while: { $0 != UInt8(ascii: ".") }).count == 6
        else { return nil }
        let (clock, fraction) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        let (hour, minute, second) = (clock / 10_000, clock / 100 % 100, clock % 100)
        guard hour < 24, minute < 60, second <= 60 else { return nil }
        return (hour * 3600 + minute * 60 + second) * 1_000_000_000 + fraction
    }

    /// ddmmyy; 69 and more is of the last century, since the first GPS receivers are of the Eighties.
    static func date(_ text: String?) -> LocalDate? {
        guard let text, text.utf8.count == 6, let digits = digits(text) else { return nil }
        let year = digits % 100
        return LocalDate(year: year + (year < 69 ? 2000 : 1900), month: digits / 100 % 100, day: digits / 10_000)
    }

    /// [d]ddmm.mmmm and a letter in degrees, negative for the second letter; nil beyond `limit`.
    ///
    /// Kept to 10^-8 minutes (0.02 mm) and rounded once, in the last division.
    static func degrees(
        _ text: String?, _ letter: String?, _ positive: String, _ negative: String, limit: Int64
    ) -> Double? {
        guard letter == positive || letter == negative, let value = fixed(text, places: 8), value >= 0 else {
            return nil
        }
        let unit: Int64 = 100_000_000
        let (degrees, minutes) = value.quotientAndRemainder(dividingBy: 100 * unit)
        let total = degrees * 60 * unit + minutes
        guard minutes < 60 * unit, total <= limit * 60 * unit else { return nil }
        return Double(letter == negative ? -total : total) / Double(60 * unit)
    }
}
