// SPDX-License-Identifier: Apache-2.0

/// What a free text must be like, as the study says. `LettersQuestion` holds a text of letters to it; what is
/// spoken is not looked at.
package struct TextRules: Sendable, Hashable {
    package enum Kind: String, Sendable { case text, email }
    /// Decides the characters that are offered.
    package let kind: Kind
    /// In characters; nil = `longest`.
    package let maximumLength: Int?
    /// Must be found in the text; nil = anything goes.
    package let pattern: TextPattern?
    /// Said where the pattern is not found; empty = a sentence of the device.
    package let invalidMessage: String

    /// More characters than anyone chooses by buttons.
    package static let longest = 500

    package init(
        _ kind: Kind = .text, maximumLength: Int? = nil, pattern: TextPattern? = nil, invalidMessage: String = ""
    ) {
        self.kind = kind
        self.maximumLength = maximumLength
        self.pattern = pattern
        self.invalidMessage = invalidMessage
    }

    package var limit: Int { min(maximumLength ?? Self.longest, Self.longest) }

    /// What becomes of a text.
    package enum Verdict: Sendable, Hashable {
        case accepted, refused
        /// Refused because the pattern could not be looked for to the end.
        case undecided
    }

    /// An address needs something before its one `@`, and a name with a dot after it.
    package func verdict(on text: String) -> Verdict {
        guard text.count <= limit, kind == .text || Self.isAddress(text) else { return .refused }
        return switch pattern?.match(text) {
        case nil, .found: .accepted
        case .missing: .refused
        case .exhausted: .undecided
        }
    }

    package func accepts(_ text: String) -> Bool { verdict(on: text) == .accepted }

    private static func isAddress(_ text: String) -> Bool {
        let halves = text.split(separator: "@", omittingEmptySubsequences: false)
        guard halves.count == 2, let name = halves.first, let host = halves.last, !name.isEmpty else { return false }
        let labels = host.split(separator: ".", omittingEmptySubsequences: false)
        return labels.count >= 2 && labels.allSatisfy { !$0.isEmpty }
    }
}
