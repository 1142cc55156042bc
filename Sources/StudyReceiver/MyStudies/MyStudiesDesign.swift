// SPDX-License-Identifier: Apache-2.0

/// What the Response server makes of an activity's steps: the columns of its list, by key without regard to case.
struct MyStudiesDesign: Sendable {
    /// What a column takes.
    indirect enum Column: Sendable {
        case number, text, truth, date
        /// A sub-list of values; each entry a text, or an object of another choice and its words.
        case values
        /// A sub-list with columns of its own.
        case table([String: Column])
    }

    /// By key in small letters.
    let columns: [String: Column]

    /// The design of one `activity`. Unknown result types make no column, so that their results are errors.
    init(_ activity: JSONValue) { columns = Self.columns(activity["steps"]?.array ?? []) }

    private static func columns(_ steps: [JSONValue]) -> [String: Column] {
        var columns: [String: Column] = [:]
        for step in steps {
            guard let key = step["key"]?.string, let type = step["resultType"]?.string else { continue }
            columns[key.lowercased()] = column(type, step)
        }
        return columns
    }

    private static func column(_ type: String, _ step: JSONValue) -> Column? {
        switch type.lowercased() {
        case "scale", "continuousscale", "numeric", "timeinterval", "height": .number
        case "textscale", "valuepicker", "imagechoice", "timeofday", "text", "email", "location": .text
        case "boolean": .truth
        case "date": .date
        case "textchoice": .values
        case "grouped": .table(columns(step["steps"]?.array ?? []))
        case "fetalkickcounter": .table(["duration": .number, "count": .number])
        case "spatialspanmemory": .table(["score": .number, "numberofgames": .number, "numberoffailures": .number])
        case "towerofhanoi": .table(["puzzlewassolved": .truth, "numberofmoves": .number])
        default: nil
        }
    }

    /// What is wrong with the results of a run, in the server's words; empty where every one has its column.
    func errors(in results: [JSONValue], list: String) -> [String] {
        Self.errors(in: results, columns: columns, list: list)
    }

    private static func errors(in results: [JSONValue], columns: [String: Column], list: String) -> [String] {
        results.flatMap { result -> [String] in
            guard let type = result["resultType"]?.string else { return ["Invalid result: resultType is missing"] }
            // An instruction.
            if type.isEmpty { return [] }
            guard let key = result["key"]?.string else { return ["Invalid result: key is missing"] }
            // The server compares without regard to case.
            guard known.contains(type.lowercased()) else { return ["Unknown result type: '\(type)'"] }
            guard let column = columns[key.lowercased()] else {
                return ["Unable to find column '\(key)' in list '\(list)'"]
            }
            guard let value = result["value"], !value.isNull, result["skipped"]?.bool != true else { return [] }
            return errors(value, key: key, column: column, list: list)
        }
    }

    private static func errors(_ value: JSONValue, key: String, column: Column, list: String) -> [String] {
        func mismatch(_ expected: String) -> [String] {
            ["Value type mismatch for field '\(key)': expected \(expected)"]
        }
        switch column {
        case .number:
            guard case .number(let text) = value else { return mismatch("a number") }
            // A whole number beyond 32 bits is a Long to the server, which it does not take.
            if let whole = Int64(text), Int32(exactly: whole) == nil { return mismatch("an Integer or a Double") }
            return Double(text) == nil ? mismatch("a number") : []
        case .text: return value.string == nil ? mismatch("a text") : []
        case .truth: return value.bool == nil ? mismatch("true or false") : []
        case .date: return value.string.map(isDate) == true ? [] : mismatch("a date")
        case .values: return errors(ofChoices: value, mismatch)
        case .table(let columns):
            return rows(value).map { errors(in: $0, columns: columns, list: list + key) } ?? mismatch("an array")
        }
    }

    private static func errors(ofChoices value: JSONValue, _ mismatch: (String) -> [String]) -> [String] {
        guard let entries = value.array else { return mismatch("an array") }
        return entries.flatMap { entry -> [String] in
            if entry.string != nil { return [] }
            return entry["other"]?.string == nil ? mismatch("texts, or objects with other and text") : []
        }
    }

    /// A group is an array of results, or of arrays of them, one for each round.
    private static func rows(_ value: JSONValue) -> [JSONValue]? {
        value.array.map { $0.flatMap { entry in entry.array ?? [entry] } }
    }

    /// A full stamp, with or without a fraction of a second, or a day.
    private static func isDate(_ text: String) -> Bool {
        let digits = text.utf8.map { (48...57).contains($0) ? UInt8(ascii: "9") : $0 }
        let form = String(decoding: digits, as: UTF8.self)
        return [
            "9999-99-99", "9999-99-99T99:99:99+9999", "9999-99-99T99:99:99-9999", "9999-99-99T99:99:99.999+9999",
            "9999-99-99T99:99:99.999-9999",
        ].contains(form)
    }

    private static let known: Set<String> = [
        "scale", "continuousscale", "numeric", "timeinterval", "height", "textscale", "valuepicker", "imagechoice",
        "timeofday", "text", "email", "location", "boolean", "date", "textchoice", "grouped", "fetalkickcounter",
        "spatialspanmemory", "towerofhanoi",
    ]
}
