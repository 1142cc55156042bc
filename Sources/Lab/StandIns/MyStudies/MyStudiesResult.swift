// SPDX-License-Identifier: Apache-2.0
import Base
import Lab

/// One result of a run as the Response server reads it: `SurveyResult`, a bean that Jackson fills. `MyStudiesListRows`
/// makes rows of them.
struct MyStudiesResult: Sendable {
    /// Why it is not taken.
    struct Refusal: Error, Sendable {
        let words: String
        init(_ words: String) { self.words = words }
    }

    /// `resultType`; empty for an instruction.
    let type: String
    let key: String
    let isSkipped: Bool
    private let value: JSONValue

    init(_ entry: JSONValue) throws(Refusal) {
        /// Nil for a member of another type; `missing` where there is none.
        func member<Value>(_ name: String, _ missing: Value, _ read: (JSONValue) -> Value?) -> Value? {
            guard let found = entry[name], !found.isNull else { return missing }
            return read(found)
        }
        guard case .object = entry, let type = member("resultType", "", \.string),
            let key = member("key", "null", \.string), let isSkipped = member("skipped", false, \.bool),
            Self.isMoment(entry["startTime"]), Self.isMoment(entry["endTime"])
        else { throw Refusal("Not a result: \(entry.text.prefix(100))") }
        (self.type, self.key, self.isSkipped) = (type, key, isSkipped)
        value = entry["value"] ?? .null
    }

    // MARK: What it is

    /// The kind of its column; nil for a type that the server does not know, which it stores without
    /// a value in a column for texts.
    var kind: MyStudiesDesign.Kind? {
        if case .column(let kind)? = MyStudiesDesign.place(type) { kind } else { nil }
    }

    var isChoice: Bool { type.lowercased() == "textchoice" }

    /// It goes to a sub-list.
    var isMultiple: Bool {
        switch MyStudiesDesign.place(type) {
        case .choices, .group: true
        case .column, nil: false
        }
    }

    // MARK: Its value

    /// The value for its one column; nil where there is none.
    func single() throws(Refusal) -> JSONValue? {
        guard !value.isNull, !isSkipped, let kind else { return nil }
        switch (kind, value) {
        // A whole number beyond 32 bits is a Long to the server, which it does not take.
        case (.number, .spelled(let text)) where Int32(text) != nil || text.contains(where: { ".eE".contains($0) }):
            return value
        case (.text, .string), (.truth, .boolean): return value
        case (.date, .string(let text)):
            if let date = MyStudiesDate.taken(text) { return .string(date) }
            throw Refusal("Invalid date string format for field '\(key)' (\(text))")
        default: throw mismatch(kind.rawValue)
        }
    }

    /// What was chosen, each with what was entered for an "other" choice.
    func choices() throws(Refusal) -> [(value: JSONValue, words: String?)] {
        if value.isNull { return [] }
        guard let entries = value.array else { throw mismatch("list of choices") }
        return try entries.map { entry throws(Refusal) -> (value: JSONValue, words: String?) in
            guard case .object = entry else { return (entry, nil) }
            // The server stumbles over a null.
            if entry["text"]?.isNull == true { throw mismatch("list of choices with texts") }
            return (entry["other"] ?? .string(""), entry["text"].map { $0.string ?? $0.text })
        }
    }

    /// The results of a group, a list for each round; results without rounds are a single one. The server stumbles over
    /// a group that was neither skipped nor answered.
    func rounds() throws(Refusal) -> [[MyStudiesResult]] {
        guard let entries = value.array else { throw mismatch("list of results") }
        let hasRounds = entries.allSatisfy { $0.array != nil }
        let rounds = hasRounds ? entries.map { $0.array ?? [] } : [entries]
        return try rounds.map { round throws(Refusal) in
            try round.map { entry throws(Refusal) in try MyStudiesResult(entry) }
        }
    }

    private func mismatch(_ expected: String) -> Refusal {
        Refusal("Value for field '\(key)' expected to be \(expected) but got \(value.text.prefix(100))")
    }

    /// As the apps write moments: `2026-05-28T20:20:00.000+0000`, also with the offset as
    /// `Z` or `+00:00`.
    static func isMoment(_ value: JSONValue?) -> Bool {
        guard let value, !value.isNull else { return true }
        let pattern = /\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?)?/
        return value.string?.wholeMatch(of: pattern) != nil
    }
}
