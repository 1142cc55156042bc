// SPDX-License-Identifier: Apache-2.0
import Base

/// Reads a condition of a rule, for `RuleTable`: `docs/rules.md` has the grammar. Bounded in length, number and
/// depth. One function for each level, the loosest first: `parseOr`, `parseAnd`, `parseFor`, `parseOperand`
/// (not, brackets), `parseComparison`.
package struct RuleExpressionParser {
    /// What is wrong, in words, and what to do.
    package struct Failure: Error, Hashable {
        package let cause: String
        package let remedy: String?

        init(_ cause: String, remedy: String? = nil) { (self.cause, self.remedy) = (cause, remedy) }
    }

    /// In bytes, comparisons, and levels of brackets and `not`.
    private static let (longest, most, deepest) = (500, 64, 16)

    private let features: [RuleFeature]
    private let allowsSpans: Bool
    private var words: ArraySlice<Substring>
    private var comparisons = 0
    private var spans = 0

    /// `allowsSpans`: whether `for` may be used.
    package static func parse(
        _ text: String, _ features: [RuleFeature], allowsSpans: Bool
    ) throws(Failure) -> RuleExpression {
        guard text.utf8.count <= longest else { throw Failure("is longer than \(longest) characters") }
        var parser = RuleExpressionParser(features: features, allowsSpans: allowsSpans, words: try split(text)[...])
        let root = try parser.parseOr(depth: 0)
        if let rest = parser.words.first {
            throw Failure("'\(rest)' is not expected there", remedy: "join conditions with and, or")
        }
        return RuleExpression(text: text, root: root, spans: parser.spans)
    }

    private init(features: [RuleFeature], allowsSpans: Bool, words: ArraySlice<Substring>) {
        (self.features, self.allowsSpans, self.words) = (features, allowsSpans, words)
    }

    /// The words: names and numbers, comparison signs, brackets.
    private static func split(_ text: String) throws(Failure) -> [Substring] {
        var words: [Substring] = []
        var rest = text[...]
        while let first = rest.first {
            let isWord: (Character) -> Bool =
                if first.isASCII, first.isLetter || first.isNumber || first == "-" || first == "_" || first == "." {
                    { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_" || $0 == ".") }
                } else if "<>=!".contains(first) {
                    { $0 == "=" }
                } else {
                    { _ in false }
                }
            let word = rest.prefix(1 + rest.dropFirst().prefix(while: isWord).count)
            rest = rest.dropFirst(word.count)
            if first == " " { continue }
            guard first.isASCII, "()<>=!-_.".contains(first) || first.isLetter || first.isNumber else {
                throw Failure("'\(first)' means nothing in a condition")
            }
            words.append(word)
        }
        return words
    }

    /// Removes the next word if it is this one.
    private mutating func take(_ word: String) -> Bool {
        guard words.first.map({ $0 == word }) ?? false else { return false }
        words.removeFirst()
        return true
    }

    private mutating func takeNext(_ expected: String) throws(Failure) -> String {
        guard let word = words.popFirst() else { throw Failure("ends where \(expected) is expected") }
        return String(word)
    }

    private mutating func parseOr(depth: Int) throws(Failure) -> RuleExpression.Node {
        guard depth < Self.deepest else { throw Failure("is nested more than \(Self.deepest) levels deep") }
        var left = try parseAnd(depth)
        while take("or") { left = .either(left, try parseAnd(depth)) }
        return left
    }

    private mutating func parseAnd(_ depth: Int) throws(Failure) -> RuleExpression.Node {
        var left = try parseFor(depth)
        while take("and") { left = .both(left, try parseFor(depth)) }
        return left
    }

    private mutating func parseFor(_ depth: Int) throws(Failure) -> RuleExpression.Node {
        let inner = try parseOperand(depth)
        guard take("for") else { return inner }
        guard allowsSpans else { throw Failure("'for' is allowed only in 'when' of a rule") }
        let text = try takeNext("a duration")
        guard let length = try? Duration(parsing: text), length >= .seconds(1), length <= .seconds(86_400) else {
            throw Failure("'\(text)' is not a duration from 1s to 24h")
        }
        defer { spans += 1 }
        return .held(inner, length, span: spans)
    }

    private mutating func parseOperand(_ depth: Int) throws(Failure) -> RuleExpression.Node {
        guard depth < Self.deepest else { throw Failure("is nested more than \(Self.deepest) levels deep") }
        if take("not") { return .not(try parseOperand(depth + 1)) }
        if take("(") {
            let inner = try parseOr(depth: depth + 1)
            guard take(")") else { throw Failure("a '(' is not closed") }
            return inner
        }
        return try parseComparison()
    }

    private mutating func parseComparison() throws(Failure) -> RuleExpression.Node {
        comparisons += 1
        guard comparisons <= Self.most else { throw Failure("has more than \(Self.most) comparisons") }
        let name = try takeNext("a feature")
        guard let place = features.firstIndex(where: { $0.name == name }) else {
            let known = features.map(\.name)
            let near = known.first { Misspelling.isNear($0, name) }
            let others = known.isEmpty ? "" : ", or use \(known.joined(separator: ", "))"
            throw Failure(
                "there is no feature '\(name)'",
                remedy: near.map { "did you mean '\($0)'?" } ?? "add [feature.\(name)]\(others)")
        }
        let sign = try takeNext("a comparison")
        guard let comparison = RuleExpression.Comparison(rawValue: sign) else {
            let all = RuleExpression.Comparison.allCases.map(\.rawValue).joined(separator: " ")
            throw Failure("'\(sign)' is no comparison", remedy: "use \(all)")
        }
        return .compare(feature: place, comparison, try parseLimit(of: features[place]))
    }

    /// A number with its unit, in the unit of the feature's column.
    private mutating func parseLimit(of feature: RuleFeature) throws(Failure) -> Double {
        let text = try takeNext("a number")
        let digits = text.prefix { "-.0123456789".contains($0) }
        let given = String(text.dropFirst(digits.count))
        guard digits.last?.isNumber == true, digits.drop(while: { $0 == "-" }).first?.isNumber == true,
            let number = Double(digits), number.isFinite
        else { throw Failure("'\(text)' is no number") }
        let units = Self.units(feature.unit)
        guard let factor = units.first(where: { $0.name == given })?.factor else {
            let fitting = units.map(\.name).filter { !$0.isEmpty }
            let has = given.isEmpty ? "no unit" : "the unit \(given)"
            throw Failure(
                "\(feature.name) is in \(feature.unit), and '\(text)' has \(has)",
                remedy: fitting.isEmpty
                    ? "remove the unit" : "write \(fitting.map { "\(digits)\($0)" }.joined(separator: " or "))")
        }
        return number * factor
    }

    /// The units in which a limit for a column of that unit may be written, with their factors; `m`
    /// is minutes.
    private static func units(_ unit: String) -> [(name: String, factor: Double)] {
        switch unit {
        case "1": [("", 1)]
        case "g": [("g", 1), ("mg", 0.001)]
        case "s": [("s", 1), ("m", 60), ("h", 3600)]
        default: [(unit, 1)]
        }
    }
}
