// SPDX-License-Identifier: Apache-2.0
import Lab

/// The rows that the Response server would write into its lists for a run, and what it would find wrong
/// instead; `MyStudiesResponseServer` makes them as it checks the run.
///
/// As its Java does it (`ResponseManager.storeSurveyResult` and what that calls), list by list: first the single
/// values, all columns before any value, then what goes to sub-lists. The first thing wrong ends it, except for
/// columns, which are all reported.
struct MyStudiesListRows: Sendable {
    struct Row: Sendable {
        let list: String
        /// Values by column, as they come back: dates as the server writes them.
        let values: [JSONValue.Member]
    }

    private(set) var rows: [Row] = []
    /// Empty where every result has its column.
    private(set) var errors: [String] = []

    /// The rows of a response's `results` in the list of an activity.
    init(_ results: [JSONValue], design: MyStudiesDesign, list: String) {
        do throws(MyStudiesResult.Refusal) {
            let read = try results.map { entry throws(MyStudiesResult.Refusal) in try MyStudiesResult(entry) }
            try add(read, design, list: list)
        } catch {
            errors.append(error.words)
        }
    }

    /// Adds one row of a list, then the rows of its sub-lists.
    private mutating func add(
        _ results: [MyStudiesResult], _ design: MyStudiesDesign, list: String
    ) throws(MyStudiesResult.Refusal) {
        var found: [(result: MyStudiesResult, field: MyStudiesDesign.Field)] = []
        for result in results where !result.type.isEmpty && !result.isMultiple {
            if let field = column(of: result, design, list: list) { found.append((result, field)) }
        }
        guard errors.isEmpty else { return }
        var values: [JSONValue.Member] = []
        for (result, field) in found {
            guard let value = try result.single() else { continue }
            try Self.checkLength(value, field)
            values.append(.init(name: field.key, value: value))
        }
        rows.append(Row(list: list, values: values))
        for result in results where result.isMultiple && !result.isSkipped {
            guard errors.isEmpty else { return }
            try add(below: result, design, list: list)
        }
    }

    /// The column of a single value; nil where it is not there, or of another type, which is noted.
    private mutating func column(
        of result: MyStudiesResult, _ design: MyStudiesDesign, list: String
    ) -> MyStudiesDesign.Field? {
        guard let field = design[result.key], case .column(let expected) = field.place else {
            errors.append("Unable to find column '\(result.key)' in list '\(list)'")
            return nil
        }
        let kind = result.kind ?? .text
        guard kind == expected else {
            errors.append(
                "Type '\(result.kind == nil ? "Unknown" : result.type)' (\(kind.rawValue)) of result '\(result.key)' does not match expected type "
                    + "(\(expected.rawValue))")
            return nil
        }
        return field
    }

    /// Adds the rows of a result that goes to a sub-list.
    private mutating func add(
        below result: MyStudiesResult, _ design: MyStudiesDesign, list: String
    ) throws(MyStudiesResult.Refusal) {
        let subList = list + MyStudiesDesign.capitalised(result.key)
        let columns: MyStudiesDesign
        switch design[result.key]?.place {
        case .choices(let hasOther): columns = .choices(result.key, hasOther: hasOther)
        case .group(let group): columns = group
        case .column, nil:
            errors.append("Invalid list '\(subList)'")
            return
        }
        if result.isChoice { return try addChoices(result, columns, list: subList) }
        for round in try result.rounds() { try add(round, columns, list: subList) }
    }

    private mutating func addChoices(
        _ result: MyStudiesResult, _ columns: MyStudiesDesign, list: String
    ) throws(MyStudiesResult.Refusal) {
        guard let field = columns[result.key], case .column(.text) = field.place else {
            errors.append("Unable to find column '\(result.key)' for texts in list '\(list)'")
            return
        }
        for choice in try result.choices() {
            try Self.checkLength(choice.value, field)
            var values = [JSONValue.Member(name: field.key, value: choice.value)]
            if let words = choice.words, words.contains(where: { !$0.isWhitespace }),
                let other = columns[MyStudiesDesign.otherColumn(result.key)]
            {
                try Self.checkLength(.string(words), other)
                values.append(.init(name: other.key, value: .string(words)))
            }
            rows.append(Row(list: list, values: values))
        }
    }

    /// LabKey's lists refuse a text that is longer than its column.
    private static func checkLength(_ value: JSONValue, _ field: MyStudiesDesign.Field) throws(MyStudiesResult.Refusal)
    {
        guard let text = value.string, case .column(.text) = field.place, let longest = field.longest,
            text.utf16.count > longest
        else { return }
        throw .init(
            "Value is too long for column '\(field.key)', a maximum length of \(longest) is allowed: it has \(text.utf16.count) characters"
        )
    }
}
