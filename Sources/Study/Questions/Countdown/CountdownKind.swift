// SPDX-License-Identifier: Apache-2.0
import Base

/// A time to wait, with a signal at its end; the answer is 1, or 0 where the participant did not wait for it.
/// `AnswerFormat.kind` makes it.
struct CountdownKind: QuestionKind {
    let time: Duration

    func machine(in context: QuestionContext) -> any QuestionMachine {
        CountdownQuestion(time: time, now: context.time)
    }

    func howTo(on panel: Panel, in words: Words) -> String {
        words(
            CountdownPhrases.howTo, panel.pressing(.next, in: words), "\(time.components.seconds)",
            panel.pressing(.select, in: words))
    }

    func wanted(_ value: ScriptedValue, now: LocalDateTime) throws -> Wanted {
        guard value == .number(0) else {
            throw WantedError(value: value, expected: "0 (started and left): a scripted participant does not wait")
        }
        return .answer(.number(0))
    }

    func first(now: LocalDateTime) -> Wanted { .answer(.number(0)) }
}
