// SPDX-License-Identifier: Apache-2.0
import Base

/// A table of a file of rules, and what is found to be wrong in it, for the readers of rules.
///
/// Those that read a value return nil where they add a problem, so that reading goes on to the next one.
struct RuleTable {
    /// The longest duration that a key can have.
    static let day = Duration.seconds(86_400)

    /// In the order in which they were found.
    private(set) var problems: [StudyRulesError.Problem] = []
    private let path: String
    private let table: TOMLTable
    private let headerLine: Int

    init(_ table: TOMLTable, path: String, line: Int) { (self.table, self.path, headerLine) = (table, path, line) }

    var keys: [String] { table.keys }

    func has(_ key: String) -> Bool { table[key] != nil }

    /// Adds a problem, with the path and the line of the key.
    mutating func reject(_ key: String, _ cause: String, _ remedy: String?) {
        let path = [path, key].filter { !$0.isEmpty }.joined(separator: ".")
        problems.append(.init(path: path, line: line(of: key), cause: cause, remedy: remedy))
    }

    /// Adds a problem, and returns nil in place of the value that cannot be read.
    mutating func rejectValue<Value>(_ key: String, _ cause: String, _ remedy: String?) -> Value? {
        reject(key, cause, remedy)
        return nil
    }

    /// Takes over what is wrong in a table within this one, which was read as a value of its own.
    mutating func takeProblems(of inner: RuleTable) { problems += inner.problems }

    mutating func refuseUnknown(_ known: [String]) {
        for key in keys where !known.contains(key) {
            reject(
                key, "unknown key",
                Misspelling.nearest(key, in: known).map { "did you mean '\($0)'?" }
                    ?? "use \(known.joined(separator: ", "))")
        }
    }

    /// The line of a key, or of an element `key[2]`; of the table where it has neither.
    private func line(of key: String) -> Int {
        let parts = key.split(separator: "[")
        guard let value = parts.first.flatMap({ table[String($0)] }) else { return headerLine }
        guard parts.count == 2, let place = Int(parts[1].dropLast()), case .array(let all) = value.content,
            all.indices.contains(place)
        else { return value.place.line }
        return all[place].place.line
    }

    func string(_ key: String) -> String? {
        if case .string(let text)? = table[key]?.content { text } else { nil }
    }

    func integer(_ key: String) -> Int? {
        if case .integer(let number)? = table[key]?.content { number } else { nil }
    }

    func number(_ key: String) -> Double? {
        switch table[key]?.content {
        case .integer(let number): Double(number)
        case .float(let number) where number.isFinite: number
        default: nil
        }
    }

    func strings(_ key: String) -> [String]? {
        guard case .array(let all)? = table[key]?.content else { return nil }
        let texts = all.compactMap { if case .string(let text) = $0.content { text } else { nil } }
        return texts.count == all.count ? texts : nil
    }

    func table(_ key: String) -> RuleTable? {
        guard let value = table[key], case .table(let inner) = value.content else { return nil }
        return RuleTable(inner, path: path.isEmpty ? key : "\(path).\(key)", line: value.place.line)
    }

    func tables(_ key: String) -> [RuleTable]? {
        guard case .array(let all)? = table[key]?.content else { return nil }
        let tables = all.enumerated().compactMap { place, value -> RuleTable? in
            guard case .table(let inner) = value.content else { return nil }
            return RuleTable(inner, path: "\(path).\(key)[\(place)]", line: value.place.line)
        }
        return tables.count == all.count ? tables : nil
    }

    mutating func requireText(_ key: String) -> String? {
        if let text = string(key) { return text }
        return rejectValue(key, has(key) ? "is no text" : "is missing", has(key) ? "put it in quotes" : "add it")
    }

    /// A duration up to 24 hours; nil without a problem where the key is absent.
    mutating func readDuration(_ key: String, from shortest: Duration) -> Duration? {
        guard has(key) else { return nil }
        if let text = string(key), let value = try? Duration(parsing: text), (shortest...Self.day).contains(value) {
            return value
        }
        return rejectValue(key, "is not a duration from \(shortest.text) to 24h", "write e.g. \"30m\"")
    }

    /// The condition in `given`, else in the key's text.
    mutating func readCondition(
        _ key: String, given: String? = nil, _ features: [RuleFeature], allowsSpans: Bool
    ) -> RuleExpression? {
        guard let text = given ?? requireText(key) else { return nil }
        do throws(RuleExpressionParser.Failure) {
            return try RuleExpressionParser.parse(text, features, allowsSpans: allowsSpans)
        } catch {
            return rejectValue(key, error.cause, error.remedy)
        }
    }
}
