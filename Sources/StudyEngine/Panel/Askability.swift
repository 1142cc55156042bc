// SPDX-License-Identifier: Apache-2.0
import StudyModel

/// How a step is asked and answered on a panel, or why it cannot be.
public enum Askability: Sendable, Hashable {
    /// Two sentences for `validate` and the card sheet.
    case asked(how: String, answered: String)
    /// The reason, with the remedy.
    case refused(String)

    /// What that panel does with that step. Participants read how it is answered, in their words; how it is asked, and why it
    /// cannot be, is for those who set the device up, in English.
    public init(_ step: Step, on panel: Panel, in words: Words = .english) {
        if let reason = Self.refusal(step.format, panel) {
            self = .refused(reason)
        } else {
            self = .asked(how: Self.telling(step.format, panel), answered: Self.answering(step, panel, words))
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
        case .active(let task): task.refusal(on: panel)
        case .position where !panel.hasPosition:
            "it asks where the participant is, and the board has no receiver; add a [position] table"
        default: nil
        }
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

    private static func answering(_ step: Step, _ panel: Panel, _ words: Words) -> String {
        let sentence = step.format.answering(panel, in: words)
        guard step.format.isQuestion else { return sentence }
        if step.isRequired { return sentence + words(AnsweringPhrases.required) }
        if case .yesNo = step.format { return sentence + words(YesNoPhrases.leftOut, yesNoLeftOut(panel, words)) }
        return sentence + words(AnsweringPhrases.leftOut, panel.say(.select, in: words))
    }

    private static func yesNoLeftOut(_ panel: Panel, _ words: Words) -> String {
        switch panel.layout {
        case .one: words(YesNoPhrases.menu, panel.say(.menu, in: words))
        case .two: panel.say(.previous, in: words)
        case .three: panel.say(.select, in: words)
        }
    }
}

/// What is printed of every question.
enum AnsweringPhrases {
    static let required = Phrase(
        "; it must be answered", de: "; Antwort erforderlich", es: "; es obligatorio responder")
    static let leftOut = Phrase(
        "; {0} before anything else leaves it out", de: "; überspringen: gleich zu Beginn {0}",
        es: "; omitir: {0} antes que nada")
}

extension AnswerFormat {
    /// Which buttons answer it, in one sentence without its end.
    func answering(_ panel: Panel, in words: Words) -> String {
        let (next, choose) = (panel.say(.next, in: words), panel.say(.select, in: words))
        let walking = panel.walking(in: words)
        switch self {
        case .instruction: return words(InstructionPhrases.howTo, choose, next)
        case .media: return words(MediaPhrases.howTo, choose, next)
        case .yesNo(let yes, let no):
            let gestures = [YesNoQuestion.yes(panel.layout), YesNoQuestion.no(panel.layout)]
            let said = gestures.map { panel.say($0, in: words) }
            return words(YesNoPhrases.answer, yes, said[0], no, said[1])
        case .choice(let choice) where choice.isMultiple:
            return words(MultipleChoicePhrases.howTo, walking, choose, choice.exclusive(in: words))
        case .choice: return words(SingleChoicePhrases.howTo, walking, choose)
        case .slider(let slider) where panel.layout == .three:
            let start = words.number(SliderScale(slider).text(SliderScale(slider).start))
            return words(SliderPhrases.stepped, next, panel.say(.previous, in: words), start, choose)
        case .slider(let slider) where SliderScale(slider).count > 12:
            return words(SliderPhrases.staged, walking, choose)
        case .slider: return words(SliderPhrases.walked, walking, choose)
        case .number(let number):
            return words(NumberQuestionPhrases.howTo, walking, choose, number.limits(in: words))
        case .dateTime(let format, let limits):
            let start = limits.initial.map { format.text($0) } ?? words(DateTimePhrases.now)
            return words(DateTimePhrases.howTo, next, start, walking, choose, limits.text(format, in: words))
        case .active(let task): return task.howTo(on: panel, in: words)
        case .position: return words(PositionPhrases.howTo, next)
        case .text(_, let rules):
            guard panel.letters != nil else {
                return words(VoiceMemoPhrases.howTo, next, choose, walking, rules.textIfSpoken(in: words))
            }
            let row = panel.layout == .three ? LettersPhrases.rowOfLetters : LettersPhrases.rowOfGroups
            return words(LettersPhrases.howTo, walking, words(row, choose), rules.text(in: words), choose)
        }
    }
}

extension ChoiceFormat {
    /// What `exclusive` means to whoever ticks; empty where nothing is exclusive.
    fileprivate func exclusive(in words: Words) -> String {
        let numbers = options.indices.filter { options[$0].isExclusive }.map { String($0 + 1) }
        return numbers.isEmpty ? "" : words(MultipleChoicePhrases.exclusive, numbers.joined(separator: ", "))
    }
}

extension DateLimits {
    /// True where no moment at which it is asked could make an answer possible.
    func isImpossible(_ format: DateTimeFormat) -> Bool {
        guard case .fixed(let low)? = earliest, case .fixed? = latest else { return false }
        return range(format, at: low) == nil
    }

    /// The limits in words; empty where there are none.
    fileprivate func text(_ format: DateTimeFormat, in words: Words) -> String {
        func name(_ bound: Bound) -> String {
            switch bound {
            case .now: words(format == .date ? DateTimePhrases.today : DateTimePhrases.now)
            case .fixed(let moment): format == .date ? "\(moment.date)" : moment.text(fractionDigits: 0)
            }
        }
        if format == .time { return "" }
        let low = earliest.map { words(NumberQuestionPhrases.from, name($0)) } ?? ""
        let high = latest.map { words(NumberQuestionPhrases.upTo, name($0)) } ?? ""
        return low.isEmpty && high.isEmpty ? "" : words(DateTimePhrases.limits, low, high)
    }
}

extension TextRules {
    fileprivate func text(in words: Words) -> String {
        (maximumLength.map { words(LettersPhrases.length, $0) } ?? "")
            + (kind == .email ? words(LettersPhrases.addressOnly) : "")
            + (pattern == nil ? "" : words(LettersPhrases.formOnly))
    }

    fileprivate func textIfSpoken(in words: Words) -> String {
        let rules = [
            maximumLength.map { _ in VoiceMemoPhrases.length }, pattern.map { _ in VoiceMemoPhrases.form },
            kind == .email ? VoiceMemoPhrases.address : nil,
        ]
        let names = rules.compactMap(\.self).map { words($0) }
        guard let first = names.first else { return "" }
        return words(
            VoiceMemoPhrases.unchecked, names.dropFirst().reduce(first) { words(VoiceMemoPhrases.and, $0, $1) })
    }
}

extension NumberFormat {
    /// Its limits in words; empty where it has none.
    fileprivate func limits(in words: Words) -> String {
        func number(_ value: Double) -> String { words.number(NumberText.text(value)) }
        let low = minimum.map { words(NumberQuestionPhrases.from, number($0)) } ?? ""
        let high = maximum.map { words(NumberQuestionPhrases.upTo, number($0)) } ?? ""
        let digits =
            maximumFractionDigits > 0 ? words(NumberQuestionPhrases.fraction, maximumFractionDigits) : ""
        return low.isEmpty && high.isEmpty && digits.isEmpty
            ? "" : words(NumberQuestionPhrases.limits, low, high, digits)
    }
}
