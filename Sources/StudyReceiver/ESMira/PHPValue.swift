// SPDX-License-Identifier: Apache-2.0

/// What PHP makes of a decoded JSON value: the server of ESMira is written in it, and some of its answers are its language's rules.
enum PHPValue {
    /// A conversion that ends the script of the server.
    struct Fatal: Error, CustomStringConvertible {
        let description: String
    }

    /// `json_decode`: nil for what is no JSON.
    static func decoded(_ bytes: [UInt8]) -> JSONValue? {
        guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
        return try? JSONReader.value(text, depthLimit: 128)
    }

    /// `if($value)`: an object is true even where it is empty, a list only where it is not.
    static func isTrue(_ value: JSONValue?) -> Bool {
        switch value {
        case nil, .null: false
        case .boolean(let value): value
        case .spelled(let text): Double(text) != 0
        case .string(let text): !text.isEmpty && text != "0"
        case .array(let values): !values.isEmpty
        case .object: true
        }
    }

    /// `isset($value)`.
    static func isSet(_ value: JSONValue?) -> Bool { value.map { !$0.isNull } ?? false }

    /// `(int) $value`.
    static func int(_ value: JSONValue?) -> Int {
        switch value {
        case nil, .null: 0
        case .boolean(let value): value ? 1 : 0
        case .spelled(let text): Int(text) ?? Double(text).flatMap { Int(exactly: $0.rounded(.towardZero)) } ?? 0
        case .string(let text): int(text)
        case .array(let values): values.isEmpty ? 0 : 1
        case .object: 1
        }
    }

    /// `(int) $text`: the number that it begins with, else 0.
    static func int(_ text: String) -> Int { int(.spelled(number(at: text))) }

    /// `floatval($text)`.
    static func float(_ text: String) -> Double { Double(number(at: text)) ?? 0 }

    /// `(string) $value`. Throws for an object.
    static func text(_ value: JSONValue) throws(Fatal) -> String {
        switch value {
        case .null: return ""
        case .boolean(let value): return value ? "1" : ""
        case .spelled(let text): return shown(text)
        case .string(let text): return text
        case .array: return "Array"
        case .object: throw Fatal(description: "Object of class stdClass could not be converted to string")
        }
    }

    /// `$a <=> $b` without looking at types: as numbers where both are, else as texts. Nil stands for NULL.
    static func order(_ a: JSONValue?, _ b: JSONValue?) throws(Fatal) -> Int {
        let (left, right) = (try text(a ?? .null), try text(b ?? .null))
        if let one = numeric(left), let other = numeric(right) { return one < other ? -1 : one > other ? 1 : 0 }
        return left < right ? -1 : left > right ? 1 : 0
    }

    /// Letters, marks, digits, `_'-().` and white space below 4000 bytes, as names, keys and kinds of event must be; what is empty passes.
    static func passesStrictCheck(_ value: JSONValue?) -> Bool {
        guard isTrue(value), let value, let text = try? text(value) else { return !isTrue(value) }
        return text.utf8.count < longestInput
            && text.unicodeScalars.allSatisfy { scalar in
                switch scalar.properties.generalCategory {
                case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
                    .nonspacingMark, .spacingMark, .enclosingMark, .decimalNumber, .letterNumber, .otherNumber,
                    .spaceSeparator, .lineSeparator, .paragraphSeparator:
                    true
                default: "_'-().\t\n\r\u{B}\u{C}".unicodeScalars.contains(scalar)
                }
            }
    }

    /// One line for a table: no double quotes, no line breaks, 4000 bytes at most.
    static func oneLine(_ text: String) -> String {
        var text = text
        if text.utf8.count > longestInput { text = String(decoding: text.utf8.prefix(longestInput), as: UTF8.self) }
        return String(
            String.UnicodeScalarView(
                text.unicodeScalars.map { $0 == "\"" ? "'" : $0 == "\n" || $0 == "\r" ? " " : $0 }))
    }

    /// `strtolower(trim($text))` of ASCII.
    static func key(_ text: String) -> String {
        var rest = Substring(text)
        while let first = rest.unicodeScalars.first, " \t\n\r\0\u{B}".unicodeScalars.contains(first) {
            rest.unicodeScalars.removeFirst()
        }
        while let last = rest.unicodeScalars.last, " \t\n\r\0\u{B}".unicodeScalars.contains(last) {
            rest.unicodeScalars.removeLast()
        }
        return String(String.UnicodeScalarView(rest.unicodeScalars.map { $0.isASCII ? $0.lowercase : $0 }))
    }

    /// A number as `json_encode` writes it.
    static func json(_ value: Double) -> JSONValue {
        Int64(exactly: value).map { .spelled(String($0)) } ?? .spelled("\(value)")
    }

    private static let longestInput = 4000

    private static func shown(_ number: String) -> String {
        if let whole = Int(number) { return String(whole) }
        guard let value = Double(number), value.isFinite else { return "INF" }
        return abs(value) < 1e15 ? Int64(exactly: value).map(String.init) ?? "\(value)" : "\(value)".uppercased()
    }

    private static func numeric(_ text: String) -> Double? {
        let trimmed = key(text)
        return !trimmed.isEmpty && number(at: trimmed) == trimmed ? Double(trimmed) : nil
    }

    /// The decimal number at the begin of a text, `0` where there is none.
    private static func number(at text: String) -> String {
        let bytes = Array(key(text).utf8)
        var end = 0
        func digits() -> Int {
            let start = end
            while end < bytes.count, (48...57).contains(bytes[end]) { end += 1 }
            return end - start
        }
        if let sign = bytes.first, sign == 45 || sign == 43 { end = 1 }
        let start = bytes.first == 43 ? 1 : 0
        var count = digits()
        if end < bytes.count, bytes[end] == 46 {
            end += 1
            count += digits()
        }
        guard count > 0 else { return "0" }
        if end + 1 < bytes.count, bytes[end] | 32 == 101 {
            let before = end
            end += 1
            if bytes[end] == 45 || bytes[end] == 43 { end += 1 }
            if digits() == 0 { end = before }
        }
        return String(decoding: bytes[start..<end], as: UTF8.self)
    }
}

extension Unicode.Scalar {
    /// Of an ASCII letter.
    fileprivate var lowercase: Unicode.Scalar {
        ("A"..."Z").contains(self) ? Unicode.Scalar(UInt8(value) | 32) : self
    }
}
