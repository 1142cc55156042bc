// SPDX-License-Identifier: Apache-2.0
import StudyModel

/// How a step is asked and answered on a panel, or why it cannot be.
public enum Askability: Sendable, Hashable {
    /// Two sentences for `validate` and the card sheet.
    case asked(how: String, answered: String)
    /// The reason, with the remedy.
    case refused(String)

    /// What that panel does with that step.
    public init(_ step: Step, on panel: Panel) {
        if let reason = Self.refusal(step.format, panel) {
            self = .refused(reason)
        } else {
            self = .asked(how: Self.telling(step.format, panel), answered: Self.answering(step, panel))
        }
    }

    /// True where the study cannot be installed because of this step.
    public var isRefused: Bool {
        if case .refused = self { true } else { false }
    }

    private static func refusal(_ format: AnswerFormat, _ panel: Panel) -> String? {
        switch format {
        case .text where !panel.hasMicrophone && panel.letters == nil:
            "free text is spoken, and the board has no microphone; add one, choose it by letters (letters = true in [panel] of the board file), or ask for a choice or a number"
        case .choice(let choice) where choice.options.isEmpty:
            "a choice without options cannot be answered; give it some"
        case .slider(let slider) where slider.step <= 0 || slider.maximum < slider.minimum:
            "a scale from \(NumberText.text(slider.minimum)) to \(NumberText.text(slider.maximum)) in steps of \(NumberText.text(slider.step)) has no places"
        case .slider(let slider) where (slider.maximum - slider.minimum) / slider.step >= Double(SliderScale.mostPlaces):
            "a scale of more than a million places cannot be stepped through; use a larger step, or ask for a number"
        case .dateTime(let format, let limits) where format != .time && limits.isImpossible(format):
            "no \(format == .date ? "day" : "minute") lies between its limits; correct them"
        case .active(let task): active(task, panel)
        case .position where !panel.hasPosition:
            "it asks where the participant is, and the board has no receiver; add a [position] table"
        default: nil
        }
    }

    private static func active(_ task: ActiveTask, _ panel: Panel) -> String? {
        if let problem = task.problems.first { return "\(task.name): \(problem)" }
        if case .vigilance = task, panel.leds.isEmpty {
            return "a vigilance test is about a light, and the board has none; add one"
        }
        guard case .spatialSpan(let rules) = task else { return nil }
        return SpanBoard(rules, on: panel).refusal
    }

    private static func telling(_ format: AnswerFormat, _ panel: Panel) -> String {
        let voice = panel.hasLoudspeaker ? "spoken, and " : ""
        return switch format {
        case .media(let media) where media.kind == .audio && !panel.hasLoudspeaker:
            "its card number is told; the sound is not played, because the board has no loudspeaker: its address is on the card"
        case .media(let media) where media.kind == .audio: "\(voice)its card number is told; the sound is played"
        case .media(let media) where media.kind == .image: "\(voice)its card number is told; the picture is on the card"
        case .media: "\(voice)its card number is told; the address is on the card, to be opened elsewhere"
        default: "\(voice)its card number is told"
        }
    }

    private static func answering(_ step: Step, _ panel: Panel) -> String {
        let sentence = step.format.answering(panel)
        guard step.format.isQuestion else { return sentence }
        if step.isRequired { return sentence + "; it must be answered" }
        if case .yesNo = step.format {
            return sentence + "; \(yesNoLeftOut(panel)) leaves it out"
        }
        return sentence + "; \(panel.say(.select)) before anything else leaves it out"
    }

    private static func yesNoLeftOut(_ panel: Panel) -> String {
        switch panel.layout {
        case .one: "the menu (\(panel.say(.menu)))"
        case .two: panel.say(.previous)
        case .three: panel.say(.select)
        }
    }
}

extension Panel {
    /// The words for a gesture that every panel has.
    func say(_ gesture: Gesture) -> String { words(for: gesture) ?? "\(gesture)" }

    /// How to walk through a list: both ways where there are both.
    var walking: String {
        layout == .one
            ? "\(say(.next)) for the next" : "\(say(.next)) for the next, \(say(.previous)) for the one before"
    }
}

extension AnswerFormat {
    /// Which buttons answer it, in one sentence without its end.
    func answering(_ panel: Panel) -> String {
        let choose = panel.say(.select)
        return switch self {
        case .instruction: "\(choose) to go on, \(panel.say(.next)) to be told again"
        case .media: "\(choose) to go on, \(panel.say(.next)) for once more"
        case .yesNo(let yes, let no):
            "\(yes): \(panel.say(YesNoQuestion.yes(panel.layout))); \(no): \(panel.say(YesNoQuestion.no(panel.layout)))"
        case .choice(let choice) where choice.isMultiple:
            "\(panel.walking); \(choose) ticks or unticks\(choice.exclusiveWords); at “done” \(choose)"
        case .choice: "\(panel.walking); \(choose) takes the one told last"
        case .slider(let slider) where panel.layout == .three:
            "\(panel.say(.next)) for more, \(panel.say(.previous)) for less (from \(SliderScale(slider).text(SliderScale(slider).start)); hold to go faster); \(choose) takes it"
        case .slider(let slider) where SliderScale(slider).count > 12:
            "\(panel.walking) of the rough places, \(choose); then the same for the fine ones"
        case .slider: "\(panel.walking); \(choose) takes the place told last"
        case .number(let number):
            "\(panel.walking) of done, 0 to 9 and the signs; \(choose) appends it; at “done” \(choose), and again once it is read back\(number.words)"
        case .dateTime(let format, let limits):
            "\(panel.say(.next)) to begin with \(limits.initial.map { format.text($0) } ?? "now"); in each part \(panel.walking), \(choose) for the next part; \(choose) again once it is read back\(limits.words(format))"
        case .active(let task): task.performing(panel)
        case .position: "\(panel.say(.next)) takes the place where the device is"
        case .text(_, let rules):
            if panel.letters != nil {
                "by letters: \(panel.walking) of \(panel.layout == .three ? "done and the letters (hold to go faster), \(choose) appends one" : "done and the groups of letters, \(choose), then the same for the letter")\(rules.words); at “done” \(choose), and again once it is read back"
            } else {
                "spoken: \(panel.say(.next)), then \(choose) to record; \(choose) to stop; then \(choose) keeps it, or \(panel.walking) of listen and again\(rules.wordsIfSpoken)"
            }
        }
    }
}

extension ChoiceFormat {
    /// What `exclusive` means to whoever ticks; empty where nothing is exclusive.
    fileprivate var exclusiveWords: String {
        let numbers = options.indices.filter { options[$0].isExclusive }.map { String($0 + 1) }
        return numbers.isEmpty ? "" : " (\(numbers.joined(separator: ", ")) alone: it unticks the others, and they it)"
    }
}

extension DateLimits {
    /// True where no moment at which it is asked could make an answer possible.
    func isImpossible(_ format: DateTimeFormat) -> Bool {
        guard case .fixed(let low)? = earliest, case .fixed? = latest else { return false }
        return range(format, at: low) == nil
    }

    /// The limits in words; empty where there are none.
    fileprivate func words(_ format: DateTimeFormat) -> String {
        func name(_ bound: Bound) -> String {
            switch bound {
            case .now: format == .date ? "today" : "now"
            case .fixed(let moment): format == .date ? "\(moment.date)" : moment.text(fractionDigits: 0)
            }
        }
        if format == .time { return "" }
        let low = earliest.map { " from \(name($0))" } ?? ""
        let high = latest.map { " up to \(name($0))" } ?? ""
        return low.isEmpty && high.isEmpty ? "" : "; only\(low)\(high)"
    }
}

extension TextRules {
    fileprivate var words: String {
        let length = maximumLength.map { "; at most \($0) characters" } ?? ""
        let form = kind == .email ? "; what is no address is refused" : ""
        return length + form + (pattern == nil ? "" : "; what does not have the wanted form is refused")
    }

    fileprivate var wordsIfSpoken: String {
        let rules = [
            maximumLength.map { _ in "length" }, pattern.map { _ in "form" }, kind == .email ? "address" : nil,
        ]
        let names = rules.compactMap(\.self)
        return names.isEmpty ? "" : "; what is said is not checked for its \(names.joined(separator: " and "))"
    }
}

extension NumberFormat {
    /// Its limits in words; empty where it has none.
    fileprivate var words: String {
        let low = minimum.map { " from \(NumberText.text($0))" } ?? ""
        let high = maximum.map { " up to \(NumberText.text($0))" } ?? ""
        let digits = maximumFractionDigits > 0 ? ", at most \(maximumFractionDigits) digits after the point" : ""
        return low.isEmpty && high.isEmpty && digits.isEmpty ? "" : "; numbers\(low)\(high)\(digits)"
    }
}
