// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// Reads the rules of navigation of steps and sections: `SageTaskReader` calls `add` for each of them
/// once its rows are there, in the order of the file, since cohorts look at earlier questions.
///
/// A cohort is a name: rules of answers put the participant into it or take the participant out, and cohort
/// rules ask who is in it.
struct SageRuleReader {
    /// An assessment of mobile-client-json.
    private let isAssessment: Bool
    /// True: where several rules hold, the first of them leads on. False: then none of them does.
    private let takesFirst: Bool
    private var findings = Findings()
    /// Rules of the questions so far that put a participant into cohorts.
    private var cohorts: [SageAnswerRules] = []
    /// The task's rows, only during `add`, which swaps them in and out to make no copy.
    private var rows: [SageRow] = []

    init(isAssessment: Bool, takesFirst: Bool) {
        self.isAssessment = isAssessment
        self.takesFirst = takesFirst
    }

    /// Adds the rules of a step or section to its rows, which begin at `first`.
    mutating func add(
        of place: JSONPlace, to rows: inout [SageRow], first: Int, _ sections: [String], _ findings: inout Findings
    ) {
        swap(&self.rows, &rows)
        swap(&self.findings, &findings)
        addFormRules(first: first, sections)
        addRules(of: place, first: first, sections)
        swap(&self.findings, &findings)
        swap(&self.rows, &rows)
    }

    /// Rules of a form's fields are looked at together when the form is left.
    private mutating func addFormRules(first: Int, _ sections: [String]) {
        let last = rows.count - 1
        var fields: [SageAnswerRules] = []
        var targets: [(to: String, place: JSONPlace)] = []
        for row in first...last {
            for holder in rows[row].rules {
                guard let (answers, places) = answerRules(holder, row: row) else { continue }
                fields.append(answers)
                for (rule, place) in zip(answers.rules, places) {
                    guard let to = rule.to, !targets.contains(where: { $0.to == to }) else { continue }
                    targets.append((to, place))
                }
            }
            rows[row].rules = []
        }
        for (to, place) in targets {
            rows[last].exits.append(
                SageExit(when: SageFormLeads(fields: fields, to: to), to: to, place: place, sections: sections))
        }
    }

    /// Rules of any node, sections included. Exits are looked at in this order: survey rules, the skip button,
    /// `nextStepIdentifier`, cohort rules; then the next row.
    private mutating func addRules(of place: JSONPlace, first: Int, _ sections: [String]) {
        let last = rows.count - 1
        // The fields of one question are several rows, and its rules look at the last; the row for
        // "Other" comes after the question itself.
        let asked = rows[first].sageStep.isMember ? last : first
        addSurveyRules(of: place, asked: asked, last: last, sections)
        addSkip(of: place, asked: asked, first...last, sections)
        if let next = place.member("nextStepIdentifier") {
            guard let to = next.text, !to.isEmpty else {
                findings.expected("the identifier of a step, or a reserved word", at: next)
                return
            }
            rows[last].exits.append(SageExit(when: nil, to: to, place: next, sections: sections))
        }
        for (rule, to, holder) in cohortRules("afterCohortRules", of: place, otherwise: "nextSection") {
            rows[last].exits.append(SageExit(when: rule, to: to, place: holder, sections: sections))
        }
        for (rule, to, holder) in cohortRules("beforeCohortRules", of: place, otherwise: "nextStep") {
            let isWhole = first < last
            // Past a section is past all of its steps.
            if to == "nextStep", isWhole {
                rows[first].replacements.append(
                    SageExit(when: rule, to: Self.behind, place: holder, sections: sections + [Self.name(place)]))
            } else if to == "nextStep" {
                rows[first].hides.append(rule)
            } else {
                rows[first].replacements.append(SageExit(when: rule, to: to, place: holder, sections: sections))
            }
        }
    }

    /// A target: the row behind the innermost section. No identifier in a file can be the same.
    static let behind = "\u{0}behind"

    private static func name(_ place: JSONPlace) -> String { place.member("identifier")?.text ?? "" }

    /// Rules of v4 are at the question; those of v1 to v3 are at its fields, and are already in the
    /// rows.
    private mutating func addSurveyRules(of place: JSONPlace, asked: Int, last: Int, _ sections: [String]) {
        guard let holder = place.member("surveyRules"), place.member("type")?.text != "section" else { return }
        surveyRules(holder, row: asked, sections)
        guard asked != last else { return }
        rows[last].exits += rows[asked].exits
        rows[asked].exits = []
    }

    private mutating func surveyRules(_ holder: JSONPlace, row: Int, _ sections: [String]) {
        guard let (answers, places) = answerRules(holder, row: row) else { return }
        for (index, rule) in answers.rules.enumerated() {
            guard let to = rule.to else { continue }
            rows[row].exits.append(
                SageExit(
                    when: SageRuleLeads(rules: answers, index: index), to: to, place: places[index],
                    sections: sections))
        }
    }

    /// The rules that look at the answer of that row, each with its place; nil after a problem.
    private mutating func answerRules(
        _ holder: JSONPlace, row: Int
    ) -> (answers: SageAnswerRules, places: [JSONPlace])? {
        guard let elements = holder.elements else {
            findings.expected("an array of rules", at: holder)
            return nil
        }
        guard let field = rows[row].sageStep.field else {
            findings.expected("a question, since rules look at its answer", at: holder, found: "a step without one")
            return nil
        }
        let places = findings.objects(elements, "a rule")
        let compared = rows[row].sageStep.isMember ? SageField(.object) : field
        let rules = places.compactMap { rule($0, compared) }
        guard rules.count == places.count else { return nil }
        if canBeSpoken(row, field), rules.contains(where: { $0.compared != .always }) {
            findings.warn(
                "where this board has no letters the text is spoken: a spoken answer matches only `always`; one for \"Other\" also matches `ne` and `ot`",
                at: holder)
        }
        let answers = SageAnswerRules(
            key: rows[row].step.key, field: field, rules: rules, isAssessment: isAssessment,
            takesFirst: takesFirst)
        if rules.contains(where: { $0.cohort != nil }) { cohorts.append(answers) }
        return (answers, places)
    }

    /// Free texts can be spoken: the answer itself, or the text for "Other".
    private func canBeSpoken(_ row: Int, _ field: SageField) -> Bool {
        if case .text = rows[row].step.format { return true }
        guard let other = field.otherStep else { return false }
        return rows.contains { if case .text = $0.step.format { $0.step.key == other } else { false } }
    }

    private mutating func rule(_ place: JSONPlace, _ field: SageField) -> SageRule? {
        let given = findings.text("ruleOperator", in: place)
        let match = place.member("matchingAnswer")
        guard let compared = given.isEmpty ? (match == nil ? .de : .eq) : SageRule.Operator(rawValue: given) else {
            findings.expected(
                "one of \(SageRule.Operator.allCases.map(\.rawValue).joined(separator: ", "))",
                at: place.member("ruleOperator") ?? place, found: "\"\(given)\"")
            return nil
        }
        let cohort = place.member("cohort")?.text
        let to = place.member("skipToIdentifier")?.text ?? (cohort == nil ? "exit" : nil)
        let needsMatch = ![.de, .always].contains(compared)
        // `eq` without a value means that the question was skipped, `ne` that it was not.
        if needsMatch, match == nil, ![.eq, .ne].contains(compared) {
            findings.missing("matchingAnswer", "what the answer is compared with", in: place)
            return nil
        }
        guard let match, needsMatch else { return SageRule(compared: compared, match: nil, to: to, cohort: cohort) }
        guard let value = matching(match, field) else { return nil }
        if isAssessment, field.isArray, match.elements == nil {
            findings.warn(
                "several answers never equal a single value, as in AssessmentModel; in brackets it is a list of one",
                at: match)
        }
        return SageRule(compared: compared, match: value, to: to, cohort: cohort)
    }

    /// A value that the question could be answered with.
    private mutating func matching(_ place: JSONPlace, _ field: SageField) -> JSONText? {
        if let elements = place.elements {
            guard field.isArray else {
                findings.expected("a single value, as the question has one answer", at: place)
                return nil
            }
            let values = elements.compactMap { matching($0, field) }
            return values.count == elements.count ? .array(values) : nil
        }
        let (wanted, isRight): (String, Bool) =
            switch field.kind {
            case .boolean: ("true or false", place.boolean != nil)
            case .integer: ("a whole number", place.writtenNumber != nil && place.integer != nil)
            case .number, .duration, .measurement: ("a number", place.writtenNumber != nil)
            case .string, .date, .time: ("a text", place.text != nil)
            case .object: ("nothing: answers of this kind cannot be compared", false)
            }
        guard isRight, let value = place.identity else {
            findings.expected("\(wanted), as the question's answers are", at: place)
            return nil
        }
        if !field.choices.isEmpty, field.otherStep == nil, !field.choices.contains(where: { $0.value == value }) {
            findings.assume("no choice has this value", at: place)
        }
        return value
    }

    /// A skip button with a target leads there if the participant leaves the step out; of a form, every field.
    private mutating func addSkip(of place: JSONPlace, asked: Int, _ range: ClosedRange<Int>, _ sections: [String]) {
        guard let skip = place.member("actions")?.member("skip"), skip.member("type")?.text == "navigation",
            let target = skip.member("skipToIdentifier")
        else { return }
        guard let to = target.text, !to.isEmpty else {
            findings.expected("the identifier of a step, or a reserved word", at: target)
            return
        }
        guard rows[asked].step.format.isQuestion else {
            findings.unsupported("an instruction step has no skip button", at: target)
            return
        }
        let others = Set(range.compactMap { rows[$0].sageStep.field?.otherStep })
        let fields = range.filter { rows[$0].sageStep.part != nil && !others.contains(rows[$0].step.key) }
        let left = (fields.isEmpty ? [asked] : fields).map { SageSkipped(key: rows[$0].step.key) }
        rows[range.upperBound].exits.append(SageExit(when: AllOf(left), to: to, place: target, sections: sections))
    }

    private mutating func cohortRules(
        _ key: String, of place: JSONPlace, otherwise: String
    ) -> [(any Condition, String, JSONPlace)] {
        guard place.member(key) != nil else { return [] }
        let elements = findings.objects(findings.array(key, of: "cohort rules", in: place), "a cohort rule")
        return elements.compactMap { rule in
            let required = Set(findings.texts("requiredCohorts", in: rule).map(\.text))
            let given = rule.member("operator")?.text ?? "all"
            guard ["all", "any"].contains(given) else {
                findings.expected("all or any", at: rule.member("operator") ?? rule)
                return nil
            }
            guard !required.isEmpty else {
                findings.assume("a rule without cohorts means nothing", at: rule)
                return nil
            }
            let to = rule.member("skipToIdentifier")?.text ?? otherwise
            return (SageCohortRule(required: required, isAny: given == "any", questions: cohorts), to, rule)
        }
    }
}
