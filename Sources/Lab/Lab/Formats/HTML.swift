// SPDX-License-Identifier: Apache-2.0
import Base

/// Markup of the pages. What is interpolated into it as a text is escaped; only markup goes in as it is. There
/// is no other way in.
package struct HTML: ExpressibleByStringInterpolation, Sendable {
    package let text: String

    package init(stringLiteral value: String) { text = value }
    package init(stringInterpolation: StringInterpolation) { text = stringInterpolation.text }

    package static let none: HTML = ""

    package struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var text = ""

        package init(literalCapacity: Int, interpolationCount: Int) { text.reserveCapacity(literalCapacity) }

        package mutating func appendLiteral(_ literal: String) { text += literal }
        package mutating func appendInterpolation(_ value: HTML) { text += value.text }
        package mutating func appendInterpolation(_ values: some Sequence<HTML>) {
            for value in values { text += value.text }
        }
        package mutating func appendInterpolation(_ value: some BinaryInteger) { text += String(value) }
        package mutating func appendInterpolation(_ value: some StringProtocol) { text += Markup.escaped(value) }
    }
}
