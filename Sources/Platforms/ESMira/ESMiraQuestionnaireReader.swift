// SPDX-License-Identifier: Apache-2.0
import Base
import PlatformKit
import Study

/// Reads one questionnaire, for `ESMiraDecoder`: its pages with their inputs, and when it can be filled out.
///
/// Call `read` once. Afterwards `findings`, `inputs` and `saysDays` are passed to the reader of the
/// next questionnaire, and `life` is kept even if `read` gave nil.
struct ESMiraQuestionnaireReader {
    /// Bounds the inputs of all questionnaires of a study together.
    private static let maximumInputs = 20_000
    /// The names of inputs that no board without a screen can serve, and why.
    private static let refused = [
        "app_usage": "it tracks which apps are used on a phone", "video": "there is no screen to show it on",
        "bluetooth_devices": "this device does not scan for Bluetooth devices", "photo": "there is no camera",
        "file_upload": "there are no files to choose from",
    ]

    private let place: JSONPlace
    private let study: ESMiraStudy
    private let isLegacy: Bool
    private(set) var findings: Findings
    /// How many inputs were read so far, sub-inputs and earlier questionnaires included.
    private(set) var inputs: Int
    /// Names of the inputs read, to refuse repeated ones.
    private var names: Set<String> = []
    /// `findings` already say that days are local ones, which is said once for a study.
    private(set) var saysDays: Bool
    /// When the questionnaire is active: it decides when the study ends, even if it has no pages.
    private(set) var life: ESMiraClosing.Life?
    /// The task's key: the questionnaire's `internalId`.
    private var key = ""
    /// One for each `dynamic_input`, which asks another of its questions in each run.
    private var turns: [ESMiraEnding.Turn] = []
    /// Conditions hold placeholders for scripts until `scripts.linked`, which needs the whole questionnaire.
    private var scripts = ESMiraScriptReader()

    struct Reading {
        let task: StudyTask
        let questionnaire: ESMiraQuestionnaire
        let times: [ESMiraSignalTime]
    }

    init(
        _ place: JSONPlace, of study: ESMiraStudy, isLegacy: Bool, inputs: Int, saysDays: Bool, findings: Findings
    ) {
        self.place = place
        self.study = study
        self.isLegacy = isLegacy
        self.inputs = inputs
        self.saysDays = saysDays
        self.findings = findings
    }

    /// Nil where there is nothing to fill out, or it never can be filled out; `findings` says so.
    mutating func read(index: Int) -> Reading? {
        let id = findings.number("internalId", -1...Int(Int32.max), in: place, default: -1)
        let title = place.member("title") == nil ? "Error" : findings.text("title", in: place)
        let pages = findings.list("pages", of: "pages", in: place)
        let span = ESMiraSpan(place, countsHours: isLegacy, &findings)
        let group = group()
        let isOnce = findings.flag("completableOnce", in: place)
        life = .init(task: String(id), span: span, group: group, isOnce: isOnce)
        guard canBeFilledOut(pages) else { return nil }
        key = String(id)
        // The pages first; their scripts are linked once all inputs are known.
        var read: [ESMiraInput] = []
        var sections = pages.enumerated().map { section($1, number: $0 + 1, into: &read) }
        let schedule = schedule(span)
        let questionnaire = ESMiraQuestionnaire(
            internalID: id, title: title, inputs: read, pages: sections.map { Set($0.steps.map(\.key)) },
            sumScores: sumScores(), virtualInputs: findings.texts("virtualInputs", in: place).map(\.text))
        let isOneWay = !findings.flag("isBackEnabled", in: place, default: true)
        sections = sections.map { section in
            var section = section.with(steps: section.steps.map { scripts.linked($0, questionnaire, study) })
            section.isOneWay = isOneWay
            return section
        }
        var task = StudyTask(
            key: key, index: index, wireName: title, name: PlainText(html: title).text,
            prompt: PromptText(
                title: PlainText(html: title).text, message: schedule.prompts.first?.action.message ?? ""),
            condition: group, schedule: schedule, unlocked: availability(isOnce, questionnaire),
            isSticky: !schedule.isByPrompt,
            content: Questionnaire(sections: sections, shufflesSections: false, submitText: ""))
        var opening = OpeningRules()
        opening.rest = rest()
        opening.hours = schedule.hours
        if isOnce { opening.aliveWhile = NotYetDone(task: key) }
        task.opening = opening
        task.ending = ending(questionnaire)
        return Reading(task: task, questionnaire: questionnaire, times: schedule.times)
    }

    private mutating func canBeFilledOut(_ pages: [JSONPlace]) -> Bool {
        guard !pages.isEmpty else {
            findings.warn("no pages, so it can never be filled out, as in the app", for: "pages", in: place)
            return false
        }
        let isPublished =
            findings.flag("publishedAndroid", in: place, default: true)
            || findings.flag("publishedIOS", in: place, default: true)
        if !isPublished {
            findings.warn(
                "published for neither Android nor iOS, so no participant ever gets it, as in the app", at: place)
        }
        return isPublished
    }

    private mutating func ending(_ questionnaire: ESMiraQuestionnaire) -> ESMiraEnding? {
        let script = scripts.script("endScriptBlock", in: place, "end script block", &findings)
        guard script != nil || !turns.isEmpty || !scripts.read.isEmpty || !scripts.unread.isEmpty else { return nil }
        return ESMiraEnding(
            script: script, questionnaire: questionnaire, study: study,
            turns: turns.map { .init(turn: $0.turn, when: scripts.linked($0.when, questionnaire, study)) },
            others: scripts.read, unread: scripts.unread)
    }

    private mutating func schedule(_ span: ESMiraSpan) -> ESMiraSchedule {
        var reader = ESMiraScheduleReader(isLegacy: isLegacy, saysDays: saysDays, findings: findings)
        let schedule = reader.schedule(place, span: span)
        (findings, saysDays) = (reader.findings, reader.saysDays)
        return schedule
    }

    /// The only group that gets the questionnaire; nil = every group, as for a number above `randomGroups`.
    private mutating func group() -> String? {
        let group = findings.number("limitToGroup", 0...1_000, in: place, default: 0)
        guard group > 0, study.groups > 1 else { return nil }
        guard group <= study.groups else {
            findings.assume(
                "there are only \(study.groups) groups: everybody gets it, as in the app", for: "limitToGroup",
                in: place)
            return nil
        }
        return String(group)
    }

    /// The least time between two completions.
    private mutating func rest() -> Duration? {
        guard findings.flag("limitCompletionFrequency", in: place) else { return nil }
        return .seconds(60 * findings.number("completionFrequencyMinutes", 0...1_000_000, in: place, default: 60))
    }

    private mutating func availability(_ isOnce: Bool, _ questionnaire: ESMiraQuestionnaire) -> any Condition {
        let once = isOnce ? NotYetDone(task: key) : nil
        let filter = scripts.script("scriptFilter", in: place, "evaluate if questionnaire is active", &findings).map {
            ESMiraRelevance(script: $0, questionnaire: questionnaire, study: study)
        }
        return both(once, filter) ?? Always()
    }

    private mutating func sumScores() -> [ESMiraQuestionnaire.SumScore] {
        findings.list("sumScores", of: "sum scores", in: place).map { score in
            .init(
                name: score.member("name") == nil ? "unknown" : findings.text("name", in: score),
                adds: findings.texts("addList", in: score).map(\.text),
                subtracts: findings.texts("subtractList", in: score).map(\.text))
        }
    }

    private mutating func section(_ place: JSONPlace, number: Int, into read: inout [ESMiraInput]) -> Section {
        scripts.page = number - 1
        let relevance = scripts.relevance(place, "page relevance script (page \(number - 1))", &findings)
        if number == 1, relevance != nil {
            findings.assume("the first page is always shown, as in the app", for: "relevance", in: place)
        }
        let seconds = findings.number("skipAfterSecs", 0...1_000_000, in: place, default: 0)
        if seconds > 0, let skip = place.member("skipAfterSecs") {
            findings.assume(
                "the page is left by itself \(seconds) s after its first question, but not during a recording",
                at: skip)
        }
        let turnsBefore = turns.count
        var steps = margin("header", place, number)
        for input in findings.list("inputs", of: "inputs", in: place) { steps += self.steps(input, into: &read) }
        steps += margin("footer", place, number)
        if number > 1 {
            for index in steps.indices { steps[index].visibleWhen = both(relevance, steps[index].visibleWhen) }
            for index in turnsBefore..<turns.count { turns[index].when = both(relevance, turns[index].when) }
        }
        return Section(
            name: "", steps: steps, shufflesSteps: findings.flag("randomized", in: place),
            limit: seconds > 0 ? .seconds(seconds) : nil)
    }

    /// A page's `header` or `footer`, which is never shuffled; nothing where it is empty.
    private mutating func margin(_ key: String, _ place: JSONPlace, _ number: Int) -> [Step] {
        let text = findings.plain(key, in: place)
        var step = Step(key: "page\(number)~\(key)", text: text, format: .instruction, path: place.path(to: key))
        step.inShuffle = .fixed
        return text.isEmpty ? [] : [step]
    }

    /// The steps that ask an input, one for most. The input is appended to `read` even if it cannot be
    /// asked here, because its dataset has a field for it.
    private mutating func steps(_ place: JSONPlace, into read: inout [ESMiraInput]) -> [Step] {
        let name = place.member("name") == nil ? "input" : findings.text("name", in: place)
        guard names.insert(name).inserted else {
            findings.expected(
                "a unique name: another input of this questionnaire has the same one, and only one answer could be sent",
                at: place.member("name") ?? place, found: "\"\(name)\"")
            return []
        }
        guard let (input, steps) = readInput(place, name) else { return [] }
        read.append(input)
        return steps
    }

    /// An input with the steps that ask it; nil, with a finding, above `maximumInputs`.
    private mutating func readInput(
        _ place: JSONPlace, _ name: String, isPart: Bool = false
    ) -> (ESMiraInput, [Step])? {
        inputs += 1
        guard inputs <= Self.maximumInputs else {
            if inputs == Self.maximumInputs + 1 {
                findings.expected("at most \(Self.maximumInputs) inputs in all", at: place, found: "more")
            }
            return nil
        }
        let type = place.member("responseType") == nil ? "text_input" : findings.text("responseType", in: place)
        var input = ESMiraInput(
            name: name, kind: Self.kind(of: type), isRequired: findings.flag("required", in: place),
            defaultValue: findings.text("defaultValue", in: place))
        input.language = study.language
        input.sendsNumber = findings.flag("forceInt", in: place)
        input.start =
            findings.flag("useCustomStart", in: place)
            ? findings.number("customStart", Self.customStarts, in: place, default: 0) : 1
        if type == "dynamic_input", !isPart { return dynamic(place, input) }
        guard let format = format(type, place, &input) else { return (input, []) }
        var step = Step(
            key: name, text: findings.plain("text", in: place), format: format,
            isRequired: input.isRequired && format.isQuestion, path: place.path)
        // The app ignores the relevance of a sub-input: that of the dynamic input counts (`Page.activeInputs`).
        if !isPart { step.visibleWhen = scripts.relevance(place, "item relevance script of item \(name)", &findings) }
        step.variation = scripts.computedText(place, name, &findings).map(TextVariation.computed)
        step.isDispensable = !input.isRequired
        return (input, [step] + other(input, of: step))
    }

    /// A `dynamic_input`: each run asks one of its questions, the next or a random one
    /// (`Input.getDynamicInput`). Each is asked under a separate key and sent under the input's name.
    private mutating func dynamic(_ place: JSONPlace, _ input: ESMiraInput) -> (ESMiraInput, [Step])? {
        let places = findings.list("subInputs", of: "inputs", in: place)
        guard !places.isEmpty else {
            findings.warn("no inputs to choose from: \"\" is sent", for: "subInputs", in: place)
            return (input, [])
        }
        let turn = ESMiraTurn(
            input: input.name, variable: "turn/\(key)/\(input.name)", choices: places.count,
            isRandom: findings.flag("random", in: place))
        var input = input
        var parts: [ESMiraInput] = []
        let shown = scripts.relevance(place, "item relevance script of item \(input.name)", &findings)
        turns.append(.init(turn: turn, when: shown))
        var intro = Step(
            key: input.name, text: findings.plain("text", in: place), format: .instruction, visibleWhen: shown,
            path: place.path)
        intro.variation = scripts.computedText(place, input.name, &findings).map(TextVariation.computed)
        var steps = intro.text.isEmpty && intro.variation == nil ? [] : [intro]
        for (index, part) in places.enumerated() {
            guard let (read, partSteps) = readInput(part, "\(input.name)~part\(index)", isPart: true) else { break }
            parts.append(read)
            steps += partSteps.map { step in
                var step = step
                step.visibleWhen = both(both(shown, IsItsTurn(turn: turn, index: index)), step.visibleWhen)
                // In a shuffled page all parts stay together, behind the first.
                step.inShuffle = .behind
                return step
            }
        }
        if !steps.isEmpty { steps[0].inShuffle = .anywhere }
        input.parts = parts
        return (input, steps)
    }

    private func both(_ first: (any Condition)?, _ second: (any Condition)?) -> (any Condition)? {
        guard let first, let second else { return first ?? second }
        return AllOf([first, second])
    }

    private static let customStarts = -1_000_000...1_000_000

    private static func kind(of type: String) -> ESMiraInput.Kind {
        switch type {
        case "likert", "va_scale", "duration", "countdown": .whole
        case "number": .decimal
        case "binary": .binary
        case "list_single": .single
        case "list_multiple": .multiple
        case "text_input": .text
        case "date": .date
        case "time": .time
        case "location": .place
        case "record_audio": .sound
        case "battery_level": .battery
        case "ambient_light": .light
        case "noise_level": .noise
        case "compass": .compass
        default: .nothing
        }
    }

    /// The step that asks what "other" means, visible only if "other" was chosen.
    private func other(_ input: ESMiraInput, of step: Step) -> [Step] {
        guard input.hasOther else { return [] }
        var other = Step(
            key: input.otherKey, text: ESMiraOther.word(in: study.language), format: .text(multiline: false),
            visibleWhen: Chosen(ESMiraOther.value, of: step.key), path: step.path)
        other.isDispensable = true
        other.inShuffle = .behind
        return [other]
    }

    /// Nil where the input is not asked here. A finding says so: if the input is required, it is a
    /// problem, which refuses the study; else a remark.
    private mutating func format(
        _ type: String, _ place: JSONPlace, _ input: inout ESMiraInput
    ) -> AnswerFormat? {
        let labels = (findings.literal("leftSideLabel", in: place), findings.literal("rightSideLabel", in: place))
        switch type {
        case "text": return .instruction
        case "image":
            return media(.image, place, "a board without a screen cannot show the image; only its text is given")
        case "share": return media(.web, place, "the page cannot be opened here: its address is printed on the card")
        case "likert":
            let steps = findings.number("likertSteps", 2...1_000_000, in: place, default: 5)
            return scale(input.start, input.start + steps - 1, labels)
        case "va_scale":
            let start = findings.flag("useCustomStart", in: place) ? input.start : 0
            let end = greatest(place)
            if end <= start {
                findings.expected("a customStart below the greatest value", at: place, found: "\(start)")
            }
            return scale(start, end, labels)
        case "binary": return .yesNo(yes: labels.1, no: labels.0)
        case "list_single", "list_multiple": return choice(place, isMultiple: type == "list_multiple", &input)
        case "number":
            let digits = findings.flag("numberHasDecimal", in: place) ? 2 : 0
            return .number(NumberFormat(minimum: nil, maximum: nil, maximumFractionDigits: digits))
        case "duration":
            return .number(NumberFormat(minimum: 0, maximum: 100_000, maximumFractionDigits: 0, unit: "min"))
        case "text_input": return .text(multiline: true)
        case "date":
            if input.sendsNumber, let force = place.member("forceInt") {
                findings.assume("sent as yyyy-MM-dd: the app's number for it is broken", at: force)
            }
            return .dateTime(.date)
        case "time": return .dateTime(.time)
        case "location":
            input.resolution = findings.number("resolution", 0...15, in: place, default: 0)
            return .position
        case "record_audio": return .recording
        case "battery_level": return .reading(.battery)
        case "ambient_light":
            input.hasDecimals = findings.flag("numberHasDecimal", in: place)
            return .reading(.light)
        case "compass":
            input.hasDecimals = findings.flag("numberHasDecimal", in: place)
            return .reading(.compass)
        case "countdown": return .countdown(.seconds(seconds(place)))
        case "noise_level": return .reading(.noise(seconds: min(seconds(place), 60)))
        default: return reportUnasked(type, place, input)
        }
    }

    /// The last value of a `va_scale`. The app's scale may end at a fraction, but it sends rounded values
    /// (`VaScaleView`).
    private mutating func greatest(_ place: JSONPlace) -> Int {
        guard let given = place.member("maxValue"), let number = findings.number("maxValue", in: place) else {
            return 100
        }
        guard (0...1_000_000).contains(number) else {
            findings.expected("a number from 0 to 1000000", at: given)
            return 100
        }
        return number > 1 ? Int((number + 0.5).rounded(.down)) : 100
    }

    /// `timeoutSec`, at least one.
    private mutating func seconds(_ place: JSONPlace) -> Int {
        let seconds = findings.number("timeoutSec", 0...86_400, in: place, default: 0)
        if seconds == 0 {
            findings.assume("one second: without a timeoutSec the app has nothing to wait for", at: place)
        }
        return max(1, seconds)
    }

    /// Always nil: the input is not asked.
    private mutating func reportUnasked(_ type: String, _ place: JSONPlace, _ input: ESMiraInput) -> AnswerFormat? {
        let why =
            Self.refused[type] ?? "the app has no such input"
        let at = place.member("responseType") ?? place
        if input.isRequired {
            findings.expected("an input that can be asked here, or one that is not required: \(why)", at: at)
        } else {
            findings.unsupported("\"\(type)\" is not asked, and \"\" is sent for it: \(why)", at: at)
        }
        return nil
    }

    private func scale(_ first: Int, _ last: Int, _ labels: (String, String)) -> AnswerFormat {
        .slider(
            SliderFormat(
                minimum: Double(first), maximum: Double(last), step: 1, minimumLabel: labels.0,
                maximumLabel: labels.1))
    }

    private mutating func media(_ kind: MediaReference.Kind, _ place: JSONPlace, _ why: String) -> AnswerFormat {
        let url = findings.text("url", in: place)
        guard !url.isEmpty else { return .instruction }
        let whose =
            url.contains("[[USER_ID]]")
            ? "; [[USER_ID]] in it is the participant's id, which 'studyd study' prints" : ""
        findings.unsupported(why + whose, at: place.member("url") ?? place)
        return .media(MediaReference(kind: kind, source: url, path: place.path(to: "url")))
    }

    private mutating func choice(
        _ place: JSONPlace, isMultiple: Bool, _ input: inout ESMiraInput
    ) -> AnswerFormat? {
        input.choices = findings.texts("listChoices", in: place).map(\.text)
        input.hasOther = findings.flag("other", in: place)
        guard !input.choices.isEmpty || input.hasOther else {
            findings.warn("no choices: the app shows nothing to answer there", for: "listChoices", in: place)
            return .instruction
        }
        guard Set(input.choices).count == input.choices.count else {
            findings.expected(
                "choices that differ: their answers could not be told apart", at: place.member("listChoices") ?? place)
            return nil
        }
        var options = input.choices.map { ChoiceFormat.Option(value: $0, text: Findings.folded($0)) }
        if input.hasOther {
            options.append(.init(value: ESMiraOther.value, text: ESMiraOther.word(in: study.language)))
        }
        return .choice(ChoiceFormat(options: options, isMultiple: isMultiple))
    }
}

/// Holds until the task was completed: of a questionnaire that can be completed only once.
struct NotYetDone: Condition, Hashable {
    let task: String

    func holds(_ facts: StudyFacts) -> Bool { !facts.completedTasks.contains(task) }
}
