// SPDX-License-Identifier: Apache-2.0

/// Numbers from texts and texts from numbers as the app has them, which on Android are Java's. `MerlinHeap` and
/// `MerlinLibrary` convert with it.
enum MerlinNumber {
    /// Whole numbers of 32 bits without decimals; else as Java prints a double: `0.5`,
    /// `1.0E10`, `NaN`.
    static func text(_ number: Double) -> String {
        let whole = int(number)
        if Double(whole) == number { return String(whole) }
        guard number.isFinite else { return number.isNaN ? "NaN" : number < 0 ? "-Infinity" : "Infinity" }
        let (digits, point) = shortest(number.magnitude)
        // Java prints numbers from 0.001 to below 10 million without an exponent.
        let text =
            (-2...7).contains(point)
            ? decimal(digits, point) : "\(digits[0]).\(fraction(digits.dropFirst()))E\(point - 1)"
        return number < 0 ? "-" + text : text
    }

    /// What a text means as a number, nil for none: Java's rules, so that ` 1e3 `, `.5`, `7f`,
    /// `0x1p4` and `Infinity` are numbers.
    static func parse(_ text: String) -> Double? {
        // Most texts that are not numbers show it by their first character.
        guard let start = text.utf8.first(where: { $0 > 0x20 }),
            start < 0x3A || start == UInt8(ascii: "N") || start == UInt8(ascii: "I")
        else { return nil }
        var bytes = Array(text.utf8)[...]
        while let last = bytes.last, last <= 0x20 { bytes.removeLast() }
        while let first = bytes.first, first <= 0x20 { bytes.removeFirst() }
        guard let first = bytes.first else { return nil }
        let isNegative = first == UInt8(ascii: "-")
        if isNegative || first == UInt8(ascii: "+") { bytes.removeFirst() }
        guard let magnitude = magnitude(bytes) else { return nil }
        return isNegative ? -magnitude : magnitude
    }

    /// As the app makes an `Int` of it: towards zero, within 32 bits, 0 for no number.
    static func int(_ number: Double) -> Int {
        number.isNaN ? 0 : Int(max(-2_147_483_648, min(2_147_483_647, number)))
    }

    private static func magnitude(_ bytes: ArraySlice<UInt8>) -> Double? {
        if bytes.elementsEqual("NaN".utf8) { return .nan }
        if bytes.elementsEqual("Infinity".utf8) { return .infinity }
        var digits = bytes
        let isHexadecimal =
            bytes.count > 2 && bytes.first == UInt8(ascii: "0")
            && bytes.dropFirst().first.map(lower) == UInt8(ascii: "x")
        if isHexadecimal { digits = bytes.dropFirst(2) }
        let limit = digits.count
        skipDigits(&digits, isHexadecimal)
        var hasDigits = digits.count < limit
        if digits.first == UInt8(ascii: ".") {
            digits.removeFirst()
            let before = digits.count
            skipDigits(&digits, isHexadecimal)
            hasDigits = hasDigits || digits.count < before
        }
        guard hasDigits else { return nil }
        let hasExponent = digits.first.map(lower) == UInt8(ascii: isHexadecimal ? "p" : "e")
        if hasExponent {
            digits.removeFirst()
            if digits.first == UInt8(ascii: "-") || digits.first == UInt8(ascii: "+") { digits.removeFirst() }
            let before = digits.count
            skipDigits(&digits, false)
            if digits.count == before { return nil }
        }
        if isHexadecimal && !hasExponent { return nil }
        let end = digits.startIndex
        if let suffix = digits.first.map(lower), suffix == UInt8(ascii: "f") || suffix == UInt8(ascii: "d") {
            digits.removeFirst()
        }
        guard digits.isEmpty else { return nil }
        return Double(String(decoding: bytes[..<end], as: UTF8.self))
    }

    private static func skipDigits(_ bytes: inout ArraySlice<UInt8>, _ hexadecimal: Bool) {
        while let byte = bytes.first, (0x30...0x39).contains(byte) || hexadecimal && (0x61...0x66).contains(lower(byte))
        {
            bytes.removeFirst()
        }
    }

    /// The lower case of an ASCII letter.
    private static func lower(_ byte: UInt8) -> UInt8 { byte | 0x20 }

    /// The shortest digits that mean this number, without zeros around them, and how many of them
    /// come before the point.
    private static func shortest(_ number: Double) -> (digits: [Character], point: Int) {
        let parts = "\(number)".split(separator: "e")
        let exponent = parts.count > 1 ? Int(parts[1]) ?? 0 : 0
        let mantissa = parts[0].split(separator: ".", omittingEmptySubsequences: false)
        var digits = Array(mantissa.joined())
        var point = mantissa[0].count + exponent
        while digits.count > 1, digits.last == "0" { digits.removeLast() }
        while digits.count > 1, digits.first == "0" {
            digits.removeFirst()
            point -= 1
        }
        return (digits, point)
    }

    private static func decimal(_ digits: [Character], _ point: Int) -> String {
        if point <= 0 { return "0." + String(repeating: "0", count: -point) + String(digits) }
        let whole = String(digits.prefix(point)) + String(repeating: "0", count: max(0, point - digits.count))
        return whole + "." + fraction(digits.dropFirst(point))
    }

    private static func fraction(_ digits: ArraySlice<Character>) -> String { digits.isEmpty ? "0" : String(digits) }
}
