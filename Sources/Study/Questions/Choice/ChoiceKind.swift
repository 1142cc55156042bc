// SPDX-License-Identifier: Apache-2.0
import Base

/// One or several of a list, made by `AnswerFormat.kind`: how it is asked, printed and scripted.
struct ChoiceKind: QuestionKind {
    let format: ChoiceFormat

    func machine(in context: QuestionContext) -> any QuestionMachine {
        let (layout, order) = (context.panel.layout, context.optionOrder)
        return format.isMultiple
            ? MultipleChoiceQuestion(format, layout: layout, order: order)
            : SingleChoiceQuestion(format, layout: layout, order: order)
    }

    func howTo(on panel: Panel, in words: Words) -> String {
        let (walking, choose) = (panel.walking(in: words), panel.pressing(.select, in: words))
        guard format.isMultiple else { return words(SingleChoicePhrases.howTo, walking, choose) }
        let next = panel.pressing(.next, in: words)
        return words(MultipleChoicePhrases.howTo, walking, choose, exclusive(in: words), next)
    }

    /// What `exclusive` means when it is ticked; empty where nothing is exclusive.
    private func exclusive(in words: Words) -> String {
        let numbers = format.options.indices.filter { format.options[$0].isExclusive }.map { String($0 + 1) }
        return numbers.isEmpty ? "" : words(MultipleChoicePhrases.exclusive, numbers.joined(separator: ", "))
    }

    func refusal(on panel: Panel) -> String? {
        format.options.isEmpty ? "a choice without options cannot be answered; add options" : nil
    }

    func spoken(on panel: Panel) -> [Said] {
        format.options.map { .study($0.text) } + (format.isMultiple ? [.device(PanelPhrases.ticked)] : [])
    }

    func saidBack(_ answer: AnswerValue) -> [Cue] {
        guard case .choices(let values) = answer else { return [] }
        let places = format.options.indices.filter { values.contains(format.options[$0].value) }
        guard !places.isEmpty else { return [.leaveOut] }
        return [.spelled(places.map { $0 + 1 }, names: places.map { .study(format.options[$0].text) })]
    }

    func card(_ context: CardContext) -> String {
        let words = context.words
        let rows = format.options.enumerated().map { index, option in
            let alone = format.isMultiple && option.isExclusive ? words(MultipleChoicePhrases.alone) : ""
            return """
                <tr><th>\(index + 1)</th><td>\(Markup.escaped(option.text))\(alone)\(picture(option))</td>\
                <td>\(RhythmDrawing(Rhythm.number(index + 1), in: words).svg)</td></tr>
                """
        }
        return "<table class=options>\(rows.joined())</table>"
    }

    private func picture(_ option: ChoiceFormat.Option) -> String {
        guard let picture = option.picture, picture.hasPrefix("data:image/") else { return "" }
        return "<img alt=\"\" src=\"\(Markup.escaped(picture))\">"
    }

    // MARK: - A scripted participant

    func wanted(_ value: ScriptedValue, now: LocalDateTime) throws -> Wanted {
        var wanted = [value]
        if case .list(let list) = value { wanted = list }
        let values = wanted.compactMap { item in
            format.options.first { $0.text == item.text || $0.value == item.text }?.value
        }
        guard values.count == wanted.count, format.isMultiple ? format.canTick(values) : values.count == 1 else {
            let names = format.options.map { "\"\($0.text)\"" }.joined(separator: ", ")
            throw WantedError(value: value, expected: (format.isMultiple ? "a list of " : "one of ") + names)
        }
        return .answer(.choices(values))
    }

    func first(now: LocalDateTime) -> Wanted {
        format.options.first.map { .answer(.choices([$0.value])) } ?? .leaveOut
    }

    func random(now: LocalDateTime, using generator: inout SplitMix64) -> Wanted {
        guard !format.options.isEmpty else { return first(now: now) }
        let order = generator.shuffled(format.options.map(\.value))
        let picked = Array(order.prefix(format.isMultiple ? 1 + generator.below(order.count) : 1))
        return .answer(.choices(format.canTick(picked) ? picked : [order[0]]))
    }
}
