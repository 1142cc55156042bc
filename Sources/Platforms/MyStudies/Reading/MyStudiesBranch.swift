// SPDX-License-Identifier: Apache-2.0
import Base
import PlatformKit
import Study

/// When a step leads to one of its destinations: after a choice, after a number that compares, or after all other
/// answers. `MyStudiesActivityReader` makes jumps of them.
struct MyStudiesBranch: Condition {
    enum Rule: Sendable, Hashable {
        /// The default destination.
        case always
        /// A condition on an answer that the apps compare with nothing.
        case never
        case chosen(String)
        case compared(Comparison, Double)
        case within(Double, Double)
    }
    /// Raw values are the server's spelling.
    enum Comparison: String, Sendable {
        case equal = "e"
        case notEqual = "ne"
        case greater = "gt"
        case less = "lt"
        case greaterOrEqual = "gte"
        case lessOrEqual = "lte"
    }
    /// Key of the step whose answer is looked at: the one that has the destination.
    private let question: String
    let rule: Rule
    private let format: AnswerFormat
    /// The server's name of the kind of question.
    private let kind: String
    /// The least answer that can be given; the app's `lt` asks for it too.
    private let minimum: Double
    /// Digits after the point that an answer can have; for `compareLikeTheApp`.
    private let digits: Int
    private let comparesLikeTheApp: Bool
    /// The answer is in minutes, the rule in seconds.
    private var isInSeconds: Bool { kind == "timeInterval" }

    /// Nil after a problem, which has been noted.
    init?(
        _ place: JSONPlace, key: String, format: AnswerFormat, kind: String, _ options: StudyOptions,
        _ findings: inout Findings
    ) {
        question = key
        comparesLikeTheApp = options.comparesLikeTheApp
        self.kind = kind
        self.format = format
        switch format {
        case .number(let number): (minimum, digits) = (number.minimum ?? -.infinity, number.maximumFractionDigits)
        case .slider(let slider): (minimum, digits) = (slider.minimum, slider.step < 1 ? 1 : 0)
        default: (minimum, digits) = (0, 0)
        }
        guard let rule = Self.rule(place, format, &findings) else { return nil }
        self.rule = rule
    }

    var questionKeys: [String] { [question] }

    private static func rule(_ place: JSONPlace, _ format: AnswerFormat, _ findings: inout Findings) -> Rule? {
        let condition = findings.text("condition", in: place)
        if condition.isEmpty { return .always }
        let holder = place.member("condition") ?? place
        switch format {
        case .choice(let choice):
            if !choice.options.contains(where: { $0.value == condition }) {
                findings.assume("no choice has this value; this branch is never taken", at: holder)
            }
            return .chosen(condition)
        case .yesNo:
            if !["true", "false"].contains(condition.lowercased()) {
                findings.assume("the answers are true and false; this branch is never taken", at: holder)
            }
            return .chosen(condition.lowercased())
        case .slider, .number: return comparison(place, condition, holder, &findings)
        default:
            findings.assume("answers of this kind cannot be compared; this branch is never taken", at: holder)
            return .never
        }
    }

    private static func comparison(
        _ place: JSONPlace, _ condition: String, _ holder: JSONPlace, _ findings: inout Findings
    ) -> Rule? {
        let parts = condition.split(separator: ",", omittingEmptySubsequences: false)
        let numbers = parts.compactMap(MyStudiesNumber.read)
        guard numbers.count == parts.count, (1...2).contains(numbers.count) else {
            findings.expected("a number, or two separated by a comma", at: holder)
            return nil
        }
        if numbers.count == 2 {
            if numbers[0] > numbers[1] {
                findings.assume("the first number is above the second; this branch is never taken", at: holder)
            }
            return .within(numbers[0], numbers[1])
        }
        guard let comparison = Comparison(rawValue: findings.text("operator", in: place)) else {
            findings.expected("an operator: e, ne, gt, lt, gte, lte", at: place.member("operator") ?? place)
            return nil
        }
        return .compared(comparison, numbers[0])
    }

    func holds(_ facts: StudyFacts) -> Bool {
        switch rule {
        case .always: return true
        case .never: return false
        case .chosen(let value):
            if case .choices(let values)? = facts.answers[question] {
                return values.contains { MyStudiesKeys.sent($0) == value }
            }
            return Chosen(value, of: question).holds(facts)
        case .within(let low, let high): return number(facts).map { low <= $0 && $0 <= high } ?? false
        case .compared(let comparison, let value):
            // As in the app, an answer that was not given equals nothing, so "not equal" holds.
            return number(facts).map { compare($0, comparison, value) } ?? (comparison == .notEqual)
        }
    }

    private func number(_ facts: StudyFacts) -> Double? {
        guard case .number(let answer) = facts.answers[question] else { return nil }
        return isInSeconds ? answer * 60 : MyStudiesHeight.centimetres(answer, kind: kind, format)
    }

    private func compare(_ answer: Double, _ comparison: Comparison, _ value: Double) -> Bool {
        if comparesLikeTheApp { return compareLikeTheApp(answer, comparison, value) }
        return switch comparison {
        case .equal: answer == value
        case .notEqual: answer != value
        case .greater: answer > value
        case .less: answer < value
        case .greaterOrEqual: answer >= value
        case .lessOrEqual: answer <= value
        }
    }

    /// iOS (`ActivityBuilder`) takes `gt` as "at least 1 more", and `lt` as "at least 1 less, but not below the
    /// minimum". A decimal answer is equal up to a tenth above the value, on a continuous scale without digits
    /// also a quarter below. A whole one must equal the whole part of the value; on a continuous scale `ne`
    /// always compares so.
    private func compareLikeTheApp(_ answer: Double, _ comparison: Comparison, _ value: Double) -> Bool {
        let isWhole = answer == value.rounded(.towardZero)
        let isNear = answer >= value && answer < value + 0.1
        let isEqual =
            switch kind {
            case "continuousScale": digits == 0 ? answer >= value - 0.25 && answer < value + 0.1 : isNear
            case "numeric" where digits > 0: isNear
            default: isWhole
            }
        return switch comparison {
        case .equal: isEqual
        case .notEqual: kind == "continuousScale" ? !isWhole : !isEqual
        case .greater: answer >= value + 1
        case .less: answer >= (isInSeconds ? 0 : minimum) && answer <= value - 1
        case .greaterOrEqual: answer >= value
        case .lessOrEqual: answer <= value
        }
    }
}

/// The numbers with which `MyStudiesBranch` and `MyStudiesLogic` compare answers.
enum MyStudiesNumber {
    /// A finite decimal number, blanks aside; nil for anything else that Swift would take for one,
    /// such as `nan` or `0x10`.
    static func read(_ text: some StringProtocol) -> Double? {
        let plain = String(text.filter { $0 != " " })
        guard !plain.isEmpty, plain.allSatisfy({ "0123456789+-.eE".contains($0) }) else { return nil }
        return Double(plain).flatMap { $0.isFinite ? $0 : nil }
    }
}
