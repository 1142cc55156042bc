// SPDX-License-Identifier: Apache-2.0

/// Why a document is not TOML 1.0, or more than is read. `TOMLTable` throws it; `ConfigSource` and the other
/// readers turn it into their own error.
package struct TOMLError: Error, Sendable, Hashable, CustomStringConvertible {
    /// Where the fault was seen; the beginning of a text that has no end.
    package let place: TOMLPlace
    /// What is wrong and, where known, what would be right.
    package let message: String

    init(_ place: TOMLPlace, _ message: String) { (self.place, self.message) = (place, message) }

    /// `line 3, column 7: ...`
    package var description: String { "line \(place.line), column \(place.column): \(message)" }
}
