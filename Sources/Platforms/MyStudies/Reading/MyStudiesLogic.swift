// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// The `preLoadLogic` of a step: holds where the answer to a question compares, once or in several ways that are
/// joined. `MyStudiesActivityReader` makes jumps of it.
struct MyStudiesLogic: Condition {
    private struct Comparison: Sendable {
        let sign: String
        let value: String
    }

    /// Key of the question whose answer is compared.
    private let source: String
    private let comparisons: [Comparison]
    /// Between two comparisons each: true = both must hold.
    private let joins: [Bool]
    /// The server's name of the kind of question.
    private let kind: String
    private let format: AnswerFormat

    /// `value` is `v` or `v1:v2`, `operator` then `op1:&&:op2` or with `||`; old files write AND
    /// and OR. A `v` by itself may have colons, as a text has. Nil after a problem, which has been noted, or
    /// where there is no logic.
    init?(
        _ place: JSONPlace, source: String, format: AnswerFormat, kind: String, findings: inout Findings
    ) {
        let value = findings.text("value", in: place)
        let sign = findings.text("operator", in: place)
        let signs = sign.split(separator: ":").map(String.init)
        let values = sign.contains(":") ? value.split(separator: ":").map(String.init) : value.isEmpty ? [] : [value]
        guard !values.isEmpty else { return nil }
        // Comparisons and what joins them take turns.
        let comparing = signs.enumerated().filter { $0.offset % 2 == 0 }.map(\.element)
        let joining = signs.enumerated().filter { $0.offset % 2 == 1 }.map(\.element)
        guard comparing.count == values.count, joining.count == values.count - 1,
            joining.allSatisfy(["&&", "||", "AND", "OR"].contains),
            comparing.allSatisfy([">", "<", ">=", "<=", "=", "!="].contains)
        else {
            findings.expected(
                "as many operators (>, <, >=, <=, =, !=) as values, joined by && or ||",
                at: place.member("operator") ?? place)
            return nil
        }
        self.source = source
        comparisons = zip(comparing, values).map(Comparison.init)
        joins = joining.map { $0 == "&&" || $0 == "AND" }
        self.kind = kind
        self.format = format
        if Set(joins).count > 1 {
            findings.assume("&& and || are joined from left to right", at: place.member("operator") ?? place)
        }
        guard Self.fits(values, comparing, format, place, &findings) else { return nil }
    }

    /// False, with a problem, where answers of this format cannot be compared with the values.
    private static func fits(
        _ values: [String], _ signs: [String], _ format: AnswerFormat, _ place: JSONPlace, _ findings: inout Findings
    ) -> Bool {
        let holder = place.member("value") ?? place
        switch format {
        case .slider, .number:
            if values.allSatisfy({ MyStudiesNumber.read($0) != nil }) { return true }
            findings.expected("a number to compare the answer with", at: holder)
            return false
        case .choice(let choice):
            if !values.allSatisfy({ value in choice.options.contains { Self.areSame($0.value, value) } }) {
                findings.assume("no choice has this value", at: holder)
            }
        case .yesNo, .text: break
        default: findings.assume("answers of this kind are not compared: it never holds", at: holder)
        }
        if !Set(signs).isSubset(of: ["=", "!="]) {
            findings.assume(
                "such answers can be equal but have no order: it never holds",
                at: place.member("operator") ?? place)
        }
        return true
    }

    var questionKeys: [String] { [source] }

    func holds(_ facts: StudyFacts) -> Bool {
        guard facts.hasAnswer(to: source), let answer = facts.answers[source], let first = comparisons.first else {
            return false
        }
        return zip(joins, comparisons.dropFirst()).reduce(compare(answer, first)) { result, next in
            next.0 ? result && compare(answer, next.1) : result || compare(answer, next.1)
        }
    }

    private func compare(_ answer: AnswerValue, _ comparison: Comparison) -> Bool {
        let (sign, value) = (comparison.sign, comparison.value)
        return switch answer {
        case .number(let number):
            MyStudiesNumber.read(value).map { Self.compare(counted(number), sign, $0) } ?? false
        case .choices(let values): Self.equality(values.contains { Self.areSame(MyStudiesKeys.sent($0), value) }, sign)
        case .boolean(let boolean): Self.equality(Self.areSame(String(boolean), value), sign)
        case .text(let text): Self.equality(Self.areSame(text, value), sign)
        default: false
        }
    }

    /// An answer in the units of the logic: seconds for minutes, centimetres for inches.
    private func counted(_ answer: Double) -> Double {
        kind == "timeInterval" ? answer * 60 : MyStudiesHeight.centimetres(answer, kind: kind, format)
    }

    /// As in the app, upper and lower case are the same.
    private static func areSame(_ answer: String, _ value: String) -> Bool { answer.lowercased() == value.lowercased() }

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
