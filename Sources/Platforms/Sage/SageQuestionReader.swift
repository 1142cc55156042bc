// SPDX-License-Identifier: Apache-2.0
import Base
import PlatformKit
import Study

/// Reads a question, for `SageTaskReader`: a step for each field in which something is entered. Call `read` once, then
/// take `rows` and `findings`.
struct SageQuestionReader {
    let scope: SageScope
    /// The whole task has a skip button.
    let hasSkip: Bool
    private(set) var findings: Findings
    private(set) var rows: [SageRow] = []

    mutating func read(_ place: JSONPlace, _ identifier: String) {
        if let image = place.member("image") { findings.unsupported("the picture is not shown", at: image) }
        switch place.member("type")?.text {
        case "simpleQuestion":
            guard let item = place.member("inputItem"), item.isObject else {
                findings.missing("inputItem", "an object that says what is entered", in: place)
                return
            }
            addSimple(place, identifier, item)
        case "choiceQuestion", "stringChoiceQuestion", "comboBoxQuestion": addChoice(place, identifier)
        case "multipleInputQuestion": addFields(place, identifier, "inputItems")
        default: addForm(place, identifier)
        }
    }

    /// `part` is the question or form of which the step asks a field.
    private mutating func add(
        _ place: JSONPlace, _ name: String, text: String, format: AnswerFormat, field: SageField, part: String? = nil,
        isRequired: Bool = false
    ) {
        rows.append(
            SageRow(
                place, name, scope, text: text, format: format, kind: .answer, field: field, part: part,
                isRequired: isRequired))
    }

    /// A question must be answered unless it is optional or can be skipped by a button.
    private func isRequired(_ place: JSONPlace) -> Bool {
        !(place.member("optional")?.boolean ?? false) && scope.hidesSkip && place.member("skipCheckbox") == nil
    }

    private mutating func addSimple(_ place: JSONPlace, _ identifier: String, _ item: JSONPlace) {
        guard let (format, field) = entry(item, hint: hint(place, item)) else { return }
        add(
            place, identifier, text: SageText.join([SageText.all(of: place), label(item)]), format: format,
            field: field, isRequired: isRequired(place))
    }

    /// How that field is asked and sent; nil after a problem, which has been noted.
    private mutating func entry(
        _ item: JSONPlace, hint: String, choices: JSONPlace? = nil
    ) -> SageInputReader.Reading? {
        var reader = SageInputReader(place: item, hint: hint, choices: choices, findings: findings)
        defer { findings = reader.findings }
        return reader.read()
    }

    private func hint(_ place: JSONPlace, _ item: JSONPlace) -> String {
        item.member("uiHint")?.text ?? place.member("uiHint")?.text ?? ""
    }

    private func label(_ item: JSONPlace) -> String { item.member("fieldLabel")?.text ?? "" }

    private mutating func addChoice(_ place: JSONPlace, _ identifier: String) {
        let other = otherItem(of: place)
        var reader = SageInputReader(place: place, hint: hint(place, place), choices: nil, findings: findings)
        let read = reader.readChoices(
            base: base(of: place, other) ?? reader.guessedBase(),
            isMultiple: !(place.member("singleChoice")?.boolean ?? !Self.isComboBox(place)))
        findings = reader.findings
        guard var (format, field) = read else { return }
        let otherKey = (scope.sections + [identifier, SageField.otherKey]).joined(separator: "/")
        if other != nil, case .choice(let choices) = format {
            field.otherStep = otherKey
            format = .choice(
                ChoiceFormat(
                    options: choices.options + [.init(value: SageField.otherKey, text: "Other")],
                    isMultiple: choices.isMultiple))
        }
        add(
            place, identifier, text: SageText.all(of: place), format: format, field: field,
            isRequired: isRequired(place))
        guard let other else { return }
        let question = rows.count - 1
        let key = rows[question].step.key
        addOther(place, other, of: identifier)
        guard rows.count - 1 > question else { return }
        rows[rows.count - 1].hides.append(NoneChosen([SageField.otherKey], of: key))
    }

    /// What AssessmentModel had before `other`: of several choices unless it says otherwise, always with a field
    /// for something else, whose type is that of the choices (AssessmentModel-KotlinNative e21fea3, `Nodes.kt`,
    /// `ComboBoxQuestionObject`).
    private static func isComboBox(_ place: JSONPlace) -> Bool { place.member("type")?.text == "comboBoxQuestion" }

    private func otherItem(of place: JSONPlace) -> JSONPlace? {
        guard Self.isComboBox(place) else { return place.member("other") }
        if let item = place.member("otherInputItem") { return item }
        let line = place.node.line
        let type = JSONNode.Member(key: "type", value: JSONNode(content: .string("string"), line: line))
        return JSONPlace(root: JSONNode(content: .object([type]), line: line))
    }

    /// Nil where the choices' values say it.
    private func base(of place: JSONPlace, _ other: JSONPlace?) -> String? {
        guard Self.isComboBox(place) else {
            return place.member("type")?.text == "stringChoiceQuestion" ? "string" : place.member("baseType")?.text
        }
        let type = other?.member("type")?.text ?? ""
        return ["integer", "year", "decimal"].contains(type) ? type : "string"
    }

    /// The step for the text of "Other", after the choices.
    private mutating func addOther(_ place: JSONPlace, _ item: JSONPlace, of question: String) {
        guard let (format, field) = entry(item, hint: "") else { return }
        add(
            place, SageField.otherKey, text: SageText.join(["Other", label(item)]), format: format,
            field: field, part: question)
    }

    /// A question of several fields: one step each.
    private mutating func addFields(_ place: JSONPlace, _ identifier: String, _ key: String) {
        let items = findings.objects(findings.array(key, of: "fields", in: place), "a field")
        if items.isEmpty { findings.expected("at least one field", at: place, found: "none") }
        var seen: Set<String> = []
        for (index, item) in items.enumerated() {
            let name = item.member("identifier")?.text ?? (items.count == 1 ? identifier : "\(index + 1)")
            guard seen.insert(name).inserted else {
                findings.expected("a unique identifier among the fields", at: item, found: "\"\(name)\" again")
                continue
            }
            guard let (format, field) = entry(item, hint: hint(place, item)) else { continue }
            let isNeeded = scope.hidesSkip && !(item.member("optional")?.boolean ?? false)
            add(
                item, name, text: SageText.join([SageText.all(of: place), label(item)]), format: format,
                field: field, part: identifier, isRequired: isNeeded)
            rows[rows.count - 1].sageStep.isMember = true
        }
    }

    /// A form of v1 to v3: a question for each of its fields, rules where the fields have them,
    /// looked at when the form is left. Until July 2018 a form could be its only field
    /// (SageResearch before 6095c45e, `RSDFormUIStepObject.swift`).
    private mutating func addForm(_ place: JSONPlace, _ identifier: String) {
        let isField = place.member("inputFields") == nil && place.member("dataType") != nil
        let items =
            isField
            ? [place]
            : findings.objects(findings.array("inputFields", of: "input fields", in: place), "an input field")
        if items.isEmpty { findings.expected("at least one input field", at: place, found: "none") }
        let hasSkip = self.hasSkip || place.member("actions")?.member("skip") != nil
        var seen: Set<String> = []
        for item in items {
            let name = item.member("identifier")?.text ?? identifier
            guard seen.insert(name).inserted else {
                findings.expected("a unique identifier among the fields", at: item, found: "\"\(name)\" again")
                continue
            }
            if let components = SageInputReader.components(item) {
                for (index, component) in components.enumerated() {
                    addField(
                        item, place, "\(name)-\(index + 1)", identifier, hasSkip, isMany: true,
                        choices: component)
                }
            } else {
                addField(item, place, name, identifier, hasSkip, isMany: items.count > 1 || name != identifier)
            }
            // A form that is its only field has its rules read as those of a step.
            if !isField, let rules = item.member("surveyRules"), !rows.isEmpty {
                rows[rows.count - 1].rules.append(rules)
            }
        }
    }

    /// `item` is the field and `name` its identifier, `place` the form and `identifier` the form's; `isMany` = the
    /// form's result has several parts.
    private mutating func addField(
        _ item: JSONPlace, _ place: JSONPlace, _ name: String, _ identifier: String,
        _ hasSkip: Bool, isMany: Bool, choices: JSONPlace? = nil
    ) {
        guard let (format, field) = entry(item, hint: hint(place, item), choices: choices) else { return }
        let isNeeded = !(item.member("optional")?.boolean ?? false) && (scope.hidesSkip || !hasSkip)
        let texts = item.path == place.path ? [item] : [place, item]
        add(
            item, name, text: SageText.join(texts.map { SageText.all(of: $0) }), format: format,
            field: field, part: isMany ? identifier : nil, isRequired: isNeeded)
    }
}
