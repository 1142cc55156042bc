// SPDX-License-Identifier: Apache-2.0
import Base

/// One kind of question, with everything that a panel, the card sheet and a scripted participant
/// need to know of it. Each kind has a folder with this, its machines and its phrases;
/// `AnswerFormat.kind` lists them.
protocol QuestionKind: Sendable {
    /// The machine that asks it, on a panel for which `refusal` is nil.
    func machine(in context: QuestionContext) -> any QuestionMachine
    /// Which buttons answer it, in one sentence without its end.
    func howTo(on panel: Panel, in words: Words) -> String
    /// How it is left out, for a kind that need not be answered; begins with a semicolon.
    func leavingOut(on panel: Panel, in words: Words) -> String
    /// How it is presented, in English, for those who set the device up.
    func presentation(on panel: Panel) -> String
    /// Why that panel cannot ask it, with the remedy; nil = it can.
    func refusal(on panel: Panel) -> String?
    /// What it says in addition to its text and what every question says.
    func spoken(on panel: Panel) -> [Said]
    /// How an answer is said back before it is submitted; nothing where only the device knows it,
    /// or where it was confirmed by itself.
    func saidBack(_ answer: AnswerValue) -> [Cue]
    /// The part of its card between text and how-to, as HTML.
    func card(_ context: CardContext) -> String

    /// What a scripted participant's value means; throws `WantedError`. `now` completes
    /// a date or a time.
    func wanted(_ value: ScriptedValue, now: LocalDateTime) throws -> Wanted
    /// The first thing it offers.
    func first(now: LocalDateTime) -> Wanted
    /// Something it could be answered with, drawn evenly.
    func random(now: LocalDateTime, using generator: inout SplitMix64) -> Wanted
}

extension QuestionKind {
    func leavingOut(on panel: Panel, in words: Words) -> String {
        words(AnsweringPhrases.leftOut, panel.pressing(.select, in: words))
    }

    func presentation(on panel: Panel) -> String { panel.spokenPrefix + "signals the card number" }
    func refusal(on panel: Panel) -> String? { nil }
    func spoken(on panel: Panel) -> [Said] { [] }
    func saidBack(_ answer: AnswerValue) -> [Cue] { [] }
    func card(_ context: CardContext) -> String { "" }
    func random(now: LocalDateTime, using generator: inout SplitMix64) -> Wanted { first(now: now) }
}

/// What a card of `CardSheet` is printed with.
struct CardContext: Sendable {
    let panel: Panel
    let words: Words
    /// Data URIs by a picture's address.
    let pictures: [String: String]
    /// Completes addresses that end in the participant's id; nil = by hand.
    let participant: String?
}

extension Panel {
    /// Begins a `presentation` where texts are spoken.
    var spokenPrefix: String { hasLoudspeaker ? "spoken, and " : "" }
}
