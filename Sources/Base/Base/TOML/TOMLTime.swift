// SPDX-License-Identifier: Apache-2.0

/// How dates and times are spelt (RFC 3339). Leap seconds and the year 0 are
/// refused, as Python does.
enum TOMLTime {
    /// The date, the time, or both with or without an offset, with `T` and `Z`; nil for what
    /// is none of them.
    static func spelling(of word: String) -> String? {
        let bytes = Array(word.utf8)
        guard bytes.count >= 8 else { return nil }
        if bytes[2] == UInt8(ascii: ":") { return timeEnd(bytes[...]) == bytes.count ? word : nil }
        guard bytes.count >= 10, isDate(bytes[..<10]) else { return nil }
        guard bytes.count > 10 else { return word }
        guard [UInt8(ascii: "T"), UInt8(ascii: "t"), UInt8(ascii: " ")].contains(bytes[10]),
            let end = timeEnd(bytes[11...]), isOffset(bytes[end...])
        else { return nil }
        let ending = String(decoding: bytes[end...], as: UTF8.self)
        return String(decoding: bytes[..<10], as: UTF8.self) + "T" + String(decoding: bytes[11..<end], as: UTF8.self)
            + (ending == "z" ? "Z" : ending)
    }

    private static func isDate(_ bytes: ArraySlice<UInt8>) -> Bool {
        let start = bytes.startIndex
        guard bytes[start + 4] == UInt8(ascii: "-"), bytes[start + 7] == UInt8(ascii: "-"),
            let year = number(bytes[start..<start + 4]), let month = number(bytes[start + 5..<start + 7]),
            let day = number(bytes[start + 8..<start + 10]), year > 0, (1...12).contains(month)
        else { return false }
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        let days = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        return (1...days[month - 1]).contains(day)
    }

    /// Where `HH:MM:SS` or `HH:MM:SS.ffff` ends; nil where none begins.
    private static func timeEnd(_ bytes: ArraySlice<UInt8>) -> Int? {
        let start = bytes.startIndex
        guard bytes.count >= 8, bytes[start + 5] == UInt8(ascii: ":"), isClock(bytes[start..<start + 5]),
            let seconds = number(bytes[start + 6..<start + 8]), seconds < 60
        else { return nil }
        let rest = bytes[(start + 8)...]
        guard rest.first == UInt8(ascii: ".") else { return rest.startIndex }
        let digits = rest.dropFirst().prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        return digits.isEmpty ? nil : digits.endIndex
    }

    /// Nothing, `Z` or `+HH:MM`.
    private static func isOffset(_ bytes: ArraySlice<UInt8>) -> Bool {
        switch bytes.first {
        case nil: true
        case UInt8(ascii: "Z"), UInt8(ascii: "z"): bytes.count == 1
        case UInt8(ascii: "+"), UInt8(ascii: "-"): bytes.count == 6 && isClock(bytes.dropFirst())
        default: false
        }
    }

    /// `HH:MM`.
    private static func isClock(_ bytes: ArraySlice<UInt8>) -> Bool {
        let start = bytes.startIndex
        guard bytes[start + 2] == UInt8(ascii: ":"), let hours = number(bytes[start..<start + 2]),
            let minutes = number(bytes[start + 3..<start + 5])
        else { return false }
        return hours < 24 && minutes < 60
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> Int? {
        var number = 0
        for byte in bytes {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
            number = number * 10 + Int(byte - UInt8(ascii: "0"))
        }
        return number
    }
}
