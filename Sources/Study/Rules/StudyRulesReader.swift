// SPDX-License-Identifier: Apache-2.0
import Base

/// Reads and checks a file of rules for a study (`RulesFile`); finds every mistake at once
/// (`RuleTable.problems`).
package struct StudyRulesReader {
    private static let (mostFeatures, mostRules) = (16, 32)

    private let study: StudyProtocol?
    private let sensors: RuleSensors
    private let allowsExtremes: Bool
    private var root: RuleTable

    /// `digest` is SHA-256 of `bytes`, in hexadecimal. Without a `study` the tasks that the rules name are
    /// not checked: for a file accepted at enrolment, since a later version of the study may lack a task.
    package static func read(
        _ bytes: [UInt8], file: String, digest: String, study: StudyProtocol?, sensors: RuleSensors,
        allowsExtremes: Bool = false
    ) throws(StudyRulesError) -> StudyRules {
        let root: TOMLTable
        do throws(TOMLError) {
            root = try TOMLTable(parsing: bytes)
        } catch {
            throw StudyRulesError(
                file: file,
                problems: [.init(path: "", line: error.place.line, cause: error.message, remedy: "correct it")])
        }
        var reader = StudyRulesReader(RuleTable(root, path: "", line: 1), study, sensors, allowsExtremes)
        let rules = reader.readRules(digest)
        let problems = reader.root.problems
        guard problems.isEmpty else {
            throw StudyRulesError(file: file, problems: problems.sorted { $0.line < $1.line })
        }
        return rules
    }

    private init(_ root: RuleTable, _ study: StudyProtocol?, _ sensors: RuleSensors, _ allowsExtremes: Bool) {
        (self.root, self.study, self.sensors, self.allowsExtremes) = (root, study, sensors, allowsExtremes)
    }

    private mutating func readRules(_ digest: String) -> StudyRules {
        root.refuseUnknown(["days", "feature", "rule"])
        let days = root.integer("days")
        if root.has("days"), days.map({ (1...3650).contains($0) }) != true {
            root.reject("days", "is no whole number from 1 to 3650", "write e.g. days = 180")
        }
        let named = readTables("feature", most: Self.mostFeatures)
        let features = named.compactMap { name, table in readFeature(name, table) }
        let given = readTables("rule", most: Self.mostRules)
        if given.isEmpty { root.reject("rule", "there is no rule", "add a table [rule.NAME]") }
        // Rules are not read where a feature is wrong: their problems would only follow from that.
        guard features.count == named.count else {
            return StudyRules(digest: digest, features: [], rules: [], days: days)
        }
        let read = given.compactMap { name, table in readRule(name, table, features).map { (rule: $0, table: table) } }
        refuseCollisions(read)
        return StudyRules(digest: digest, features: features, rules: read.map(\.rule), days: days)
    }

    /// The tables below a key, sorted by name, without those that are wrong.
    private mutating func readTables(_ key: String, most: Int) -> [(String, RuleTable)] {
        guard root.has(key) else { return [] }
        guard var all = root.table(key) else {
            root.reject(key, "is no table", "write [\(key).NAME]")
            return []
        }
        defer { root.takeProblems(of: all) }
        if all.keys.count > most { root.reject(key, "there are more than \(most)", nil) }
        return all.keys.sorted().prefix(most).compactMap { name in
            // a-z, 0-9 and _; - in names of rules only.
            let letters = name.utf8.allSatisfy {
                (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x5F || $0 == 0x2D && key == "rule"
            }
            guard letters, name.utf8.count <= 32, name.first?.isLetter == true else {
                all.reject(name, "is no name", "use a lower-case letter, then lower-case letters, digits and _")
                return nil
            }
            guard let table = all.table(name) else {
                all.reject(name, "is no table", "write [\(key).\(name)]")
                return nil
            }
            return (name, table)
        }
    }

    private mutating func readFeature(_ name: String, _ table: RuleTable) -> RuleFeature? {
        var reader = RuleFeatureReader(table: table, sensors: sensors)
        defer { root.takeProblems(of: reader.table) }
        return reader.readFeature(named: name)
    }

    private mutating func readRule(_ name: String, _ table: RuleTable, _ features: [RuleFeature]) -> StudyRule? {
        var reader = RuleReader(
            table: table, study: study, sensors: sensors, features: features, allowsExtremes: allowsExtremes)
        defer { root.takeProblems(of: reader.table) }
        return reader.readRule(named: name)
    }

    /// Refuses two rules that would prompt for one task at the same moment.
    private mutating func refuseCollisions(_ all: [(rule: StudyRule, table: RuleTable)]) {
        for (place, one) in all.enumerated() {
            for var other in all[(place + 1)...] where one.rule.task == other.rule.task {
                guard let key = Self.collidingKey(one.rule, other.rule) else { continue }
                other.table.reject(
                    key,
                    "falls due at the same moments as rule \(one.rule.name), for the same task \(one.rule.task)",
                    "move one of them")
                root.takeProblems(of: other.table)
            }
        }
    }

    /// The key of the second rule that makes them meet; nil = they do not, as far as that can be known.
    private static func collidingKey(_ one: StudyRule, _ other: StudyRule) -> String? {
        switch (one.points, other.points) {
        case (.at(let first), .at(let second)): return Set(first).isDisjoint(with: second) ? nil : "at"
        case (.every, .every): return "every"
        case (.every(let period), .at(let times)): return collides(period, times, one.quiet) ? "at" : nil
        case (.at(let times), .every(let period)): return collides(period, times, other.quiet) ? "every" : nil
        default: return nil
        }
    }

    /// Whether a period has a point at one of the times in some zone. Periods count from UTC, and offsets of
    /// zones are multiples of a quarter of an hour.
    private static func collides(_ period: Duration, _ times: [LocalTime], _ quiet: QuietHours) -> Bool {
        let grid = commonDivisor(period.nanoseconds, 900_000_000_000)
        return times.contains { $0.nanoseconds % grid == 0 && !quiet.contains($0) }
    }

    private static func commonDivisor(_ one: Int64, _ other: Int64) -> Int64 {
        other == 0 ? one : commonDivisor(other, one % other)
    }
}
