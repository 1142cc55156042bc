// SPDX-License-Identifier: Apache-2.0
import StudyModel

/// Holds where that option is chosen, or that word of a yes/no question given.
struct Chosen: Condition {
    let question: String
    let value: String

    var drivers: [String] { [question] }

    func holds(_ facts: StudyFacts) -> Bool {
        switch facts.answers[question] {
        case .choices(let values): values.contains(value)
        case .boolean(let answer): String(answer) == value
        default: false
        }
    }
}

/// Holds never: what it hides is reached by a jump alone.
struct NeverShown: Condition {
    func holds(_ facts: StudyFacts) -> Bool { false }
}

/// Holds where the other is decided and does not.
struct Negation: Condition {
    let condition: any Condition

    init(_ condition: any Condition) { self.condition = condition }

    var drivers: [String] { condition.drivers }
    /// An unanswered question decides nothing.
    func holds(_ facts: StudyFacts) -> Bool {
        condition.drivers.allSatisfy { facts.answers[$0] != nil } && !condition.holds(facts)
    }
}

/// The rule of one destination: a choice, a comparison with a number, or the way for everything else.
struct MyStudiesBranch: Condition {
    enum Rule: Sendable, Hashable {
        case always
        case chosen(String)
        case compared(String, Double)
        case within(Double, Double)
    }
    let question: String
    let rule: Rule
    /// Answers are counted in minutes, the rule in seconds.
    let countsSeconds: Bool
    let isDecimal: Bool
    let comparesLikeTheApp: Bool

    /// Nil after a problem, which has been noted.
    init?(
        _ place: JSONPlace, key: String, format: AnswerFormat, _ options: StudyOptions, _ findings: inout Findings
    ) {
        question = key
        comparesLikeTheApp = options.comparesLikeTheApp
        if case .slider(let slider) = format {
            countsSeconds = slider.minimumLabel == "minutes"
        } else {
            countsSeconds = false
        }
        if case .number(let number) = format { isDecimal = number.maximumFractionDigits > 0 } else { isDecimal = false }
        guard let rule = Self.rule(place, format, &findings) else { return nil }
        self.rule = rule
    }

    var drivers: [String] { [question] }

    private static func rule(_ place: JSONPlace, _ format: AnswerFormat, _ findings: inout Findings) -> Rule? {
        let condition = findings.text("condition", in: place)
        if condition.isEmpty { return .always }
        let sign = findings.text("operator", in: place)
        switch format {
        case .choice, .yesNo: return .chosen(condition)
        case .slider, .number: break
        default:
            findings.expected("no condition for a step of this kind", at: place.member("condition") ?? place)
            return nil
        }
        let numbers = condition.split(separator: ",").compactMap { Double($0.filter { $0 != " " }) }
        if numbers.count == 2 { return .within(numbers[0], numbers[1]) }
        guard numbers.count == 1 else {
            findings.expected("a number, or two with a comma between", at: place.member("condition") ?? place)
            return nil
        }
        guard ["e", "ne", "gt", "lt", "gte", "lte"].contains(sign) else {
            findings.expected("an operator: e, ne, gt, lt, gte, lte", at: place.member("operator") ?? place)
            return nil
        }
        return .compared(sign, numbers[0])
    }

    func holds(_ facts: StudyFacts) -> Bool {
        switch rule {
        case .always: return true
        case .chosen(let value): return Chosen(question: question, value: value).holds(facts)
        case .within(let low, let high): return number(facts).map { (low...max(low, high)).contains($0) } ?? false
        case .compared(let sign, let value): return number(facts).map { compare($0, sign, value) } ?? false
        }
    }

    private func number(_ facts: StudyFacts) -> Double? {
        guard case .number(let answer) = facts.answers[question] else { return nil }
        return countsSeconds ? answer * 60 : answer
    }

    private func compare(_ answer: Double, _ sign: String, _ value: Double) -> Bool {
        if comparesLikeTheApp { return compareLikeTheApp(answer, sign, value) }
        return switch sign {
        case "e": answer == value
        case "ne": answer != value
        case "gt": answer > value
        case "lt": answer < value
        case "gte": answer >= value
        default: answer <= value
        }
    }

    /// iOS asks for at least one more, at most one less, and takes a decimal as equal up to a tenth above.
    private func compareLikeTheApp(_ answer: Double, _ sign: String, _ value: Double) -> Bool {
        let isEqual =
            isDecimal
            ? answer >= value && answer < value + 0.1 : answer.rounded(.towardZero) == value.rounded(.towardZero)
        return switch sign {
        case "e": isEqual
        case "ne": !isEqual
        case "gt": answer >= value + 1
        case "lt": answer <= value - 1
        case "gte": answer >= value
        default: answer <= value
        }
    }
}

/// The logic of a hidden step: one comparison of a question's answer, or several joined.
struct MyStudiesLogic: Condition {
    let source: String
    private let comparisons: [(sign: String, value: String)]
    private let isAll: Bool

    /// `value` is `v` or `v1:v2`, `operator` then `op1:&&:op2` or with `||`. Nil after a problem, which has been noted, or
    /// where there is no logic.
    init?(_ place: JSONPlace, source: String, findings: inout Findings) {
        let values = findings.text("value", in: place).split(separator: ":").map(String.init)
        let signs = findings.text("operator", in: place).split(separator: ":").map(String.init)
        guard !values.isEmpty else { return nil }
        let comparing = signs.enumerated().filter { $0.offset % 2 == 0 }.map(\.element)
        let joining = Set(signs.enumerated().filter { $0.offset % 2 == 1 }.map(\.element))
        guard comparing.count == values.count, joining.count <= 1, joining.isSubset(of: ["&&", "||"]),
            comparing.allSatisfy([">", "<", ">=", "<=", "=", "!="].contains)
        else {
            findings.expected(
                "as many operators (>, <, >=, <=, =, !=) as values, joined by && or ||",
                at: place.member("operator") ?? place)
            return nil
        }
        self.source = source
        comparisons = Array(zip(comparing, values))
        isAll = joining != ["||"]
    }

    var drivers: [String] { [source] }

    func holds(_ facts: StudyFacts) -> Bool {
        guard let answer = facts.answers[source] else { return false }
        let results = comparisons.map { Self.compare(answer, $0.sign, $0.value) }
        return isAll ? results.allSatisfy(\.self) : results.contains(true)
    }

    private static func compare(_ answer: AnswerValue, _ sign: String, _ value: String) -> Bool {
        switch answer {
        case .number(let number): Double(value).map { compare(number, sign, $0) } ?? false
        case .choices(let values): equality(values.contains(value), sign)
        case .boolean(let boolean): equality(String(boolean) == value.lowercased(), sign)
        case .text(let text): equality(text == value, sign)
        default: false
        }
    }

    private static func equality(_ isEqual: Bool, _ sign: String) -> Bool {
        switch sign {
        case "=": isEqual
        case "!=": !isEqual
        default: false
        }
    }

    private static func compare(_ answer: Double, _ sign: String, _ value: Double) -> Bool {
        switch sign {
        case ">": answer > value
        case "<": answer < value
        case ">=": answer >= value
        case "<=": answer <= value
        case "=": answer == value
        default: answer != value
        }
    }
}
