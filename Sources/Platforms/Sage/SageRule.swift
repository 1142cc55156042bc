// SPDX-License-Identifier: Apache-2.0
import Base

/// One survey rule: what an answer is compared with, and what follows. `SageRuleReader` reads it,
/// `SageAnswerRules` applies it.
struct SageRule: Sendable, Hashable {
    /// As `ruleOperator` spells them: `de` is skipped (declined), `ot` other than all.
    enum Operator: String, Sendable, CaseIterable { case de, eq, ne, lt, gt, le, ge, ot, always }
    let compared: Operator
    /// Nil = nothing: the question was skipped.
    let match: JSONText?
    /// Nil for a rule that only has a cohort.
    let to: String?
    /// The cohort that the participant joins where the rule holds, and leaves where it does not; nil = none.
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
