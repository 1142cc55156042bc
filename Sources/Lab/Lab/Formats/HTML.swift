// SPDX-License-Identifier: Apache-2.0
import Base

/// Markup. What is interpolated into it as a text is escaped; only markup goes in as it is. There
/// is no other way in.
struct HTML: ExpressibleByStringInterpolation, Sendable {
    /// The markup itself.
    let text: String

    init(stringLiteral value: String) { text = value }
    init(stringInterpolation: StringInterpolation) { text = stringInterpolation.text }

    static let none: HTML = ""

    struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var text = ""

        init(literalCapacity: Int, interpolationCount: Int) { text.reserveCapacity(literalCapacity) }

        mutating func appendLiteral(_ literal: String) { text += literal }
        mutating func appendInterpolation(_ value: HTML) { text += value.text }
        mutating func appendInterpolation(_ values: some Sequence<HTML>) { for value in values { text += value.text } }
        mutating func appendInterpolation(_ value: some BinaryInteger) { text += String(value) }
        mutating func appendInterpolation(_ value: some StringProtocol) { text += Markup.escaped(value) }
    }
}
