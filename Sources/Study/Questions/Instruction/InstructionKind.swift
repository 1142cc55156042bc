// SPDX-License-Identifier: Apache-2.0
import Base

/// A text that is said and acknowledged, made by `AnswerFormat.kind`: how it is asked, printed and scripted.
struct InstructionKind: QuestionKind {
    func machine(in context: QuestionContext) -> any QuestionMachine { InstructionStep() }

    func howTo(on panel: Panel, in words: Words) -> String {
        words(InstructionPhrases.howTo, panel.pressing(.select, in: words), panel.pressing(.next, in: words))
    }

    func wanted(_ value: ScriptedValue, now: LocalDateTime) -> Wanted { .leaveOut }
    func first(now: LocalDateTime) -> Wanted { .leaveOut }
}
