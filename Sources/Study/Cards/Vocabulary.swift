// SPDX-License-Identifier: Apache-2.0

/// Everything that a study can say on a panel: `StudySounds` has it rendered as speech at enrolment, so that it
/// never has to be at prompt time.
///
/// Only what is made up at run time is missing: faults in the words of the system.
package struct Vocabulary: Sendable, Hashable {
    /// Each part once, in the order in which they are met; empty where the panel
    /// has no loudspeaker.
    package let parts: [Utterance]

    package init(_ study: StudyProtocol, on panel: Panel) {
        var others = study.resources.map { Cue.news($0.announcement) }
        if case .asks(let text) = study.leaving.withdrawal { others.append(.message(text)) }
        self.init(study.tasks, and: others, on: panel, in: Words(study, on: panel))
    }

    /// The vocabulary of these tasks, and of what else may be said; without `words` in the
    /// panel's own language.
    package init(_ tasks: [StudyTask], and others: [Cue] = [], on panel: Panel, in words: Words? = nil) {
        guard panel.hasLoudspeaker else {
            parts = []
            return
        }
        let words = words ?? Words(for: panel.language)
        var seen: Set<Utterance> = []
        let said = Self.said(tasks, panel) + others.flatMap(\.said)
        let spoken = said.flatMap(words.utterances) + words.numberWords
        parts = spoken.filter { seen.insert($0).inserted }
    }

    private static func said(_ tasks: [StudyTask], _ panel: Panel) -> [Said] {
        let index = CardIndex(tasks)
        return tasks.flatMap(said) + index.cards.flatMap { said($0, panel) + piped($0, index) }
            + PanelPhrases.all.map { .device($0) }
            + HoldTimes.allCases.flatMap { Cue.undoable(seconds: RunLimits().graceSeconds($0)).said }
            + NotNow.allCases.map { .device($0.phrase) }
    }

    private static func said(_ task: StudyTask) -> [Said] {
        [task.prompt.title, task.prompt.message, task.prompt.lastMessage, task.name].map { .study($0) }
    }

    private static func said(_ card: CardIndex.Card, _ panel: Panel) -> [Said] {
        // A text with an answer in it is said in parts.
        let own = Cue.card(card.number, text: card.step.piping == nil ? card.step.text : "").said
        return own + card.step.format.kind.spoken(on: panel)
    }

    /// The text with and without an answer, and what the answer can be, as far as it is known now. A text
    /// of letters is not: it is rendered when it is said.
    private static func piped(_ card: CardIndex.Card, _ index: CardIndex) -> [Said] {
        guard let piping = card.step.piping else { return [] }
        let answers = index.format(of: piping, in: card.task).map(PipedText.Answer.all) ?? []
        let own = PipedText(card.step.text, snippet: piping.snippet).own
        return own.map { .study($0) } + answers
    }
}
