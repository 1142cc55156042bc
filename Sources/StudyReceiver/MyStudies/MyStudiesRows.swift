// SPDX-License-Identifier: Apache-2.0

/// The rows that the Response server would write for a run, and what it would find wrong instead.
struct MyStudiesRows: Sendable {
    /// A row of a list.
    struct Row: Sendable {
        let list: String
        /// The place, among the rows, of the one it belongs to.
        let parent: Int?
        /// Values by column, as they come back: dates as the server writes them.
        let values: [JSONValue.Member]
    }

    /// Each after the one it belongs to.
    private(set) var rows: [Row] = []
    /// In the server's words; empty where every result has its column.
    private(set) var errors: [String] = []

    /// The rows of a response's `results` in the list of an activity.
    init(_ results: [JSONValue], design: MyStudiesDesign, list: String) {
        add(results, design, list: list, parent: nil)
    }

    /// One row of a list, and those below it.
    private mutating func add(_ results: [JSONValue], _ design: MyStudiesDesign, list: String, parent: Int?) {
        var values: [JSONValue.Member] = []
        var below: [(JSONValue, MyStudiesDesign.Field)] = []
        for result in results {
            guard let (type, place, field) = step(of: result, design, list: list) else { continue }
            switch (place, field.place) {
            case (.column(let kind), .column(let expected)) where kind != expected:
                errors.append(
                    "Type '\(type)' (\(kind.rawValue)) of result '\(Self.key(result))' does not match expected type "
                        + "(\(expected.rawValue))")
            case (.column(let kind), .column):
                guard let value = single(result, kind, Self.key(result)) else { continue }
                values.append(.init(name: field.key, value: value))
            case (.column, _): errors.append("Unable to find column '\(Self.key(result))' in list '\(list)'")
            case (.choices, .choices), (.group, .group): below.append((result, field))
            default: errors.append("Invalid list '\(list)\(MyStudiesDesign.capitalised(Self.key(result)))'")
            }
        }
        rows.append(Row(list: list, parent: parent, values: values))
        let own = rows.count - 1
        for (result, field) in below { add(result, field, list: list, parent: own) }
    }

    /// What a result says it is, and its step; nil for an instruction, and where there is none.
    private mutating func step(
        of result: JSONValue, _ design: MyStudiesDesign, list: String
    ) -> (type: String, place: MyStudiesDesign.Place, field: MyStudiesDesign.Field)? {
        guard let type = result["resultType"]?.string else {
            errors.append("A result in list '\(list)' has no resultType")
            return nil
        }
        if type.isEmpty { return nil }
        guard let place = MyStudiesDesign.place(type) else {
            errors.append("Unknown result type: '\(type)'")
            return nil
        }
        guard let field = design[Self.key(result)] else {
            errors.append("Unable to find column '\(Self.key(result))' in list '\(list)'")
            return nil
        }
        return (type, place, field)
    }

    private static func key(_ result: JSONValue) -> String { result["key"]?.string ?? "" }

    /// A result that goes to a sub-list.
    private mutating func add(_ result: JSONValue, _ field: MyStudiesDesign.Field, list: String, parent: Int) {
        if result["skipped"]?.bool == true { return }
        let subList = list + MyStudiesDesign.capitalised(field.key)
        let value = result["value"] ?? .null
        switch field.place {
        case .choices: addChoices(value, field.key, list: subList, parent: parent)
        case .group(let design):
            // The server stumbles over a group that was neither skipped nor answered.
            guard !value.isNull else { return errors.append("NullPointerException") }
            guard let entries = value.array else {
                return mismatch(value, "grouped result field", field.key, "ArrayList")
            }
            addGroup(entries, field.key, design, list: subList, parent: parent)
        case .column: break
        }
    }

    /// Either the results of one round, or an array of them for each round.
    private mutating func addGroup(
        _ entries: [JSONValue], _ key: String, _ design: MyStudiesDesign, list: String, parent: Int
    ) {
        var rounds: [[JSONValue]] = []
        for entry in entries {
            switch entry {
            case .array(let round): rounds.append(round)
            case .object where rounds.isEmpty:
                let isPlain = entries.allSatisfy { if case .object = $0 { true } else { false } }
                guard isPlain else { return mismatch(entry, "grouped result field", key, "ArrayList or HashMap") }
                return add(entries, design, list: list, parent: parent)
            default: return mismatch(entry, "grouped result field", key, "ArrayList or HashMap")
            }
        }
        for round in rounds { add(round, design, list: list, parent: parent) }
    }

    private mutating func addChoices(_ value: JSONValue, _ key: String, list: String, parent: Int) {
        if value.isNull { return }
        guard let entries = value.array else { return mismatch(value, "choice field", key, "ArrayList") }
        for entry in entries {
            if entry.string != nil {
                rows.append(Row(list: list, parent: parent, values: [.init(name: key, value: entry)]))
            } else if let other = entry["other"], other.string != nil {
                var values = [JSONValue.Member(name: key, value: other)]
                if let words = entry["text"]?.string, words.contains(where: { !$0.isWhitespace }) {
                    values.append(.init(name: MyStudiesDesign.otherColumn(key), value: .string(words)))
                }
                rows.append(Row(list: list, parent: parent, values: values))
            } else {
                mismatch(entry, "choice field", key, "String or an object with other and text")
            }
        }
    }

    /// The value for one column, nil where it is wrong or there is none.
    private mutating func single(_ result: JSONValue, _ kind: MyStudiesDesign.Kind, _ key: String) -> JSONValue? {
        guard let value = result["value"], !value.isNull, result["skipped"]?.bool != true else { return nil }
        switch (kind, value) {
        case (.number, .number(let text)):
            // A whole number beyond 32 bits is a Long to the server, which it does not take.
            let isWhole = text.allSatisfy { $0.isNumber || $0 == "-" }
            if !isWhole || Int32(text) != nil { return value }
        case (.text, .string), (.truth, .bool): return value
        case (.date, .string(let text)):
            if let date = MyStudiesDate.written(text) { return .string(date) }
            errors.append("Invalid date string format for field '\(key)' (\(text))")
            return nil
        default: break
        }
        let expected =
            switch kind {
            case .number: "Integer or Float"
            case .text: "String"
            case .truth: "Boolean"
            case .date: "String"
            }
        mismatch(value, kind == .date ? "Date field" : "field", key, expected)
        return nil
    }

    private mutating func mismatch(_ value: JSONValue, _ what: String, _ key: String, _ expected: String) {
        errors.append("Value type for \(what) '\(key)' expected to be \(expected) but got class \(Self.type(value))")
    }

    /// The server's name for the type of a JSON value.
    private static func type(_ value: JSONValue) -> String {
        switch value {
        case .null: "null"
        case .bool: "java.lang.Boolean"
        case .string: "java.lang.String"
        case .array: "java.util.ArrayList"
        case .object: "java.util.LinkedHashMap"
        case .number(let text):
            if Int32(text) != nil {
                "java.lang.Integer"
            } else if Int64(text) != nil {
                "java.lang.Long"
            } else {
                text.allSatisfy { $0.isNumber || $0 == "-" } ? "java.math.BigInteger" : "java.lang.Double"
            }
        }
    }
}
