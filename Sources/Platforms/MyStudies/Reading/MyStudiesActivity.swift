// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// Reads the steps of one activity.
///
/// A form becomes its questions one after the other, with the keys `form/question`; a repeatable
/// form asks after each round whether there is more, `form/2/question` and so on. An active task is
/// told before it begins, and ended with a word of thanks, unless its options exclude that.
struct MyStudiesActivity {
    /// More rounds of a repeatable form than this are not asked for.
    static let maximumRounds = 10
    private static let maximumSteps = 2_000

    let place: JSONPlace
    let options: StudyOptions
    var findings: Findings
    /// What is recorded while its active tasks are done; complete once `steps` was called.
    private(set) var recorders: [TaskRecorder] = []
    /// For what the platform's app says and its file does not.
    var words: Words { Words(for: options.language ?? Language.english.tag) }
    /// Every key of the activity, with its position.
    var positions: [String: Int] = [:]
    private let branches: Bool

    /// Hidden steps, by the question whose answer may lead on to them.
    var hidden: [String: [JSONPlace]] = [:]
    /// Every question, those of forms too, by its own key.
    var sources: [String: JSONPlace] = [:]
    /// Hidden steps that name a question of this activity and bring its logic.
    var reachable: Set<String> = []

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
            guard let key = key(of: place) else { continue }
            if positions[key] != nil { findings.expected("a unique key", at: place, found: "\"\(key)\" again") }
            positions[key] = index
            known.append((place, key))
        }
        recordHidden(known)
        let groups = known.map { (key: $0.key, steps: step($0.place, key: $0.key)) }
        let steps = entered(groups)
        return steps.map { resolved($0, among: steps) }
    }

    /// `/` stands in keys made here alone.
    mutating func key(of place: JSONPlace) -> String? {
        guard let key = findings.requiredText("key", in: place) else { return nil }
        guard !key.contains("/") else {
            findings.expected("a key without a slash", at: place.member("key") ?? place)
            return nil
        }
        return key
    }

    /// What leads to a form or an active task leads to the first of its steps.
    private func entered(_ groups: [(key: String, steps: [Step])]) -> [Step] {
        let entries = Dictionary(groups.map { ($0.key, $0.steps.first?.key) }) { first, _ in first }
        return groups.flatMap(\.steps).map { step in
            var step = step
            step.jumps = step.jumps.map { jump in
                guard case .step(let key) = jump.to, let entry = entries[key] ?? nil else { return jump }
                return Jump(when: jump.when, to: .step(entry))
            }
            return step
        }
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
            key: key, text: text(place), format: .instruction, visibleWhen: visibility(place, key),
            jumps: jumps(place, .instruction, key: key), path: place.path,
            variation: piping(place).map(TextVariation.piped))
    }

    /// Prompt and detail in one, as plain text.
    func text(_ place: JSONPlace) -> String {
        ["title", "text"].compactMap { place.member($0)?.text }.map { PlainText(html: $0).text }
            .filter { !$0.isEmpty }.joined(separator: ". ")
    }

    private mutating func question(_ place: JSONPlace, key: String) -> [Step] {
        let visible = visibility(place, key)
        guard let asked = asked(place, key: key, visibleWhen: visible, isHidden: visible != nil) else { return [] }
        return asked.steps(leadingBy: jumps(place, asked.question.format, key: key))
    }

    /// A question, and where a choice may be something else, the words for it.
    struct Asked {
        var question: Step
        var words: [(value: String, step: Step)] = []

        /// The ways on are those of the last of its steps that is asked.
        func steps(leadingBy jumps: [Jump]) -> [Step] {
            var question = question
            question.jumps = guarded(jumps, against: words.map(\.value))
            let others = words.enumerated().map { index, other in
                var step = other.step
                step.jumps = guarded(jumps, against: words.dropFirst(index + 1).map(\.value))
                return step
            }
            return [question] + others
        }

        private func guarded(_ jumps: [Jump], against values: [String]) -> [Jump] {
            guard !values.isEmpty else { return jumps }
            return jumps.map { $0.also(NoneChosen(question: question.key, values: values)) }
        }
    }

    mutating func asked(
        _ place: JSONPlace, key: String, visibleWhen: (any Condition)?, isHidden: Bool, isOptional: Bool = false
    ) -> Asked? {
        var reading = MyStudiesQuestion(place, language: options.language, findings: findings)
        let format = reading.format()
        let others = reading.others
        findings = reading.findings
        guard let format else { return nil }
        let asked = Step(
            key: key, text: text(place), format: format,
            isRequired: !isOptional && (isHidden || !(place.member("skippable")?.isTrue ?? false)),
            visibleWhen: visibleWhen,
            path: place.path, wireName: place.member("resultType")?.text ?? "",
            variation: piping(place).map(TextVariation.piped))
        let words = others.map { other in
            let step = Step(
                key: MyStudiesKeys.other(of: key, value: other.value), text: other.text,
                format: .text(multiline: false), isRequired: other.isRequired && !isOptional,
                visibleWhen: Chosen(question: key, value: other.value), path: place.path)
            return (other.value, step)
        }
        return Asked(question: asked, words: words)
    }

    /// Its own, else ResearchKit's name of the task (MyStudies' own of the kick counter).
    private mutating func title(of place: JSONPlace, _ task: ActiveTask) -> String {
        let own = PlainText(html: findings.text("title", in: place)).text
        guard own.isEmpty else { return own }
        return words(task.rules.title)
    }

    private mutating func active(_ place: JSONPlace, key: String) -> [Step] {
        var reading = MyStudiesActiveTask(place, findings: findings)
        let task = reading.task()
        findings = reading.findings
        guard let task else { return [] }
        let named = Set((place.member("options")?.elements ?? []).compactMap(\.text))
        let recording = MyStudiesRecorders.recorders(of: key, named: named)
        if !recording.isEmpty {
            let names = recording.map(\.identifier).joined(separator: ", ")
            findings.assume(
                "records \(names) while this task is done, as no phone does; the consent form must say so",
                for: "options", in: place)
        }
        recorders += recording
        let text = text(place)
        var steps: [Step] = []
        if !named.contains("excludeInstructions"), !text.isEmpty {
            steps.append(
                Step(key: MyStudiesKeys.introduction(of: key), text: text, format: .instruction, path: place.path))
        }
        steps.append(
            Step(
                key: key, text: title(of: place, task), format: .active(task),
                isRequired: !(place.member("skippable")?.isTrue ?? false), path: place.path))
        if !named.contains("excludeConclusion") {
            steps.append(
                Step(
                    key: MyStudiesKeys.conclusion(of: key), text: words(StudyPhrases.taskDone), format: .instruction,
                    path: place.path))
        }
        return steps
    }
}

extension MyStudiesActivity {
    /// Destinations: the first special one that fits, in the order of the file; else the default
    /// wherever it stands, else the next step in order.
    mutating func jumps(_ place: JSONPlace, _ format: AnswerFormat, key: String) -> [Jump] {
        var jumps = format.isQuestion ? preloads(key, answeredAs: key, format, place) : []
        if let given = place.member("destinations"), given.elements == nil {
            findings.expected("an array of destinations", at: given)
        }
        let destinations = findings.objects(place.member("destinations")?.elements ?? [], "a destination")
        guard branches, !destinations.isEmpty else { return jumps }
        let kind = place.member("resultType")?.text ?? ""
        var special: [Jump] = []
        // The server writes the default before the entry of an "other" choice: it is held apart. Of
        // several the last counts.
        var otherwise: Jump.Destination?
        for destination in destinations {
            guard let to = target("destination", in: destination, from: key) else { continue }
            guard
                let when = MyStudiesBranch(destination, key: key, format: format, kind: kind, options, &findings)
            else { continue }
            switch when.rule {
            case .always: otherwise = to
            case .never: break
            default: special.append(Jump(when: when, to: to))
            }
        }
        jumps += special
        // Rules of which none can ever hold end the activity.
        if otherwise == nil, special.isEmpty { otherwise = .end }
        return jumps + (otherwise.map { [Jump(when: Always(), to: $0)] } ?? [])
    }

    mutating func target(_ member: String, in place: JSONPlace, from key: String) -> Jump.Destination? {
        let name = findings.text(member, in: place)
        if name.isEmpty { return .end }
        guard let index = positions[name] else {
            findings.expected("the key of a step of this activity, or \"\"", at: place.member(member) ?? place)
            return nil
        }
        // A question of a form stands where no step comes back to.
        if let here = positions[key], index <= here {
            findings.assume(
                "leads back to an earlier step; a run that comes to one step 50 times ends there",
                at: place.member(member) ?? place)
        }
        return .step(name)
    }
}
