// SPDX-License-Identifier: Apache-2.0
import Base
import Lab

/// One result of a run as the Response server reads it: `SurveyResult`, a bean that Jackson fills. `MyStudiesRows`
/// makes rows of them.
struct MyStudiesResult: Sendable {
    /// Why it is not taken, in the server's words where it has some.
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
        guard case .object = entry else { throw Refusal("NullPointerException, or no result: \(Self.javaType(entry))") }
        type = try Self.text(entry["resultType"]) ?? ""
        key = try Self.text(entry["key"]) ?? "null"
        isSkipped = try Self.truth(entry["skipped"])
        value = entry["value"] ?? .null
        for name in ["startTime", "endTime"] {
            guard Self.isMoment(entry[name]) else {
                throw Refusal("Cannot deserialize value of type `java.util.Date` from \(name)")
            }
        }
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
        case (.number, .spelled(let text)):
            // A whole number beyond 32 bits is a Long to the server, which it does not take.
            let isWhole = text.allSatisfy { $0.isNumber || $0 == "-" }
            if !isWhole || Int32(text) != nil { return value }
        case (.text, .string), (.truth, .boolean): return value
        case (.date, .string(let text)):
            if let date = MyStudiesDate.taken(text) { return .string(date) }
            throw Refusal("Invalid date string format for field '\(key)' (\(text))")
        default: break
        }
        let expected =
            switch kind {
            case .number: "Integer or Float"
            case .text, .date: "String"
            case .truth: "Boolean"
            }
        throw mismatch(value, kind == .date ? "Date field" : "field", expected)
    }

    /// What was chosen, each with what was entered for an "other" choice.
    func choices() throws(Refusal) -> [(value: JSONValue, words: String?)] {
        if value.isNull { return [] }
        guard let entries = value.array else { throw mismatch(value, "choice field", "ArrayList") }
        var choices: [(value: JSONValue, words: String?)] = []
        for entry in entries {
            guard case .object = entry else {
                choices.append((entry, nil))
                continue
            }
            if entry["text"]?.isNull == true { throw Refusal("NullPointerException") }
            let words = entry["text"].map { $0.string ?? $0.text }
            choices.append((entry["other"] ?? .string(""), words))
        }
        return choices
    }

    /// The results of a group, a list for each round; results without rounds are a single one.
    func rounds() throws(Refusal) -> [[MyStudiesResult]] {
        // The server stumbles over a group that was neither skipped nor answered.
        guard !value.isNull else { throw Refusal("NullPointerException") }
        guard let entries = value.array else { throw mismatch(value, "grouped result field", "ArrayList") }
        let hasRounds = entries.allSatisfy { $0.array != nil }
        let rounds = hasRounds ? entries.map { $0.array ?? [] } : [entries]
        return try rounds.map { round throws(Refusal) in
            try round.map { entry throws(Refusal) in try MyStudiesResult(entry) }
        }
    }

    private func mismatch(_ value: JSONValue, _ what: String, _ expected: String) -> Refusal {
        Refusal("Value type for \(what) '\(key)' expected to be \(expected) but got class \(Self.javaType(value))")
    }
}

extension MyStudiesResult {
    private static func text(_ value: JSONValue?) throws(Refusal) -> String? {
        switch value {
        case nil, .null: nil
        case .string(let text): text
        default: throw Refusal("Cannot deserialize value of type `java.lang.String`")
        }
    }

    private static func truth(_ value: JSONValue?) throws(Refusal) -> Bool {
        switch value {
        case nil, .null: false
        case .boolean(let truth): truth
        default: throw Refusal("Cannot deserialize value of type `java.lang.Boolean` from skipped")
        }
    }

    /// As the apps write moments: `2026-05-28T20:20:00.000+0000`, also with the offset as
    /// `Z` or `+00:00`.
    static func isMoment(_ value: JSONValue?) -> Bool {
        guard let value, !value.isNull else { return true }
        let pattern = /\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?)?/
        return value.string?.wholeMatch(of: pattern) != nil
    }

    /// The server's name for the type of a JSON value.
    private static func javaType(_ value: JSONValue) -> String {
        switch value {
        case .null: "null"
        case .boolean: "java.lang.Boolean"
        case .string: "java.lang.String"
        case .array: "java.util.ArrayList"
        case .object: "java.util.LinkedHashMap"
        case .spelled(let text):
            Int32(text) != nil ? "java.lang.Integer" : text.contains(".") ? "java.lang.Double" : "java.lang.Long"
        }
    }
}
