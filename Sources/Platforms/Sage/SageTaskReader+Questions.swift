// SPDX-License-Identifier: Apache-2.0
import Base
import Study

extension SageTaskReader {
    mutating func question(_ place: JSONPlace, _ identifier: String, _ scope: SageScope) {
        if let image = place.member("image") { findings.unsupported("the picture is not shown", at: image) }
        switch place.member("type")?.text {
        case "simpleQuestion":
            guard let item = place.member("inputItem"), item.isObject else {
                findings.missing("inputItem", "an object that says what is entered", in: place)
                return
            }
            one(place, identifier, scope, item)
        case "choiceQuestion", "stringChoiceQuestion": choice(place, identifier, scope)
        case "multipleInputQuestion": several(place, identifier, scope, "inputItems")
        default: form(place, identifier, scope)
        }
    }

    /// May be left out unless it says otherwise and no button skips it.
    private func isRequired(_ place: JSONPlace, _ scope: SageScope) -> Bool {
        !(place.member("optional")?.boolean ?? false) && scope.hidesSkip && place.member("skipCheckbox") == nil
    }

    private mutating func one(_ place: JSONPlace, _ identifier: String, _ scope: SageScope, _ item: JSONPlace) {
        var input = SageInput(item, hint: hint(place, item), choices: nil, findings: findings)
        let read = input.read()
        findings = input.findings
        guard let (format, field) = read else { return }
        add(
            place, identifier, scope, text: Self.join([text(of: place), label(item)]), format: format, kind: .answer,
            field: field, isRequired: isRequired(place, scope))
    }

    private func hint(_ place: JSONPlace, _ item: JSONPlace) -> String {
        item.member("uiHint")?.text ?? place.member("uiHint")?.text ?? ""
    }

    private func label(_ item: JSONPlace) -> String { item.member("fieldLabel")?.text ?? "" }

    private mutating func choice(_ place: JSONPlace, _ identifier: String, _ scope: SageScope) {
        let isStrings = place.member("type")?.text == "stringChoiceQuestion"
        var input = SageInput(place, hint: hint(place, place), choices: nil, findings: findings)
        let read = input.readChoices(
            base: isStrings ? "string" : place.member("baseType")?.text ?? "string",
            isMultiple: !(place.member("singleChoice")?.boolean ?? true))
        findings = input.findings
        guard var (format, field) = read else { return }
        let other = place.member("other")
        let otherKey = (scope.keys + [identifier, SageField.otherKey]).joined(separator: "/")
        if other != nil, case .choice(let choices) = format {
            field.other = otherKey
            format = .choice(
                ChoiceFormat(
                    options: choices.options + [.init(value: SageField.otherKey, text: "Other")],
                    isMultiple: choices.isMultiple))
        }
        add(
            place, identifier, scope, text: text(of: place), format: format, kind: .answer, field: field,
            isRequired: isRequired(place, scope))
        guard let other else { return }
        let question = rows.count - 1
        let key = rows[question].step.key
        one(place, SageField.otherKey, scope, other, of: identifier)
        guard rows.count - 1 > question else { return }
        rows[rows.count - 1].hides.append(SageNoOther(question: key))
    }

    /// What else it is, entered behind the choices.
    private mutating func one(
        _ place: JSONPlace, _ identifier: String, _ scope: SageScope, _ item: JSONPlace, of part: String
    ) {
        var input = SageInput(item, hint: "", choices: nil, findings: findings)
        let read = input.read()
        findings = input.findings
        guard let (format, field) = read else { return }
        add(
            place, identifier, scope, text: Self.join(["Other", label(item)]), format: format, kind: .answer,
            field: field, part: part)
    }

    /// A question of several fields: one step each.
    private mutating func several(_ place: JSONPlace, _ identifier: String, _ scope: SageScope, _ key: String) {
        let items = findings.objects(findings.array(key, of: "fields", in: place), "a field")
        if items.isEmpty { findings.expected("at least one field", at: place, found: "none") }
        var seen: Set<String> = []
        for (index, item) in items.enumerated() {
            let name = item.member("identifier")?.text ?? (items.count == 1 ? identifier : "\(index + 1)")
            guard seen.insert(name).inserted else {
                findings.expected("a unique identifier among the fields", at: item, found: "\"\(name)\" again")
                continue
            }
            var input = SageInput(item, hint: hint(place, item), choices: nil, findings: findings)
            let read = input.read()
            findings = input.findings
            guard let (format, field) = read else { continue }
            let isNeeded = scope.hidesSkip && !(item.member("optional")?.boolean ?? false)
            add(
                item, name, scope, text: Self.join([text(of: place), label(item)]), format: format, kind: .answer,
                field: field, part: identifier, isRequired: isNeeded)
            rows[rows.count - 1].own.isMember = true
        }
    }

    /// A form of v1 to v3: a question for each of its fields, rules where the fields have them,
    /// looked at when the form is left.
    private mutating func form(_ place: JSONPlace, _ identifier: String, _ scope: SageScope) {
        let items = findings.objects(findings.array("inputFields", of: "input fields", in: place), "an input field")
        if items.isEmpty { findings.expected("at least one input field", at: place, found: "none") }
        let hasSkip = place.member("actions")?.member("skip") != nil || root.member("actions")?.member("skip") != nil
        let first = rows.count
        var seen: Set<String> = []
        var held: [(rules: JSONPlace, row: Int)] = []
        for item in items {
            let name = item.member("identifier")?.text ?? identifier
            guard seen.insert(name).inserted else {
                findings.expected("a unique identifier among the fields", at: item, found: "\"\(name)\" again")
                continue
            }
            if let components = SageInput.components(item) {
                for (index, component) in components.enumerated() {
                    field(
                        item, place, "\(name)-\(index + 1)", identifier, scope, hasSkip, isMany: true,
                        choices: component)
                }
            } else {
                field(item, place, name, identifier, scope, hasSkip, isMany: items.count > 1 || name != identifier)
            }
            if let rules = item.member("surveyRules"), rows.count > first { held.append((rules, rows.count - 1)) }
        }
        guard rows.count > first else { return }
        let last = rows.count - 1
        for (rules, row) in held {
            let before = rows[row].exits.count
            surveyRules(rules, row: row, scope.sections)
            guard row != last else { continue }
            rows[last].exits += rows[row].exits[before...]
            rows[row].exits.removeSubrange(before...)
        }
    }

    private mutating func field(
        _ item: JSONPlace, _ place: JSONPlace, _ name: String, _ identifier: String, _ scope: SageScope,
        _ hasSkip: Bool, isMany: Bool, choices: JSONPlace? = nil
    ) {
        var input = SageInput(item, hint: hint(place, item), choices: choices, findings: findings)
        let read = input.read()
        findings = input.findings
        guard let (format, field) = read else { return }
        let isNeeded = !(item.member("optional")?.boolean ?? false) && (scope.hidesSkip || !hasSkip)
        add(
            item, name, scope, text: Self.join([text(of: place), text(of: item)]), format: format, kind: .answer,
            field: field, part: isMany ? identifier : nil, isRequired: isNeeded)
    }
}

/// Holds while the choices of a question are enough.
struct SageNoOther: Condition {
    let question: String

    func holds(_ facts: StudyFacts) -> Bool {
        guard case .choices(let keys)? = facts.answers[question] else { return true }
        return !keys.contains(SageField.otherKey)
    }
    var drivers: [String] { [question] }
}
