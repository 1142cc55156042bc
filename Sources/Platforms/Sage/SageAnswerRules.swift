// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// The survey rules of one question, and which of them hold for its answer; `SageRuleReader` makes conditions of them.
struct SageAnswerRules: Sendable {
    let key: String
    let field: SageField
    let rules: [SageRule]
    /// The task is an assessment of mobile-client-json; see `SageRule.matches`.
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

/// Holds where the question was left out.
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
    /// One of the cohorts is enough; else all are required.
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
