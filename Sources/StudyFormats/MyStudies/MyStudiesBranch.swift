// SPDX-License-Identifier: Apache-2.0
import StudyModel

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
        _ place: JSONPlace, key: String, format: AnswerFormat, isInterval: Bool, _ options: StudyOptions,
        _ findings: inout Findings
    ) {
        question = key
        comparesLikeTheApp = options.comparesLikeTheApp
        countsSeconds = isInterval
        if case .number(let number) = format { isDecimal = number.maximumFractionDigits > 0 } else { isDecimal = false }
        guard let rule = Self.rule(place, format, &findings) else { return nil }
        self.rule = rule
    }

    var drivers: [String] { [question] }

    private static func rule(_ place: JSONPlace, _ format: AnswerFormat, _ findings: inout Findings) -> Rule? {
        let condition = findings.text("condition", in: place)
        if condition.isEmpty { return .always }
        let holder = place.member("condition") ?? place
        switch format {
        case .choice(let choice):
            if !choice.options.contains(where: { $0.value == condition }) {
                findings.assume("no choice has this value; this way is never taken", at: holder)
            }
            return .chosen(condition)
        case .yesNo:
            if !["true", "false"].contains(condition.lowercased()) {
                findings.assume("the answers are true and false; this way is never taken", at: holder)
            }
            return .chosen(condition.lowercased())
        case .slider, .number: return comparison(place, condition, holder, &findings)
        default:
            findings.expected("no condition for a step of this kind", at: holder)
            return nil
        }
    }

    private static func comparison(
        _ place: JSONPlace, _ condition: String, _ holder: JSONPlace, _ findings: inout Findings
    ) -> Rule? {
        let parts = condition.split(separator: ",", omittingEmptySubsequences: false)
        let numbers = parts.compactMap(MyStudiesNumber.read)
        guard numbers.count == parts.count, (1...2).contains(numbers.count) else {
            findings.expected("a number, or two with a comma between", at: holder)
            return nil
        }
        if numbers.count == 2 {
            if numbers[0] > numbers[1] {
                findings.assume("the first number is above the second; this way is never taken", at: holder)
            }
            return .within(numbers[0], numbers[1])
        }
        let sign = findings.text("operator", in: place)
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
        case .within(let low, let high): return number(facts).map { low <= $0 && $0 <= high } ?? false
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

/// Numbers in conditions.
enum MyStudiesNumber {
    /// A finite decimal number, blanks aside; nil for anything else that Swift would take for one, such as `nan` or `0x10`.
    static func read(_ text: some StringProtocol) -> Double? {
        let plain = String(text.filter { $0 != " " })
        guard !plain.isEmpty, plain.allSatisfy({ "0123456789+-.eE".contains($0) }) else { return nil }
        return Double(plain).flatMap { $0.isFinite ? $0 : nil }
    }
}
