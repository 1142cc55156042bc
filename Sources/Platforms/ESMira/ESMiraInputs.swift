// SPDX-License-Identifier: Apache-2.0
import Base
import Study

extension ESMiraDecoder {
    /// The names of inputs that no board without a screen can serve, and why.
    private static let refused = [
        "app_usage": "it tracks which apps are used on a phone", "video": "there is no screen to show it on",
        "bluetooth_devices": "this device does not scan for Bluetooth devices", "photo": "there is no camera",
        "file_upload": "there are no files to choose from",
    ]

    /// The steps that ask an input, one for most; it is noted for the wire, whether asked or not.
    mutating func steps(_ place: JSONPlace, into read: inout [ESMiraInput]) -> [Step] {
        inputs += 1
        guard inputs <= Self.maximumInputs else {
            if inputs == Self.maximumInputs + 1 {
                findings.expected("at most \(Self.maximumInputs) inputs in all", at: place, found: "more")
            }
            return []
        }
        let name = place.member("name") == nil ? "input" : findings.text("name", in: place)
        guard let (input, steps) = asked(place, name, count: &read) else { return [] }
        read.append(input)
        return steps
    }

    /// An input with the steps that ask it; nil where it cannot be read, which has been noted.
    private mutating func asked(
        _ place: JSONPlace, _ name: String, count read: inout [ESMiraInput], isPart: Bool = false
    ) -> (ESMiraInput, [Step])? {
        if read.contains(where: { $0.name == name }) {
            findings.expected(
                "a unique name: another input of this questionnaire has the same one, and only one answer could be sent",
                at: place.member("name") ?? place, found: "\"\(name)\"")
            return nil
        }
        let type = place.member("responseType") == nil ? "text_input" : findings.text("responseType", in: place)
        var input = ESMiraInput(
            name: name, kind: Self.kind(of: type), isRequired: flag("required", in: place),
            defaultValue: findings.text("defaultValue", in: place))
        input.language = language
        input.sendsNumber = flag("forceInt", in: place)
        input.start = flag("useCustomStart", in: place) ? number("customStart", Self.numbers, in: place, default: 0) : 1
        if type == "dynamic_input", !isPart { return dynamic(place, input) }
        guard let format = format(type, place, &input) else { return (input, []) }
        var step = Step(
            key: name, text: plain("text", in: place), format: format,
            isRequired: input.isRequired && format.isQuestion, path: place.path)
        step.visibleWhen = relevance(place, "item relevance script of item \(name)")
        step.telling = telling(place, name)
        step.isDispensable = !input.isRequired
        return (input, [step] + other(input, of: step))
    }

    /// One of several questions, each time the next: `Input.getDynamicInput`. They are asked under
    /// keys of their own and sent under the input's name.
    private mutating func dynamic(_ place: JSONPlace, _ input: ESMiraInput) -> (ESMiraInput, [Step])? {
        let places = list("subInputs", of: "inputs", in: place)
        guard !places.isEmpty else {
            findings.warn("no inputs to choose from: \"\" is sent", for: "subInputs", in: place)
            return (input, [])
        }
        let turn = ESMiraTurn(
            input: input.name, variable: "turn/\(questionnaireKey)/\(input.name)", choices: places.count,
            isRandom: flag("random", in: place))
        turns.append(turn)
        var input = input
        var steps: [Step] = []
        var parts: [ESMiraInput] = []
        let shown = relevance(place, "item relevance script of item \(input.name)")
        for (index, part) in places.enumerated() {
            guard let (read, asked) = asked(part, "\(input.name)~part\(index)", count: &parts, isPart: true) else {
                continue
            }
            parts.append(read)
            steps += asked.map { step in
                var step = step
                step.visibleWhen = both(both(shown, IsItsTurn(turn: turn, index: index)), step.visibleWhen)
                step.inShuffle = .behind
                return step
            }
        }
        if !steps.isEmpty { steps[0].inShuffle = .anywhere }
        input.parts = parts
        return (input, steps)
    }

    func both(_ first: (any Condition)?, _ second: (any Condition)?) -> (any Condition)? {
        guard let first, let second else { return first ?? second }
        return AllOf(all: [first, second])
    }

    private static let numbers = -1_000_000...1_000_000

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

    /// What "other" is, in words of the participant's own; asked only where it was chosen.
    private func other(_ input: ESMiraInput, of step: Step) -> [Step] {
        guard input.hasOther else { return [] }
        let chosen = ChoseOther(question: step.key)
        var other = Step(
            key: input.otherKey, text: ESMiraOther.word(in: language), format: .text(multiline: false),
            visibleWhen: chosen, path: step.path)
        other.isDispensable = true
        other.inShuffle = .behind
        return [other]
    }

    /// Nil where it is not asked here, which has been noted: a problem where it is
    /// required, else a remark.
    private mutating func format(
        _ type: String, _ place: JSONPlace, _ input: inout ESMiraInput
    ) -> AnswerFormat? {
        let labels = (plain("leftSideLabel", in: place), plain("rightSideLabel", in: place))
        switch type {
        case "text": return .instruction
        case "image":
            return media(.image, place, "a board without a screen cannot show the image; only its text is given")
        case "share": return media(.web, place, "the page cannot be opened here: its address is printed on the card")
        case "likert":
            let steps = number("likertSteps", 2...1_000, in: place, default: 5)
            return scale(input.start, input.start + steps - 1, labels)
        case "va_scale":
            let start = flag("useCustomStart", in: place) ? input.start : 0
            let limit = number("maxValue", 0...1_000_000, in: place, default: 0)
            let end = limit > 1 ? limit : 100
            if end <= start {
                findings.expected("a customStart below the greatest value", at: place, found: "\(start)")
            }
            return scale(start, max(end, start + 1), labels)
        case "binary": return .yesNo(yes: labels.1, no: labels.0)
        case "list_single", "list_multiple": return choice(place, isMultiple: type == "list_multiple", &input)
        case "number":
            let digits = flag("numberHasDecimal", in: place) ? 2 : 0
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
            input.resolution = number("resolution", 0...15, in: place, default: 0)
            return .position
        case "record_audio": return .recording
        case "battery_level": return .reading(.battery)
        case "ambient_light":
            input.hasDecimals = flag("numberHasDecimal", in: place)
            return .reading(.light)
        case "compass":
            input.hasDecimals = flag("numberHasDecimal", in: place)
            return .reading(.compass)
        case "countdown": return .countdown(.seconds(seconds(place)))
        case "noise_level": return .reading(.noise(seconds: min(seconds(place), 60)))
        default: return unasked(type, place, input)
        }
    }

    /// `timeoutSec`, at least one.
    private mutating func seconds(_ place: JSONPlace) -> Int {
        let seconds = number("timeoutSec", 0...86_400, in: place, default: 0)
        if seconds == 0 {
            findings.assume("one second: without a timeoutSec the app has nothing to wait for", at: place)
        }
        return max(1, seconds)
    }

    private mutating func unasked(_ type: String, _ place: JSONPlace, _ input: ESMiraInput) -> AnswerFormat? {
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
        // A slider needs two ends; of a single step only one can be told.
        .slider(
            SliderFormat(
                minimum: Double(first), maximum: Double(max(last, first + 1)), step: 1, minimumLabel: labels.0,
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
        input.hasOther = flag("other", in: place)
        guard !input.choices.isEmpty || input.hasOther else {
            findings.warn("no choices: the app shows nothing to answer there", for: "listChoices", in: place)
            return .instruction
        }
        guard Set(input.choices).count == input.choices.count else {
            findings.expected(
                "choices that differ: their answers could not be told apart", at: place.member("listChoices") ?? place)
            return nil
        }
        var options = input.choices.map { ChoiceFormat.Option(value: $0, text: PlainText(html: $0).text) }
        if input.hasOther {
            options.append(.init(value: ESMiraOther.value, text: ESMiraOther.word(in: language)))
        }
        return .choice(ChoiceFormat(options: options, isMultiple: isMultiple))
    }
}

/// The last choice of a list that has one for everything else.
enum ESMiraOther {
    /// Unlike every choice that a study writes.
    static let value = "\u{1}other"

    /// `option_other` of the app's own translations (`strings.xml`, ESMira-apps f750e58).
    private static let words = [
        "cs": "Jiné", "da": "Andet", "de": "Anderes", "el": "Άλλο", "es": "Otro", "fi": "Muu", "fr": "Autre",
        "hi": "अन्य", "it": "Altro", "iw": "אחר", "he": "אחר", "ja": "その他", "ko": "기타", "nb": "Annet", "nl": "Overig",
        "pl": "Inne", "pt": "Outro", "sv": "Annat", "tl": "Iba pa", "tr": "Diğer", "zh": "其他",
    ]

    static func word(in language: String) -> String { words[String(language.prefix(2))] ?? "Other" }
}

/// Holds where "other" was chosen from a list of the run.
struct ChoseOther: Condition, Hashable {
    /// The list's key.
    let question: String

    func holds(_ facts: StudyFacts) -> Bool {
        guard case .choices(let chosen)? = facts.answers[question] else { return false }
        return chosen.contains(ESMiraOther.value)
    }

    var drivers: [String] { [question] }
}
