// SPDX-License-Identifier: Apache-2.0
import Base

/// How one kind of active task is performed on a panel. The rules of the kind conform, in the
/// kind's own folder, beside its game, its step and its phrases.
protocol ActiveTaskPlay: ActiveTaskRules {
    /// The machine that a participant performs on.
    func step(in context: QuestionContext) -> any QuestionMachine
    /// How it is performed on that panel, in one sentence without its full stop, for `validate`
    /// and the card sheet.
    func howTo(on panel: Panel, in words: Words) -> String
    /// What it says on that panel in addition to its step's text.
    func spoken(on panel: Panel) -> [Said]
    /// Why that panel cannot carry it, with the remedy; nil = it can.
    func refusal(on panel: Panel) -> String?
}

extension ActiveTaskPlay {
    func refusal(on panel: Panel) -> String? { nil }
}

/// A result in one line, for people.
protocol PerformanceSummary: PerformanceRecord {
    /// `12 kicks in 30 s`.
    func summary(in words: Words) -> String
}

extension ActiveTask {
    /// Nil for rules that no panel can play.
    private var play: (any ActiveTaskPlay)? { rules as? any ActiveTaskPlay }

    /// The machine that a participant performs on; what cannot be performed is only described, and
    /// was refused before.
    func step(in context: QuestionContext) -> any QuestionMachine { play?.step(in: context) ?? InstructionStep() }

    func howTo(on panel: Panel, in words: Words) -> String { play?.howTo(on: panel, in: words) ?? "" }

    func spoken(on panel: Panel) -> [Said] { play?.spoken(on: panel) ?? [] }

    /// Why that panel cannot carry it, with the remedy; nil = it can.
    func refusal(on panel: Panel) -> String? {
        guard let play else { return "\(name) cannot be done with buttons; remove it from the study" }
        return problems.first.map { "\(name): \($0)" } ?? play.refusal(on: panel)
    }
}

extension Performance {
    package func summary(in words: Words) -> String {
        (record as? any PerformanceSummary)?.summary(in: words) ?? JSONText.object(record.fields).text
    }
}
