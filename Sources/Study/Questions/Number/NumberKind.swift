// SPDX-License-Identifier: Apache-2.0
import Base

/// A number entered digit by digit, made by `AnswerFormat.kind`: how it is asked, printed and scripted.
struct NumberKind: QuestionKind {
    let format: NumberFormat

    func machine(in context: QuestionContext) -> any QuestionMachine {
        NumberQuestion(format.asked(in: context.now.date.components.year), layout: context.panel.layout)
    }

    func howTo(on panel: Panel, in words: Words) -> String {
        let (walking, choose) = (panel.walking(in: words), panel.pressing(.select, in: words))
        return words(NumberQuestionPhrases.howTo, walking, choose, limits(in: words))
    }

    private func limits(in words: Words) -> String {
        func number(_ value: Double) -> String { words.number(NumberText.text(value)) }
        let low =
            format.yearLimits.contains(.minimum)
            ? words(NumberQuestionPhrases.fromThisYear)
            : format.minimum.map { words(NumberQuestionPhrases.from, number($0)) } ?? ""
        let high =
            format.yearLimits.contains(.maximum)
            ? words(NumberQuestionPhrases.upToThisYear)
            : format.maximum.map { words(NumberQuestionPhrases.upTo, number($0)) } ?? ""
        let most = format.maximumFractionDigits
        let digits = most > 0 ? words(NumberQuestionPhrases.fraction, most) : ""
        return low.isEmpty && high.isEmpty && digits.isEmpty
            ? "" : words(NumberQuestionPhrases.limits, low, high, digits)
    }

    func saidBack(_ answer: AnswerValue) -> [Cue] { NumberText.saidBack(answer) }

    func card(_ context: CardContext) -> String {
        format.unit.isEmpty
            ? "" : "<p class=unit>\(context.words(NumberQuestionPhrases.unit, Markup.escaped(format.unit)))</p>"
    }

    // MARK: - A scripted participant

    func wanted(_ value: ScriptedValue, now: LocalDateTime) throws -> Wanted {
        if value == .string("") { return .answer(.cleared) }
        let format = format.asked(in: now.date.components.year)
        guard case .number(let number) = value, number >= format.minimum ?? -.infinity,
            number <= format.maximum ?? .infinity, NumberQuestion.canSpell(number, in: format)
        else {
            let digits = format.maximumFractionDigits
            let kind =
                digits == 0
                ? "a whole number" : "a number of at most \(digits) digit\(digits == 1 ? "" : "s") after the point"
            let low = format.minimum.map { " from \(NumberText.text($0))" } ?? ""
            let high = format.maximum.map { " up to \(NumberText.text($0))" } ?? ""
            throw WantedError(value: value, expected: "\(kind)\(low)\(high), or \"\" for one entered and cleared")
        }
        return .answer(.number(number))
    }

    func first(now: LocalDateTime) -> Wanted { .answer(.number(inside(0, now))) }

    func random(now: LocalDateTime, using generator: inout SplitMix64) -> Wanted {
        .answer(.number(inside(Double(generator.below(100)), now)))
    }

    private func inside(_ number: Double, _ now: LocalDateTime) -> Double {
        let format = format.asked(in: now.date.components.year)
        return min(max(number, format.minimum ?? -.infinity), format.maximum ?? .infinity)
    }
}
