// SPDX-License-Identifier: Apache-2.0

/// Markup. What is interpolated into it as a text is escaped; only markup goes in as it is. There is no other way in.
struct HTML: ExpressibleByStringInterpolation, Sendable {
    /// The markup itself.
    let text: String

    init(stringLiteral value: String) { text = value }
    init(stringInterpolation: StringInterpolation) { text = stringInterpolation.text }

    /// Nothing.
    static let none: HTML = ""

    struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var text = ""

        init(literalCapacity: Int, interpolationCount: Int) { text.reserveCapacity(literalCapacity) }

        mutating func appendLiteral(_ literal: String) { text += literal }
        mutating func appendInterpolation(_ value: HTML) { text += value.text }
        mutating func appendInterpolation(_ values: some Sequence<HTML>) { for value in values { text += value.text } }
        mutating func appendInterpolation(_ value: some BinaryInteger) { text += String(value) }
        /// Escapes for content and for attributes in quotes of either kind.
        mutating func appendInterpolation(_ value: some StringProtocol) {
            for scalar in value.unicodeScalars {
                switch scalar {
                case "&": text += "&amp;"
                case "<": text += "&lt;"
                case ">": text += "&gt;"
                case "\"": text += "&quot;"
                case "'": text += "&#39;"
                // Not allowed in HTML at all, and able to reverse what a reader sees.
                case "\u{0}"..<"\u{9}", "\u{B}", "\u{C}", "\u{E}"..<"\u{20}", "\u{7F}"..<"\u{A0}",
                    "\u{202A}"..."\u{202E}",
                    "\u{2066}"..."\u{2069}":
                    text += "\u{FFFD}"
                default: text.unicodeScalars.append(scalar)
                }
            }
        }
    }
}
