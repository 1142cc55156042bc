// SPDX-License-Identifier: Apache-2.0

/// What a free text must be like. Only a text of letters can be held to it; what is spoken is not looked at.
package struct TextRules: Sendable, Hashable {
    /// What kind of text it is.
    package enum Kind: String, Sendable { case text, email }
    /// Decides the characters that are offered.
    package let kind: Kind
    /// In characters; nil = `longest`.
    package let maximumLength: Int?
    /// Must be found in the text; nil = anything goes.
    package let pattern: TextPattern?
    /// Told where the pattern is not found; empty = a sentence of our own.
    package let invalidMessage: String

    /// More characters than anyone chooses by buttons.
    package static let longest = 500

    /// Anything goes unless given.
    package init(
        _ kind: Kind = .text, maximumLength: Int? = nil, pattern: TextPattern? = nil, invalidMessage: String = ""
    ) {
        self.kind = kind
        self.maximumLength = maximumLength
        self.pattern = pattern
        self.invalidMessage = invalidMessage
    }

    /// The most characters that are taken.
    package var limit: Int { min(maximumLength ?? Self.longest, Self.longest) }

    /// Whether a text may be the answer. An address needs something before its one `@`, and a name with a dot in it behind.
    package func accepts(_ text: String) -> Bool {
        text.count <= limit && (kind == .text || Self.isAddress(text)) && (pattern?.isFound(in: text) ?? true)
    }

    private static func isAddress(_ text: String) -> Bool {
        let halves = text.split(separator: "@", omittingEmptySubsequences: false)
        guard halves.count == 2, let name = halves.first, let host = halves.last, !name.isEmpty else { return false }
        let labels = host.split(separator: ".", omittingEmptySubsequences: false)
        return labels.count >= 2 && labels.allSatisfy { !$0.isEmpty }
    }
}
