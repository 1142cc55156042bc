// SPDX-License-Identifier: Apache-2.0
import Base

/// Yes or no by a single press, made by `AnswerFormat.kind`: how it is asked, printed and scripted.
struct YesNoKind: QuestionKind {
    /// The label of each answer, on the sheet and as it is said back.
    let yes: String
    let no: String

    func machine(in context: QuestionContext) -> any QuestionMachine {
        YesNoQuestion(layout: context.panel.layout)
    }

    func howTo(on panel: Panel, in words: Words) -> String {
        let gestures = [panel.layout.yes, panel.layout.no]
        let said = gestures.map { panel.pressing($0, in: words) }
        return words(YesNoPhrases.answer, yes, said[0], no, said[1])
    }

    func leavingOut(on panel: Panel, in words: Words) -> String {
        let how =
            switch panel.layout {
            case .one: words(YesNoPhrases.menu, panel.pressing(.menu, in: words))
            case .two: panel.pressing(.previous, in: words)
            case .three: panel.pressing(.select, in: words)
            }
        return words(YesNoPhrases.leftOut, how)
    }

    /// The two answers as large fields, each with its button.
    func card(_ context: CardContext) -> String {
        let (panel, words) = (context.panel, context.words)
        let fields = [(panel.layout.no, no), (panel.layout.yes, yes)].map { gesture, label in
            "<span><b>\(Markup.escaped(label))</b>\(Markup.escaped(panel.pressing(gesture, in: words)))</span>"
        }
        return "<div class=yesno>\(fields.joined())</div>"
    }

    func spoken(on panel: Panel) -> [Said] { [.study(yes), .study(no)] }

    func saidBack(_ answer: AnswerValue) -> [Cue] {
        guard case .boolean(let isYes) = answer else { return [] }
        return [.answer(isYes: isYes, isYes ? yes : no)]
    }

    // MARK: - A scripted participant

    func wanted(_ value: ScriptedValue, now: LocalDateTime) throws -> Wanted {
        switch value {
        case .boolean(let boolean): return .answer(.boolean(boolean))
        case .string(yes): return .answer(.boolean(true))
        case .string(no): return .answer(.boolean(false))
        default: throw WantedError(value: value, expected: "true, false, \"\(yes)\" or \"\(no)\"")
        }
    }

    func first(now: LocalDateTime) -> Wanted { .answer(.boolean(true)) }

    func random(now: LocalDateTime, using generator: inout SplitMix64) -> Wanted {
        .answer(.boolean(generator.below(2) == 0))
    }
}
