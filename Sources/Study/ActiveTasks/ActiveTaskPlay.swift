// SPDX-License-Identifier: Apache-2.0
import Base

/// How one kind of active task is performed on a panel, for `ActiveTaskKind`. The rules of the kind conform, in
/// the kind's own folder, beside its game, its step and its phrases.
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

extension Performance {
    package func summary(in words: Words) -> String {
        (record as? any PerformanceSummary)?.summary(in: words) ?? JSONText.object(record.fields).text
    }
}
