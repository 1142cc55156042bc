// SPDX-License-Identifier: Apache-2.0
import Base

/// How the fields of sentences are written; `number` is that of a field, from 1. Everything is read as
/// integers, so that no digit is rounded twice. Nil where a field is empty or not written so.
extension NMEASentence {
    /// A number without sign and point, of at most nine digits.
    @inline(__always)
    func integer(_ number: Int) -> Int? {
        guard let range = range(number), range.count <= 9 else { return nil }
        return digits(range)
    }

    /// The digits of a range as a number; nil where it has something else. The caller bounds its length.
    @inline(__always)
    func digits(_ range: Range<Int>) -> Int? {
        var value = 0
        for index in range {
            let digit = self[index] &- 0x30
            guard digit <= 9 else { return nil }
            value = value &* 10 &+ Int(digit)
        }
        return value
    }

    /// `[-]digits[.digits]` in units of 10^-places, of at most nine whole digits; further places
    /// are cut. Nil for anything else.
    func fixed(_ number: Int, places: Int) -> Int64? {
        guard let range = range(number) else { return nil }
        return fixed(range, places: places)
    }

    /// As `fixed(_:places:)`, of a part of a field.
    @inline(__always)
    func fixed(_ range: Range<Int>, places: Int) -> Int64? {
        guard range.count <= 24, places <= 9 else { return nil }
        var index = range.lowerBound
        let isNegative = self[index] == UInt8(ascii: "-")
        if isNegative { index += 1 }
        var value: Int64 = 0
        let wholeStart = index
        while index < range.upperBound {
            let digit = self[index] &- 0x30
            if digit > 9 { break }
            value = value &* 10 &+ Int64(digit)
            index += 1
        }
        let whole = index - wholeStart
        guard whole <= 9 else { return nil }
        var left = places
        if index < range.upperBound {
            guard self[index] == UInt8(ascii: "."), whole + range.upperBound - index > 1 else { return nil }
            index += 1
            while index < range.upperBound {
                let digit = self[index] &- 0x30
                guard digit <= 9 else { return nil }
                if left > 0 {
                    value = value &* 10 &+ Int64(digit)
                    left -= 1
                }
                index += 1
            }
        } else if whole == 0 {
            return nil
        }
        value = value &* Self.power(left)
        return isNegative ? -value : value
    }

    /// 10^0...10^9: with nine whole digits and nine places a value stays below 10^18. A switch,
    /// since a table is a global that Swift sets up at its first use and asks for at each.
    @inline(__always)
    private static func power(_ places: Int) -> Int64 {
        switch places {
        case 0: 1
        case 1: 10
        case 2: 100
        case 3: 1000
        case 4: 10_000
        case 5: 100_000
        case 6: 1_000_000
        case 7: 10_000_000
        case 8: 100_000_000
        default: 1_000_000_000
        }
    }

    /// A dilution of precision in millionths; 99 and more is how receivers say that there is
    /// none, and so is 0.
    @inline(__always)
    func dilution(_ number: Int) -> Int64? {
        guard let value = fixed(number, places: 6), value > 0, value < 99_000_000 else { return nil }
        return value
    }

    /// hhmmss[.sss] in nanoseconds since midnight; second 60 is a leap second.
    @inline(__always)
    func timeOfDay(_ number: Int) -> Int64? {
        guard let range = range(number), range.count >= 6, let clock = digits(range.lowerBound..<range.lowerBound + 6)
        else { return nil }
        var fraction: Int64 = 0
        if range.count > 6 {
            let point = range.lowerBound + 6
            guard self[point] == UInt8(ascii: ".") else { return nil }
            if range.count > 7 {
                guard let value = fixed(point..<range.upperBound, places: 9) else { return nil }
                fraction = value
            }
        }
        let (hour, minute, second) = (clock / 10_000, clock / 100 % 100, clock % 100)
        guard hour < 24, minute < 60, second <= 60 else { return nil }
        return Int64(hour * 3600 + minute * 60 + second) * 1_000_000_000 + fraction
    }

    /// ddmmyy; 69 and more is of the last century, since the first GPS receivers are
    /// of the Eighties.
    @inline(__always)
    func date(_ number: Int) -> LocalDate? {
        guard let range = range(number), range.count == 6, let digits = digits(range) else { return nil }
        let year = digits % 100
        return LocalDate(year: year + (year < 69 ? 2000 : 1900), month: digits / 100 % 100, day: digits / 10_000)
    }

    /// [d]ddmm.mmmm and a letter in 10^-8 minutes (0.02 mm), negative for the second letter; nil
    /// beyond `limit` degrees.
    @inline(__always)
    func minutes(_ number: Int, _ positive: UInt8, _ negative: UInt8, limit: Int64) -> Int64? {
        guard let side = range(number + 1), side.count == 1 else { return nil }
        let letter = self[side.lowerBound]
        guard letter == positive || letter == negative, let value = fixed(number, places: 8), value >= 0 else {
            return nil
        }
        let unit: Int64 = 100_000_000
        let (degrees, minutes) = value.quotientAndRemainder(dividingBy: 100 * unit)
        let total = degrees * 60 * unit + minutes
        guard minutes < 60 * unit, total <= limit * 60 * unit else { return nil }
        return letter == negative ? -total : total
    }
}
