// SPDX-License-Identifier: Apache-2.0
import Base

/// A number on a scale with named ends, made by `AnswerFormat.kind`: with three buttons stepped up and down
/// (`SteppedSliderQuestion`); with fewer walked through place by place, a long scale in stages, roughly first
/// (`StagedSliderQuestion`).
struct SliderKind: QuestionKind {
    let format: SliderFormat

    private var scale: SliderScale { SliderScale(format) }

    func machine(in context: QuestionContext) -> any QuestionMachine {
        context.panel.layout == .three
            ? SteppedSliderQuestion(format) : StagedSliderQuestion(format, layout: context.panel.layout)
    }

    func howTo(on panel: Panel, in words: Words) -> String {
        let (walking, choose) = (panel.walking(in: words), panel.pressing(.select, in: words))
        if panel.layout == .three {
            return words(
                SliderPhrases.stepped, panel.pressing(.next, in: words), panel.pressing(.previous, in: words),
                words.number(scale.text(scale.start)), choose)
        }
        let phrase = scale.count > SliderScale.mostInOneStage ? SliderPhrases.staged : SliderPhrases.walked
        return words(phrase, walking, choose, words.number(scale.text(StagedSliderQuestion.firstPlace(format))))
    }

    func refusal(on panel: Panel) -> String? {
        if format.step <= 0 || format.maximum < format.minimum {
            return
                "a scale from \(NumberText.text(format.minimum)) to \(NumberText.text(format.maximum)) in steps of \(NumberText.text(format.step)) has no values"
        }
        return (format.maximum - format.minimum) / format.step >= Double(SliderScale.mostPlaces)
            ? "a scale of more than a million values cannot be stepped through; use a larger step, or ask for a number"
            : nil
    }

    func saidBack(_ answer: AnswerValue) -> [Cue] { NumberText.saidBack(answer) }

    func card(_ context: CardContext) -> String {
        let words = context.words
        return """
            <p class=scale><span>\(words.number(NumberText.text(format.minimum))) \(Markup.escaped(format.minimumLabel))</span><i></i>\
            <span>\(Markup.escaped(format.maximumLabel)) \(words.number(NumberText.text(format.maximum)))</span></p>
            """
    }

    // MARK: - A scripted participant

    func wanted(_ value: ScriptedValue, now: LocalDateTime) throws -> Wanted {
        guard case .number(let number) = value, scale.place(of: number) != nil else {
            let ends = "\(NumberText.text(format.minimum)) to \(NumberText.text(format.maximum))"
            throw WantedError(
                value: value, expected: "a number from \(ends) in steps of \(NumberText.text(format.step))")
        }
        return .answer(.number(number))
    }

    func first(now: LocalDateTime) -> Wanted { .answer(.number(scale.value(0))) }

    func random(now: LocalDateTime, using generator: inout SplitMix64) -> Wanted {
        .answer(.number(scale.value(generator.below(scale.count))))
    }
}
