// SPDX-License-Identifier: Apache-2.0
import Base

/// What kind of answer a step takes, and how `SageAnswer` writes it as JSON.
struct SageField: Sendable, Hashable {
    /// The answer types of SageResearch, as `AnswerType.json` has them; dates and times with their format,
    /// durations and measurements with their units.
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
        /// Its value in `AnswerValue.choices`: `value` as text, distinct among the choices.
        var key: String
        /// As it is sent; nil = the choice has no value and adds nothing.
        let value: JSONText?
        let text: String
        /// Stands for all choices that are not exclusive.
        let isAll: Bool
        let isExclusive: Bool
    }
    let kind: Kind
    /// Several answers are sent as one list.
    var isArray = false
    /// Where all ticks were taken off again, `[]` is sent, as SageResearch does; false = nothing is sent.
    var sendsEmptyList = false
    /// What is sent is the number entered times this: 60 where minutes are entered and seconds sent.
    var scale = 1.0
    var choices: [Choice] = []
    /// The key of the step that asks for the text of "Other"; nil where the question does not offer it.
    var otherStep: String?
    /// Only this many characters of a text are kept; nil = all.
    var maximumLength: Int?

    init(_ kind: Kind) { self.kind = kind }

    /// The key of the choice "Other".
    static let otherKey = "other"
}
