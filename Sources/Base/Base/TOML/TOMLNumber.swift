// SPDX-License-Identifier: Apache-2.0

/// Reads the numbers of TOML 1.0 for `TOMLParser`: 64-bit integers in four radices, and floats.
enum TOMLNumber {
    /// Why a word is no number that can be kept.
    enum Fault: Error {
        case spelling, size

        func message(_ word: String) -> String {
            let shown = "'\(word.prefix(40))\(word.utf8.count > 40 ? "..." : "")'"
            return switch self {
            case .spelling: "\(shown) is not a value; write numbers like 12 or 1.5, and texts in quotes"
            case .size: "\(shown) is too large a number"
            }
        }
    }

    /// Whole numbers of 64 bits and floats of 64 bits; nothing is rounded to infinity.
    static func content(of word: String) throws(Fault) -> TOMLValue.Content {
        let (sign, magnitude) =
            word.first == "-" || word.first == "+" ? (word.prefix(1), word.dropFirst()) : ("", word[...])
        switch magnitude {
        case "inf": return .float(sign == "-" ? -.infinity : .infinity)
        case "nan": return .float(.nan)
        default: break
        }
        if sign.isEmpty, let radix = radix(of: magnitude) {
            return .integer(try whole(magnitude.dropFirst(2), "", radix))
        }
        let mantissa = magnitude.prefix { $0 != "e" && $0 != "E" }
        let leading = mantissa.prefix { $0 != "." }
        guard leading == "0" || leading.first != "0" else { throw .spelling }
        if leading.endIndex == magnitude.endIndex { return .integer(try whole(magnitude, sign, 10)) }
        return .float(try float(sign, magnitude, leading, mantissa))
    }

    /// `leading` (before the point) and `mantissa` (before the exponent) are prefixes of `magnitude` and share its
    /// indices.
    private static func float(_ sign: Substring, _ magnitude: Substring, _ leading: Substring, _ mantissa: Substring)
        throws(Fault) -> Double
    {
        var text = String(sign) + (try digits(leading, 10))
        if leading.endIndex < mantissa.endIndex {
            text += "." + (try digits(mantissa[leading.endIndex...].dropFirst(), 10))
        }
        if mantissa.endIndex < magnitude.endIndex {
            let power = magnitude[mantissa.endIndex...].dropFirst()
            let hasSign = power.first == "-" || power.first == "+"
            text += "e" + power.prefix(hasSign ? 1 : 0) + (try digits(hasSign ? power.dropFirst() : power, 10))
        }
        guard let number = Double(text) else { throw .spelling }
        guard number.isFinite else { throw .size }
        return number
    }

    private static func whole(_ text: Substring, _ sign: Substring, _ radix: Int) throws(Fault) -> Int {
        guard let number = Int(sign + (try digits(text, radix)), radix: radix) else { throw .size }
        return number
    }

    /// At least one digit, an underscore only between two.
    private static func digits(_ text: Substring, _ radix: Int) throws(Fault) -> String {
        var digits = ""
        var wasDigit = false
        for letter in text.unicodeScalars {
            if letter == "_", wasDigit {
                wasDigit = false
            } else if let digit = Character(letter).hexDigitValue, digit < radix {
                digits.unicodeScalars.append(letter)
                wasDigit = true
            } else {
                throw .spelling
            }
        }
        guard wasDigit else { throw .spelling }
        return digits
    }

    private static func radix(of text: Substring) -> Int? {
        switch text.prefix(2) {
        case "0x": 16
        case "0o": 8
        case "0b": 2
        default: nil
        }
    }
}
