// SPDX-License-Identifier: Apache-2.0
import Base
import PlatformKit
import Study

/// Reads the steps of one activity, for `MyStudiesDecoder`: call `steps()` once, then take `findings` and `recorders`.
///
/// A form becomes its questions one after the other, with the keys `form/question`; a repeatable
/// form asks after each round whether there is more, `form/2/question` and so on. An active task is
/// announced before it begins, and ended with a word of thanks, unless its options exclude that.
struct MyStudiesActivityReader {
    /// The most rounds of a repeatable form.
    private static let maximumRounds = 10
    private static let maximumSteps = 2_000

    private let place: JSONPlace
    private let options: StudyOptions
    private(set) var findings: Findings
    /// What is recorded while its active tasks are done; complete once `steps` was called.
    private(set) var recorders: [TaskRecorder] = []
    /// For what the platform's app says and its file does not.
    private var words: Words { Words(for: options.language ?? Language.english.tag) }
    /// Position of every step of the activity by its key; questions of forms are not in it.
    private var positions: [String: Int] = [:]
    /// The activity's `destinations` decide where its steps lead; see `init`.
    private let branches: Bool
    /// Which hidden steps an answer can lead to; set by `steps`.
    private var hidden = MyStudiesHiddenSteps([])

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
        // All keys first, because jumps name steps further on.
        var known: [(place: JSONPlace, key: String)] = []
        for (index, place) in places.enumerated() {
            guard let key = key(of: place) else { continue }
            if positions[key] != nil { findings.expected("a unique key", at: place, found: "\"\(key)\" again") }
            positions[key] = index
            known.append((place, key))
        }
        hidden = MyStudiesHiddenSteps(known.map(\.place))
        let groups = known.map { (key: $0.key, steps: step($0.place, key: $0.key)) }
        let steps = redirected(groups)
        // Texts that repeat earlier answers (piping) need all steps.
        return steps.map { MyStudiesPiping.resolved($0, among: steps, &findings) }
    }

    /// The step's own key. It must have no `/`, which is only in keys made here (`MyStudiesKeys`).
    private mutating func key(of place: JSONPlace) -> String? {
        guard let key = findings.requiredText("key", in: place) else { return nil }
        guard !key.contains("/") else {
            findings.expected("a key without a slash", at: place.member("key") ?? place)
            return nil
        }
        return key
    }

    /// All steps, with jumps to a form or an active task led to the first of its steps: its own key is not
    /// that of a step.
    private func redirected(_ groups: [(key: String, steps: [Step])]) -> [Step] {
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
            variation: piping(place))
    }

    /// Prompt and detail in one, as plain text.
    private func text(_ place: JSONPlace) -> String {
        let title = PlainText(html: place.member("title")?.text ?? "").text
        let detail = PlainText(escapedHTML: place.member("text")?.text ?? "").text
        return [title, detail].filter { !$0.isEmpty }.joined(separator: ". ")
    }

    private mutating func question(_ place: JSONPlace, key: String) -> [Step] {
        let visible = visibility(place, key)
        guard let asked = readQuestion(place, key: key, visibleWhen: visible) else { return [] }
        return asked.steps(leadingBy: jumps(place, asked.question.format, key: key))
    }

    /// A question, and a step for the text of each choice that asks for one, such as "other".
    private struct Asked {
        var question: Step
        var otherTexts: [(value: String, step: Step)] = []

        /// Each step gets the jumps, guarded so that only the last step that is asked takes them.
        func steps(leadingBy jumps: [Jump]) -> [Step] {
            var question = question
            question.jumps = guarded(jumps, against: otherTexts.map(\.value))
            let others = otherTexts.enumerated().map { index, other in
                var step = other.step
                step.jumps = guarded(jumps, against: otherTexts.dropFirst(index + 1).map(\.value))
                return step
            }
            return [question] + others
        }

        private func guarded(_ jumps: [Jump], against values: [String]) -> [Jump] {
            guard !values.isEmpty else { return jumps }
            return jumps.map { $0.also(NoneChosen(values, of: question.key)) }
        }
    }

    private mutating func readQuestion(
        _ place: JSONPlace, key: String, visibleWhen: (any Condition)?, isOptional: Bool = false
    ) -> Asked? {
        var reader = MyStudiesQuestionReader(place, language: options.language, findings: findings)
        let format = reader.format()
        findings = reader.findings
        guard let format else { return nil }
        let asked = Step(
            key: key, text: text(place), format: format,
            isRequired: !isOptional && !(place.member("skippable")?.isTrue ?? false),
            visibleWhen: visibleWhen,
            path: place.path, wireName: place.member("resultType")?.text ?? "",
            variation: piping(place))
        let otherTexts = reader.others.map { other in
            let step = Step(
                key: MyStudiesKeys.other(of: key, value: other.value), text: other.text,
                format: .text(multiline: false), isRequired: other.isRequired && !isOptional,
                visibleWhen: Chosen(other.value, of: key), path: place.path)
            return (other.value, step)
        }
        return Asked(question: asked, otherTexts: otherTexts)
    }

    /// The step's own title, else ResearchKit's name of the task (MyStudies' own of the kick counter).
    private mutating func title(of place: JSONPlace, _ task: ActiveTask) -> String {
        let own = PlainText(html: findings.text("title", in: place)).text
        return own.isEmpty ? words(task.rules.title) : own
    }

    private mutating func active(_ place: JSONPlace, key: String) -> [Step] {
        guard let task = MyStudiesActiveTaskReader.task(place, &findings) else { return [] }
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

    private mutating func piping(_ place: JSONPlace) -> TextVariation? {
        MyStudiesPiping.read(place, in: text(place), of: ownID, &findings).map(TextVariation.piped)
    }

    // MARK: - Jumps

    /// Where a step leads to: by its destinations if it has any, else by its logic
    /// (`ORKNavigableOrderedTask`).
    private mutating func jumps(_ place: JSONPlace, _ format: AnswerFormat, key: String) -> [Jump] {
        let destinations = destinations(place, format, key: key)
        let logic = logic(of: place, answeredAs: key, format, key: key)
        guard !destinations.isEmpty else { return logic }
        if !logic.isEmpty, let unread = place.member("preLoadLogic") {
            findings.assume("not looked at: in an activity with branching the destinations decide", at: unread)
        }
        return destinations
    }

    /// The first conditional destination that fits, in the order of the file; else the default, wherever
    /// the file has it; else the next step in order.
    private mutating func destinations(_ place: JSONPlace, _ format: AnswerFormat, key: String) -> [Jump] {
        if let given = place.member("destinations"), given.elements == nil {
            findings.expected("an array of destinations", at: given)
        }
        let destinations = findings.objects(place.member("destinations")?.elements ?? [], "a destination")
        guard branches, !destinations.isEmpty else { return [] }
        let kind = place.member("resultType")?.text ?? ""
        var special: [Jump] = []
        // Kept apart, because the server writes the default before the entry of an "other" choice. Of
        // several defaults the last counts.
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
        // If no destination can ever be taken, the activity ends.
        if otherwise == nil, special.isEmpty { otherwise = .end }
        return special + (otherwise.map { [Jump(when: Always(), to: $0)] } ?? [])
    }

    private mutating func target(_ member: String, in place: JSONPlace, from key: String) -> Jump.Destination? {
        let name = findings.text(member, in: place)
        if name.isEmpty { return .end }
        guard let index = positions[name] else {
            findings.expected("the key of a step of this activity, or \"\"", at: place.member(member) ?? place)
            return nil
        }
        // A question of a form has no position of its own, so nothing is said of it.
        if let here = positions[key], index <= here {
            findings.assume(
                "leads back to an earlier step; a run that comes to one step 50 times ends there",
                at: place.member(member) ?? place)
        }
        return .step(name)
    }

    // MARK: - Forms

    /// What a form is made of, in the order of asking.
    private struct FormPart {
        enum Content {
            case asked(Asked)
            /// Whether to begin another round of a repeatable form.
            case more(Step)
        }
        let content: Content
        /// Where the form leads to if it ends with this part.
        let jumps: [Jump]

        var key: String {
            switch content {
            case .asked(let asked): asked.question.key
            case .more(let step): step.key
            }
        }
    }

    private mutating func form(_ place: JSONPlace, key: String) -> [Step] {
        let questions = findings.objects(findings.array("steps", of: "questions", in: place), "a question")
        let isRepeatable = place.member("repeatable")?.isTrue ?? false
        // The app has one button that leaves out the whole form.
        let isOptional = place.member("skippable")?.isTrue ?? false
        let isHidden = visibility(place, key) != nil
        let destinations = destinations(place, .instruction, key: key)
        var parts: [FormPart] = []
        for round in 1...(isRepeatable ? Self.maximumRounds : 1) {
            // Later rounds are asked only where "more" was answered with yes.
            let again = round == 1 ? nil : Chosen("true", of: MyStudiesKeys.more(of: key, after: round - 1))
            let noted = findings
            let asked = readRound(questions, of: key, round: round, visibleWhen: again, isOptional: isOptional)
            let last = asked.last?.question
            let own = last.map { self.logic(of: place, answeredAs: $0.key, $0.format, key: key) } ?? []
            // As on iOS: a question's destinations go before its logic (`jumps`), a form's after.
            let jumps = own + destinations
            parts += asked.map { FormPart(content: .asked($0), jumps: jumps) }
            // Later rounds read the same questions, so their findings are dropped.
            if round > 1 { findings = noted }
            if isRepeatable, round < Self.maximumRounds {
                parts.append(FormPart(content: .more(more(place, key, after: round, again)), jumps: jumps))
            }
        }
        if isRepeatable {
            findings.assume("at most \(Self.maximumRounds) rounds of this form are asked for", at: place)
        }
        return steps(of: parts, isHidden: isHidden)
    }

    private mutating func readRound(
        _ questions: [JSONPlace], of form: String, round: Int, visibleWhen again: (any Condition)?, isOptional: Bool
    ) -> [Asked] {
        var keys: Set<String> = []
        return questions.compactMap { place in
            guard let own = key(of: place) else { return nil }
            if !keys.insert(own).inserted {
                findings.expected("a unique key", at: place, found: "\"\(own)\" again")
            }
            let name = MyStudiesKeys.question(own, of: form, round: round)
            return readQuestion(place, key: name, visibleWhen: again, isOptional: isOptional)
        }
    }

    private func more(_ place: JSONPlace, _ key: String, after round: Int, _ again: (any Condition)?) -> Step {
        let text = place.member("repeatableText")?.text ?? ""
        return Step(
            key: MyStudiesKeys.more(of: key, after: round), text: text.isEmpty ? words(StudyPhrases.addMore) : text,
            format: .yesNo(yes: words(StudyPhrases.yes), no: words(StudyPhrases.no)), visibleWhen: again,
            path: place.path)
    }

    /// A form's jumps belong to its last question, and to each question for another round, if that is
    /// answered with no. The parts of a hidden form are all `NeverShown`: only a jump reaches one, so each
    /// must jump to the next.
    private func steps(of parts: [FormPart], isHidden: Bool) -> [Step] {
        parts.indices.flatMap { index -> [Step] in
            let part = parts[index]
            let next = parts.indices.contains(index + 1) ? parts[index + 1] : nil
            let onward =
                next.map { isHidden ? [Jump(when: Always(), to: .step($0.key))] : [] } ?? part.jumps
            switch part.content {
            case .asked(var asked):
                if isHidden { asked.question.visibleWhen = NeverShown() }
                return asked.steps(leadingBy: onward)
            case .more(var step):
                if isHidden { step.visibleWhen = NeverShown() }
                let again = isHidden ? onward.map { $0.also(Chosen("true", of: step.key)) } : []
                step.jumps = again + part.jumps.map { $0.also(NoneChosen(["true"], of: step.key)) }
                return [step]
            }
        }
    }

    // MARK: - Hidden steps

    private static let neverShown = "shown only through a destination: it is hidden, and no question leads to it"

    /// A hidden step is shown only where an answer leads to it.
    private mutating func visibility(_ place: JSONPlace, _ key: String) -> (any Condition)? {
        guard MyStudiesHiddenSteps.isHidden(place) else { return nil }
        if !hidden.isReachable(key) { findings.assume(Self.neverShown, at: place) }
        return NeverShown()
    }

    /// Where a step leads to by its own logic (`MyStudiesHiddenSteps`), which looks at the answer with the key
    /// `answer`: the step's own, or that of a form's last question.
    private mutating func logic(
        of step: JSONPlace, answeredAs answer: String, _ format: AnswerFormat, key: String
    ) -> [Jump] {
        let question = MyStudiesHiddenSteps.decidingQuestion(of: step)
        guard let logic = MyStudiesHiddenSteps.logic(of: question) else { return [] }
        let rule: any Condition
        if MyStudiesHiddenSteps.isLink(step, logic) {
            // A link has no comparison: it always leads on.
            rule = Always()
        } else if let own = MyStudiesLogic(
            logic, source: answer, format: format, kind: question.member("resultType")?.text ?? "", findings: &findings)
        {
            rule = own
        } else {
            return []
        }
        var jumps: [Jump] = []
        if let to = elsewhere(logic) ?? destination(logic, MyStudiesHiddenSteps.destinationKeys, key) {
            jumps.append(Jump(when: rule, to: to))
        }
        if let to = destination(logic, [MyStudiesHiddenSteps.elseDestinationKey], key) {
            jumps.append(Jump(when: Negation(condition: rule), to: to))
        }
        return jumps
    }

    /// Another activity, where the logic names one.
    private func elsewhere(_ logic: JSONPlace) -> Jump.Destination? {
        guard let task = (logic.member("activityId") ?? logic.member("activityid"))?.text, !task.isEmpty,
            task != ownID
        else { return nil }
        let step = (logic.member("destinationStepKey") ?? logic.member("destinationTrueStepKey"))?.text ?? ""
        return switch step {
        case "": .task(task, at: .first)
        // iOS opens the other activity at its completion step (9091edbe, ActivityQuestionStep.swift,
        // `valOtherActiStepId`).
        case "0": .task(task, at: .end)
        default: .task(task, at: .step(step))
        }
    }

    private var ownID: String? { place.member("metadata")?.member("activityId")?.text }

    private mutating func destination(_ logic: JSONPlace, _ keys: [String], _ key: String) -> Jump.Destination? {
        for name in keys {
            guard let child = logic.member(name), let text = child.text, !text.isEmpty else { continue }
            if text == "0" { return .end }
            if positions[text] != nil { return target(name, in: logic, from: key) }
            findings.assume("leads to no step of this activity, and is not followed", at: child)
        }
        return nil
    }
}
