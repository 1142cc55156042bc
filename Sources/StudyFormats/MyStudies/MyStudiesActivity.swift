// SPDX-License-Identifier: Apache-2.0
import StudyModel

/// Reads the steps of one activity.
///
/// A form becomes its questions one after the other, with the keys `form/question`; a repeatable form asks after each round
/// whether there is more, `form/2/question` and so on. An active task is told before it begins, and ended with a word of thanks,
/// unless its options exclude that.
struct MyStudiesActivity {
    /// More rounds of a repeatable form than this are not asked for.
    static let maximumRounds = 10
    static let maximumSteps = 2_000

    let place: JSONPlace
    let options: StudyOptions
    var findings: Findings
    /// What is recorded while its active tasks are done; complete once `steps` was called.
    private(set) var recorders: [TaskRecorder] = []
    /// Every key of the activity, with its position.
    private var positions: [String: Int] = [:]
    private let branches: Bool

    /// Keys of hidden steps, by the question whose answer may lead on to them.
    private var hidden: [String: [JSONPlace]] = [:]

    /// `branches` is what the activity list says; without it destinations are not looked at.
    init(_ place: JSONPlace, branches: Bool, options: StudyOptions, findings: Findings) {
        self.place = place
        self.branches = branches
        self.options = options
        self.findings = findings
    }

    mutating func steps() -> [Step] {
        let places = findings.objects(findings.array("steps", of: "steps", in: place), "a step")
        guard places.count <= Self.maximumSteps else {
            findings.expected("at most \(Self.maximumSteps) steps", at: place, found: "\(places.count)")
            return []
        }
        var known: [(place: JSONPlace, key: String)] = []
        for (index, place) in places.enumerated() {
            guard let key = findings.requiredText("key", in: place) else { continue }
            if positions[key] != nil { findings.expected("a key of its own", at: place, found: "\"\(key)\" again") }
            positions[key] = index
            if isHidden(place), let source = place.member("sourceQuestionKey")?.text {
                hidden[source, default: []].append(place)
            }
            known.append((place, key))
        }
        return known.flatMap { step($0.place, key: $0.key) }
    }

    private mutating func step(_ place: JSONPlace, key: String) -> [Step] {
        switch findings.text("type", in: place).lowercased() {
        case "instruction": return [instruction(place, key)]
        case "question": return question(place, key: key)
        case "form": return form(place, key: key)
        case "task": return active(place, key: key)
        default:
            findings.expected("a step type: instruction, question, form, task", at: place.member("type") ?? place)
            return []
        }
    }

    private mutating func instruction(_ place: JSONPlace, _ key: String) -> Step {
        Step(
            key: key, text: text(place), format: .instruction, visibleWhen: visibility(place),
            jumps: jumps(place, .instruction, key: key), path: place.path)
    }

    /// Prompt and detail in one, as plain text.
    func text(_ place: JSONPlace) -> String {
        ["title", "text"].compactMap { place.member($0)?.text }.map { PlainText(html: $0).text }
            .filter { !$0.isEmpty }.joined(separator: ". ")
    }

    /// A question, and where a choice may be something else, the words for it.
    private mutating func question(
        _ place: JSONPlace, key: String, visibleWhen: (any Condition)? = nil, jumps: Bool = true
    ) -> [Step] {
        var reading = MyStudiesQuestion(place, findings: findings)
        let format = reading.format()
        let others = reading.others
        findings = reading.findings
        guard let format else { return [] }
        let hidden = visibility(place)
        let visible = visibleWhen ?? hidden
        let isRequired = !(place.member("skippable")?.isTrue ?? false) && hidden == nil
        noteRegex(place)
        let ways = jumps ? self.jumps(place, format, key: key) : []
        let asked = Step(
            key: key, text: text(place), format: format, isRequired: isRequired, visibleWhen: visible,
            jumps: others.isEmpty ? ways : [], path: place.path, wireName: place.member("resultType")?.text ?? "")
        return [asked]
            + others.enumerated().map { index, other in
                Step(
                    key: MyStudiesKeys.other(of: key, value: other.value), text: other.text,
                    format: .text(multiline: false), isRequired: other.isRequired,
                    visibleWhen: Chosen(question: key, value: other.value),
                    jumps: index == others.count - 1 ? ways : [], path: place.path)
            }
    }

    private mutating func form(_ place: JSONPlace, key: String) -> [Step] {
        let questions = findings.objects(findings.array("steps", of: "questions", in: place), "a question")
        let isRepeatable = place.member("repeatable")?.isTrue ?? false
        var steps: [Step] = []
        for round in 1...(isRepeatable ? Self.maximumRounds : 1) {
            let again =
                round == 1 ? nil : Chosen(question: MyStudiesKeys.more(of: key, after: round - 1), value: "true")
            for place in questions {
                guard let own = findings.requiredText("key", in: place) else { continue }
                steps += question(
                    place, key: MyStudiesKeys.question(own, of: key, round: round), visibleWhen: again, jumps: false)
            }
            if isRepeatable, round < Self.maximumRounds { steps.append(more(place, key, after: round, again)) }
        }
        if isRepeatable {
            findings.assume("at most \(Self.maximumRounds) rounds of this form are asked for", at: place)
        }
        return closing(steps, with: jumps(place, .instruction, key: key))
    }

    private func more(_ place: JSONPlace, _ key: String, after round: Int, _ again: (any Condition)?) -> Step {
        let text = place.member("repeatableText")?.text ?? ""
        return Step(
            key: MyStudiesKeys.more(of: key, after: round), text: text.isEmpty ? "Add more?" : text,
            format: .yesNo(yes: "Yes", no: "No"), visibleWhen: again, path: place.path)
    }

    /// Where a form leads to is decided at its last step.
    private func closing(_ steps: [Step], with jumps: [Jump]) -> [Step] {
        guard let last = steps.last, !jumps.isEmpty else { return steps }
        let closed = Step(
            key: last.key, text: last.text, format: last.format, isRequired: last.isRequired,
            visibleWhen: last.visibleWhen, jumps: jumps, path: last.path, wireName: last.wireName)
        return steps.dropLast() + [closed]
    }

    private mutating func active(_ place: JSONPlace, key: String) -> [Step] {
        var reading = MyStudiesActiveTask(place, findings: findings)
        let task = reading.task()
        findings = reading.findings
        guard let task else { return [] }
        let exclusions = Set((place.member("options")?.elements ?? []).compactMap(\.text))
        recorders += MyStudiesRecorders.recorders(of: key, without: exclusions)
        let text = text(place)
        var steps: [Step] = []
        if !exclusions.contains("excludeInstructions"), !text.isEmpty {
            steps.append(
                Step(key: MyStudiesKeys.introduction(of: key), text: text, format: .instruction, path: place.path))
        }
        steps.append(
            Step(
                key: key, text: findings.text("title", in: place), format: .active(task),
                isRequired: !(place.member("skippable")?.isTrue ?? false), path: place.path))
        if !exclusions.contains("excludeConclusion") {
            steps.append(
                Step(
                    key: MyStudiesKeys.conclusion(of: key), text: "Thank you. The task is done.", format: .instruction,
                    path: place.path))
        }
        return steps
    }
}

extension MyStudiesActivity {
    private func isHidden(_ place: JSONPlace) -> Bool { place.member("defaultVisibility")?.boolean == false }

    /// A hidden step is shown only where an answer leads to it.
    private mutating func visibility(_ place: JSONPlace) -> (any Condition)? {
        guard isHidden(place) else { return nil }
        let source = findings.text("sourceQuestionKey", in: place)
        if positions[source] == nil {
            findings.assume(
                "never shown but by a destination: it is hidden, and names no question that leads on", at: place)
        }
        return NeverShown()
    }

    private mutating func noteRegex(_ place: JSONPlace) {
        guard let format = place.member("format"), let regex = format.member("validationRegex"), regex.text != "" else {
            return
        }
        findings.unsupported("what is spoken is not compared with validationRegex", at: regex)
    }

    /// Where the answer to a question leads by the logic of the hidden steps that look at it.
    private mutating func preloads(_ key: String) -> [Jump] {
        var jumps: [Jump] = []
        for place in hidden[key] ?? [] {
            guard let logic = place.member("preLoadLogic"), logic.isObject else { continue }
            if let other = logic.member("activityId") ?? logic.member("activityid"), other.text != "" {
                findings.unsupported(
                    "going on in another activity is not supported; this activity ends there", at: other)
            }
            guard let rule = MyStudiesLogic(logic, source: key, findings: &findings) else { continue }
            if let to = preload(logic, ["destinationStepKey", "destinationTrueStepKey"], key) {
                jumps.append(Jump(when: rule, to: to))
            }
            if let to = preload(logic, ["destinationFalseStepKey"], key) {
                jumps.append(Jump(when: Negation(rule), to: to))
            }
        }
        return jumps
    }

    private mutating func preload(_ logic: JSONPlace, _ keys: [String], _ key: String) -> Jump.Destination? {
        for name in keys {
            guard let child = logic.member(name), let text = child.text, !text.isEmpty else { continue }
            if text == "0" { return .end }
            if positions[text] != nil { return target(name, in: logic, from: key) }
            findings.assume("leads to no step of this activity, and is not followed", at: child)
        }
        return nil
    }

    /// Destinations, in the order of the file; without one that fits the activity ends.
    private mutating func jumps(_ place: JSONPlace, _ format: AnswerFormat, key: String) -> [Jump] {
        let destinations = place.member("destinations")?.elements ?? []
        var jumps = preloads(key)
        guard branches, !destinations.isEmpty else { return jumps }
        for destination in destinations {
            guard let to = target("destination", in: destination, from: key) else { continue }
            guard let when = MyStudiesBranch(destination, key: key, format: format, options, &findings) else {
                continue
            }
            jumps.append(Jump(when: when, to: to))
        }
        return jumps + [Jump(when: Always(), to: .end)]
    }

    private mutating func target(_ member: String, in place: JSONPlace, from key: String) -> Jump.Destination? {
        let name = findings.text(member, in: place)
        if name.isEmpty { return .end }
        guard let index = positions[name], let here = positions[key] else {
            findings.expected("the key of a step of this activity, or \"\"", at: place.member(member) ?? place)
            return nil
        }
        if index <= here {
            findings.assume(
                "leads back to an earlier step; a run that comes to one step 50 times ends there",
                at: place.member(member) ?? place)
        }
        return .step(name)
    }
}
