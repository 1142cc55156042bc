// SPDX-License-Identifier: Apache-2.0

/// How strictly `JSONNode` reads a JSON text, and its bounds. Readers of codebooks, of Avro schemas and of what
/// the lab's server is sent change the defaults.
package struct JSONRules: Sendable {
    /// The most bytes that are looked at.
    package var maximumSize = 4 * 1024 * 1024
    package var maximumDepth = 64
    /// A comma may follow the last element.
    package var allowsTrailingCommas = false
    /// Half of a surrogate pair in an escape is refused, as PHP and Java's Jackson do; otherwise it
    /// becomes U+FFFD, as in browsers.
    package var refusesLoneSurrogates = false
    package init() {}
}
