// SPDX-License-Identifier: Apache-2.0
import Base

/// Free text, made by `AnswerFormat.kind`: letters chosen by buttons where the panel has `letters`
/// (`letterBoard` is nil exactly without), else a voice memo, which nothing checks.
struct TextKind: QuestionKind {
    let rules: TextRules

    func machine(in context: QuestionContext) -> any QuestionMachine {
        if let board = context.panel.letterBoard(rules.kind) {
            return LettersQuestion(rules, board: board, layout: context.panel.layout)
        }
        return VoiceMemoQuestion(id: context.recordingID, layout: context.panel.layout)
    }

    func howTo(on panel: Panel, in words: Words) -> String {
        let (walking, choose) = (panel.walking(in: words), panel.pressing(.select, in: words))
        guard panel.letters != nil else {
            return words(
                VoiceMemoPhrases.howTo, panel.pressing(.next, in: words), choose, walking, uncheckedIfSpoken(in: words))
        }
        let row = panel.layout == .three ? LettersPhrases.rowOfLetters : LettersPhrases.rowOfGroups
        return words(LettersPhrases.howTo, walking, words(row, choose), limits(in: words), choose)
    }

    private func limits(in words: Words) -> String {
        (rules.maximumLength.map { words(LettersPhrases.length, $0) } ?? "")
            + (rules.kind == .email ? words(LettersPhrases.addressOnly) : "")
            + (rules.pattern == nil ? "" : words(LettersPhrases.formOnly))
    }

    private func uncheckedIfSpoken(in words: Words) -> String {
        let checks = [
            rules.maximumLength.map { _ in VoiceMemoPhrases.length }, rules.pattern.map { _ in VoiceMemoPhrases.form },
            rules.kind == .email ? VoiceMemoPhrases.address : nil,
        ]
        let names = checks.compactMap(\.self).map { words($0) }
        guard let first = names.first else { return "" }
        return words(
            VoiceMemoPhrases.unchecked, names.dropFirst().reduce(first) { words(VoiceMemoPhrases.and, $0, $1) })
    }

    func refusal(on panel: Panel) -> String? {
        !panel.hasMicrophone && panel.letters == nil
            ? "free text needs a microphone, and the board has none; add one, allow entry by letters (letters = true in [panel] of the board file), or ask for a choice or a number"
            : nil
    }

    func spoken(on panel: Panel) -> [Said] {
        panel.letterBoard(rules.kind).map { board in
            board.words + LettersPhrases.spoken.map { .device($0) } + [.study(rules.invalidMessage)]
        } ?? VoiceMemoPhrases.spoken.map { .device($0) }
    }

    func card(_ context: CardContext) -> String {
        rules.invalidMessage.isEmpty || context.panel.letters == nil
            ? "" : "<p class=unit>\(Markup.escaped(rules.invalidMessage))</p>"
    }

    // MARK: - A scripted participant

    func wanted(_ value: ScriptedValue, now: LocalDateTime) throws -> Wanted {
        guard let text = value.text else { throw WantedError(value: value, expected: "free text") }
        return .answer(.text(text))
    }

    func first(now: LocalDateTime) -> Wanted { .answer(.text(rules.example)) }
}
