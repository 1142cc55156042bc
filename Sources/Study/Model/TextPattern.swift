// SPDX-License-Identifier: Apache-2.0

/// A regular expression of a study. The reader of the study passes in the matcher, so that nothing
/// here calls a library.
package struct TextPattern: Sendable, Hashable {
    /// Whether a text holds it.
    package enum Outcome: Sendable, Hashable {
        case found, missing
        /// The search took too long and was given up.
        case exhausted
    }

    package static let exhaustedRemark =
        "a text was refused because its pattern took too long to match; ask the study's author for a simpler pattern"

    private let source: String
    private let matcher: @Sendable (String) -> Outcome

    /// `matcher` looks for it anywhere in a text and ends in bounded time.
    package init(_ source: String, matcher: @escaping @Sendable (String) -> Outcome) {
        self.source = source
        self.matcher = matcher
    }

    /// Looks for it in a text.
    package func match(_ text: String) -> Outcome { matcher(text) }

    package static func == (a: TextPattern, b: TextPattern) -> Bool { a.source == b.source }
    package func hash(into hasher: inout Hasher) { hasher.combine(source) }
}
