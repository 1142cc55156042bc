// SPDX-License-Identifier: Apache-2.0
import Base

/// What the answer to a step is, and how it is written.
struct SageField: Sendable, Hashable {
    /// The answer types that are written, as `AnswerType.json` has them.
    enum Kind: Sendable, Hashable {
        case boolean, integer, number, string
        case date(String)
        case time(String)
        case duration([String])
        case measurement(String)
        case object
    }
    /// One choice as the file has it.
    struct Choice: Sendable, Hashable {
        /// As answers within the program have it.
        let key: String
        /// As it is sent; nil = no value.
        let value: JSONText?
        let text: String
        /// Ticks all that are not exclusive.
        let isAll: Bool
        let isExclusive: Bool
    }
    let kind: Kind
    var isArray = false
    /// Of a list from which all ticks were taken `[]` is sent, as SageResearch does; else nothing.
    var sendsEmptyList = false
    /// Answers are counted in units of this many of what is sent (minutes for seconds: 60).
    var scale = 1.0
    var choices: [Choice] = []
    /// The key of the step that holds what else was answered.
    var otherStep: String?
    /// Only this many characters of a text are kept; nil = all.
    var maximumLength: Int?

    init(_ kind: Kind) { self.kind = kind }

    /// The value of a choice that means "something else".
    static let otherKey = "other"
}
