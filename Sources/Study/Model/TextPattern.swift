// SPDX-License-Identifier: Apache-2.0

/// A regular expression of a study, with which `TextRules` check text answers. The platform's reader passes in
/// the matcher, since this module must not call a regular expression library. Equal where the source is equal.
package struct TextPattern: Sendable, Hashable {
    /// Whether a text contains a match.
    package enum Outcome: Sendable, Hashable {
        case found, missing
        /// The search took too long and was given up.
        case exhausted
    }

    package static let exhaustedRemark =
        "a text was refused because its pattern took too long to match; ask the study's author for a simpler pattern"

    private let source: String
    private let matcher: @Sendable (String) -> Outcome

    /// `matcher` looks for the pattern anywhere in a text, and must end in bounded time.
    package init(_ source: String, matcher: @escaping @Sendable (String) -> Outcome) {
        self.source = source
        self.matcher = matcher
    }

    package func match(_ text: String) -> Outcome { matcher(text) }

    package static func == (a: TextPattern, b: TextPattern) -> Bool { a.source == b.source }
    package func hash(into hasher: inout Hasher) { hasher.combine(source) }
}
