// SPDX-License-Identifier: Apache-2.0

/// Something a reader of the study must know about how it was understood: `studyd validate` and enrolment print
/// it.
package struct Remark: Sendable, Hashable {
    package enum Kind: String, Sendable {
        /// The file left it open, and this was assumed.
        case assumption
        /// The study runs as the platform's app runs it, and that is most likely
        /// not what was meant.
        case warning
        /// The board or this program cannot do it; the study runs without it.
        case unsupported
        /// The study cannot be run for this reason.
        case refusal
    }
    package let kind: Kind
    /// JSON path: `$.modules[1].alerts.timeout_after`.
    package let path: String
    /// Line of the file, from 1, where it could be found.
    package let line: Int?
    /// One sentence, with the remedy where there is one.
    package let message: String

    /// Path and line in words: `$.modules[1].type (line 12)`.
    package var place: String { path + (line.map { " (line \($0))" } ?? "") }

    package init(_ kind: Kind, path: String, line: Int? = nil, _ message: String) {
        (self.kind, self.path, self.line, self.message) = (kind, path, line, message)
    }
}
