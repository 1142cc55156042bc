// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// One survey rule: what an answer is compared with, and what follows.
struct SageRule: Sendable, Hashable {
    /// As `ruleOperator` spells them: `de` is skipped (declined), `ot` other than all.
    enum Operator: String, Sendable, CaseIterable { case de, eq, ne, lt, gt, le, ge, ot, always }
    let compared: Operator
    /// Nil = nothing: the question was skipped.
    let match: JSONText?
    /// Nil for a rule that only has a cohort.
    let to: String?
    let cohort: String?

    /// `answer` is nil where the question was skipped. With `isAssessment` (the published schemas of
    /// assessments) a skipped answer is unequal to every value, and several answers are one list.
    func matches(_ answer: JSONText?, isAssessment: Bool) -> Bool {
        let isNothing = answer == nil || answer == .null
        switch compared {
        case .always: return true
        case .de: return isNothing
        case .eq where match == nil: return isNothing
        case .ne where isAssessment && match == nil: return !isNothing
        case .ne where isAssessment && isNothing: return true
        default: break
        }
        guard !isNothing, let answer, let match else { return false }
        if isAssessment, case .array(let answers) = answer { return Self.compareWhole(answers, match, compared) }
        return Self.compare(answer, match, compared)
    }

    /// Several answers in AssessmentModel are compared as one list, in order; a single value never equals it.
    private static func compareWhole(_ answers: [JSONText], _ match: JSONText, _ compared: Operator) -> Bool {
        let isSame =
            if case .array(let wanted) = match {
                wanted.count == answers.count && zip(wanted, answers).allSatisfy { isEqual($1, $0) }
            } else { false }
        return switch compared {
        case .eq: isSame
        case .ne, .ot: !isSame
        case .lt, .gt, .le, .ge, .de, .always: false
        }
    }

    private static func compare(_ answer: JSONText, _ match: JSONText, _ compared: Operator) -> Bool {
        if case .array(let answers) = answer { return compareAll(answers, match, compared) }
        switch compared {
        case .eq: return isEqual(answer, match)
        case .ne, .ot: return !isEqual(answer, match)
        case .lt, .gt, .le, .ge: return isOrdered(answer, match, compared)
        case .de, .always: return false
        }
    }

    /// Several answers in SageResearch: equal where any is among them, other where none is.
    private static func compareAll(_ answers: [JSONText], _ match: JSONText, _ compared: Operator) -> Bool {
        let wanted = if case .array(let values) = match { values } else { [match] }
        let isAny = wanted.contains { value in answers.contains { isEqual($0, value) } }
        switch compared {
        case .eq: return isAny
        case .ot: return !isAny
        case .ne:
            return wanted.count != answers.count || !zip(wanted, answers).allSatisfy { isEqual($1, $0) }
        default: return false
        }
    }

    private static func isEqual(_ answer: JSONText, _ match: JSONText) -> Bool {
        if let one = answer.double, let other = match.double { return abs(one - other) <= 1e-5 }
        return answer == match
    }

    private static func isOrdered(_ answer: JSONText, _ match: JSONText, _ compared: Operator) -> Bool {
        let order: (less: Bool, more: Bool)
        if let one = answer.double, let other = match.double {
            order = (one < other, one > other)
        } else if case .string(let one) = answer, case .string(let other) = match {
            order = (one < other, one > other)
        } else {
            return false
        }
        return switch compared {
        case .lt: order.less
        case .gt: order.more
        case .le: !order.more
        default: !order.less
        }
    }
}

/// The rules of one question, with the answer that they look at.
struct SageAnswerRules: Sendable {
    let key: String
    let field: SageField
    let rules: [SageRule]
    let isAssessment: Bool
    /// If several rules hold, the first leads on; else none does.
    let takesFirst: Bool

    /// Indices of the rules that hold. A spoken answer matches only `always`: it cannot be compared, and it
    /// does not count as skipped. What was spoken for "Other" is none of the choices.
    private func matching(_ facts: StudyFacts) -> [Int] {
        let given = facts.answers[key]
        var answer = given.flatMap { SageAnswer($0, to: field, of: facts.answers).value }
        if !SageAnswer.recordings(of: key, field, facts.answers).isEmpty {
            guard case .choices? = given else { return rules.indices.filter { rules[$0].compared == .always } }
            answer = withUnknown(answer)
        }
        return rules.indices.filter { rules[$0].matches(answer, isAssessment: isAssessment) }
    }

    /// The answer with one more value, which equals no other and is neither more nor less.
    private func withUnknown(_ answer: JSONText?) -> JSONText {
        let unknown = JSONText.object([])
        guard field.isArray else { return unknown }
        if case .array(let values)? = answer { return .array(values + [unknown]) }
        return .array([unknown])
    }

    /// Index of the rule that leads on: with `takesFirst` the first that holds, else (SageResearch) the only
    /// one that holds: two lead nowhere, even if they name the same step.
    func leading(_ facts: StudyFacts) -> Int? {
        let leading = matching(facts).filter { rules[$0].to != nil }
        return takesFirst || leading.count == 1 ? leading.first : nil
    }

    func targets(_ facts: StudyFacts) -> [String] { matching(facts).compactMap { rules[$0].to } }

    /// Adds cohorts of rules that hold, and takes away those of rules that do not.
    func apply(to cohorts: inout Set<String>, _ facts: StudyFacts) {
        let holding = matching(facts)
        var (added, removed): (Set<String>, Set<String>) = ([], [])
        for (index, rule) in rules.enumerated() {
            guard let cohort = rule.cohort else { continue }
            if holding.contains(index) { added.insert(cohort) } else { removed.insert(cohort) }
        }
        cohorts.formUnion(added)
        cohorts.subtract(removed)
    }
}

/// Holds where the rule at `index` is the one that leads on.
struct SageRuleLeads: Condition {
    let rules: SageAnswerRules
    let index: Int

    func holds(_ facts: StudyFacts) -> Bool { rules.leading(facts) == index }
    var questionKeys: [String] { [rules.key] }
}

/// Holds where all rules that hold, of all fields of a form, lead to that one step
/// (SageResearch stable-3, `RSDSurveyNavigationStep.swift`: `skipIdentifiers.count == 1`, a set).
struct SageFormLeads: Condition {
    let fields: [SageAnswerRules]
    let to: String

    func holds(_ facts: StudyFacts) -> Bool { Set(fields.flatMap { $0.targets(facts) }) == [to] }
    var questionKeys: [String] { fields.map(\.key) }
}

struct SageSkipped: Condition {
    let key: String

    func holds(_ facts: StudyFacts) -> Bool {
        switch facts.answers[key] {
        case nil, .cleared, .text(""), .choices([]): true
        default: false
        }
    }
    var questionKeys: [String] { [key] }
}

/// A cohort rule: holds where the participant belongs to all, or any, of its cohorts.
struct SageCohortRule: Condition {
    let required: Set<String>
    let isAny: Bool
    /// The rules of the questions before this one, in the order of the file.
    let questions: [SageAnswerRules]

    func holds(_ facts: StudyFacts) -> Bool {
        var cohorts: Set<String> = []
        for question in questions { question.apply(to: &cohorts, facts) }
        let common = cohorts.intersection(required)
        return isAny ? !common.isEmpty : common == required
    }
    var questionKeys: [String] { questions.map(\.key) }
}

extension SageHands {
    private func chosen(_ facts: StudyFacts) -> String? {
        if case .choices(let keys)? = facts.answers[question] { keys.first } else { isAlways ? "both" : nil }
    }

    /// The hand that was drawn to be first.
    private func drawn(_ facts: StudyFacts) -> String? { drawnSteps.first { facts.answers[$0.value] != nil }?.key }

    fileprivate func first(_ facts: StudyFacts) -> String? {
        chosen(facts).flatMap { $0 == "both" ? nil : $0 } ?? drawn(facts)
    }

    fileprivate func order(_ facts: StudyFacts) -> [String] { Self.order(chosen(facts), first: drawn(facts)) }

    /// Hands in the order of use: the chosen one, or both as they were drawn.
    static func order(_ chosen: String?, first: String?) -> [String] {
        guard let chosen else { return [] }
        if chosen != "both" { return [chosen] }
        return first == "right" ? ["right", "left"] : ["left", "right"]
    }
}

struct SageNotFirstHand: Condition {
    let hands: SageHands
    let hand: String

    func holds(_ facts: StudyFacts) -> Bool { hands.first(facts) != hand }
    var questionKeys: [String] { [hands.question] }
}

/// Holds where exactly these hands are used, in this order.
struct SageHandsAre: Condition {
    let hands: SageHands
    /// `["right"]`, `["right", "left"]`.
    let order: [String]

    func holds(_ facts: StudyFacts) -> Bool { hands.order(facts) == order }
    var questionKeys: [String] { [hands.question] }
}
