// SPDX-License-Identifier: Apache-2.0
import Base

/// A recording that is itself the answer (`AnswerFormat.kind` makes it). It is made like a text that is spoken
/// instead of spelled (`TextKind`), by a `VoiceMemoQuestion`.
struct RecordingKind: QuestionKind {
    func machine(in context: QuestionContext) -> any QuestionMachine {
        VoiceMemoQuestion(id: context.recordingID, layout: context.panel.layout)
    }

    func howTo(on panel: Panel, in words: Words) -> String {
        words(
            VoiceMemoPhrases.howTo, panel.pressing(.next, in: words), panel.pressing(.select, in: words),
            panel.walking(in: words), "")  // There are no rules that speech leaves unchecked.
    }

    func refusal(on panel: Panel) -> String? {
        panel.hasMicrophone ? nil : "it needs a recording, and the board has no microphone; add a [microphone] table"
    }

    func spoken(on panel: Panel) -> [Said] { VoiceMemoPhrases.spoken.map { .device($0) } }

    // MARK: - A scripted participant

    func wanted(_ value: ScriptedValue, now: LocalDateTime) throws -> Wanted {
        guard let text = value.text else { throw WantedError(value: value, expected: "any text: it is recorded") }
        return .answer(.text(text))
    }

    func first(now: LocalDateTime) -> Wanted { .answer(.text("recorded")) }
}
