// SPDX-License-Identifier: Apache-2.0
import Lab

/// How ESMira's server reads values of a request, for all types of the stand-in.
enum ESMiraValue {
    private static let longestInput = 4000

    /// A number, or a text that is one; 0 for all else.
    static func whole(_ value: JSONValue?) -> Int {
        switch value {
        case .spelled(let text), .string(let text):
            Int(text) ?? Double(text).flatMap { Int(exactly: $0.rounded(.towardZero)) } ?? 0
        case .boolean(let isTrue): isTrue ? 1 : 0
        case nil, .null, .array, .object: 0
        }
    }

    /// As PHP's `floatval`: the number that a text begins with; 0 where there is none.
    static func decimal(_ text: String) -> Double {
        let pattern = /\s*([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)/
        guard let match = text.prefixMatch(of: pattern), let number = Double(match.1) else { return 0 }
        return number.isFinite ? number : 0
    }

    /// As PHP casts it to a text, for the table.
    static func text(_ value: JSONValue?) -> String {
        switch value {
        case .string(let text): text
        case .boolean(let isTrue): isTrue ? "1" : ""
        case .spelled(let text): text
        case nil, .null, .array, .object: ""
        }
    }

    static func isSet(_ value: JSONValue?) -> Bool { value.map { !$0.isNull } ?? false }

    /// Letters, marks, digits, `_'-().` and white space below 4000 bytes, as names, keys and kinds
    /// of event must be.
    static func isName(_ text: String) -> Bool {
        text.utf8.count < longestInput
            && text.unicodeScalars.allSatisfy { scalar in
                scalar.properties.isAlphabetic || scalar.properties.numericType != nil
                    || scalar.properties.isWhitespace || scalar.properties.canonicalCombiningClass != .notReordered
                    || "_'-().".unicodeScalars.contains(scalar)
            }
    }

    /// One line for a table: no double quotes, no line breaks, 4000 bytes at most. By bytes, as PHP does it:
    /// CR LF, and a quote with a combining mark, are one `Character`.
    static func oneLine(_ text: String) -> String {
        let bytes = text.utf8.prefix(longestInput).map { byte in
            switch byte {
            case UInt8(ascii: "\""): UInt8(ascii: "'")
            case UInt8(ascii: "\r"), UInt8(ascii: "\n"): UInt8(ascii: " ")
            default: byte
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// A number as the server writes it.
    static func json(_ value: Double) -> JSONValue {
        Int64(exactly: value).map { .spelled(String($0)) } ?? .spelled("\(value)")
    }
}
