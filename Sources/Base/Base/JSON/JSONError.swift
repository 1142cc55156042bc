// SPDX-License-Identifier: Apache-2.0

/// Why a text is not the JSON that was asked for. `JSONNode` throws it.
package struct JSONError: Error, Sendable, Hashable, CustomStringConvertible {
    /// From 1; nil where the whole text is meant.
    package let line: Int?
    package let expected: String
    package let found: String

    /// `line 3: expected JSON: ':', found '}'`.
    package var description: String { "\(line.map { "line \($0): " } ?? "")expected \(expected), found \(found)" }
}
