// SPDX-License-Identifier: Apache-2.0
import StudyModel

/// Everything that a study can say on a panel, so that it can be rendered at enrolment: at prompt time nothing is.
///
/// Only what is made up at run time is missing: faults in the words of the system.
public struct Vocabulary: Sendable, Hashable {
    /// Each part once, in the order in which they are met; empty where the panel has no loudspeaker.
    public let parts: [String]

    /// The vocabulary of a study on that panel.
    public init(_ study: StudyProtocol, on panel: Panel) {
        var others = study.resources.map { Cue.news($0.announcement) }
        if case .asks(let text) = study.withdrawal { others.append(.message(text)) }
        self.init(study.tasks, and: others, on: panel)
    }

    /// The vocabulary of these tasks, and of what else may be said.
    public init(_ tasks: [StudyTask], and others: [Cue] = [], on panel: Panel) {
        guard panel.hasLoudspeaker else {
            parts = []
            return
        }
        var seen: Set<String> = []
        let spoken = (Self.cues(tasks, panel) + others).flatMap(\.speech) + SpokenNumber.words
        parts = spoken.filter { seen.insert($0).inserted }
    }

    private static func cues(_ tasks: [StudyTask], _ panel: Panel) -> [Cue] {
        let index = CardIndex(tasks)
        return tasks.flatMap(cues) + index.cards.flatMap { cues($0, panel) + piped($0, index) } + phrases + menus
    }

    private static func cues(_ task: StudyTask) -> [Cue] {
        [
            .prompt(title: task.prompt.title, message: task.prompt.message), .message(task.prompt.lastMessage),
            .listItem(1, text: task.name),
        ]
    }

    private static func cues(_ card: CardIndex.Card, _ panel: Panel) -> [Cue] {
        // A text with an answer in it is said in parts.
        var cues = [Cue.card(card.number, text: card.step.piping == nil ? card.step.text : "")]
        if case .choice(let choice) = card.step.format {
            cues += choice.options.map { .option(1, text: $0.text, isTicked: choice.isMultiple) }
        }
        if case .active(let task) = card.step.format { cues += task.words(of: panel) }
        if case .position = card.step.format { cues.append(.fault(PositionQuestion.unknown)) }
        if case .text(_, let rules) = card.step.format {
            let letters = panel.letterBoard(rules.kind).map {
                $0.words + LettersQuestion.words + [rules.invalidMessage]
            }
            cues += (letters ?? VoiceMemoQuestion.words).map { .message($0) }
        }
        return cues
    }

    /// What stands around an answer in the text, and what the answer can be, as far as it is known now. A text of letters is
    /// not: it is rendered when it is said.
    private static func piped(_ card: CardIndex.Card, _ index: CardIndex) -> [Cue] {
        guard let piping = card.step.piping else { return [] }
        let answers = index.format(of: piping, in: card.task).map(PipedText.Words.all) ?? []
        let own = PipedText(card.step.text, snippet: piping.snippet).surroundings
        return (own + answers).map { .message($0) }
    }

    private static let phrases: [Cue] = [
        .leaveOut, .done, .clear, .confirm, .undone, .required, .timeRunningOut, .expired, .reminder, .nothingOpen,
        .promptsOff, .promptsOn, .putOff, .leaveStudy(stage: 1), .leaveStudy(stage: 2), .leaveStudy(stage: 3), .saved,
        .runLeft,
        .fault(PanelSession.noReply), .fault(MediaStep.unplayable), .won, .lost,
    ]

    private static var menus: [Cue] {
        let texts =
            PanelMenu.allCases.flatMap { [$0.text(promptsAreOn: true), $0.text(promptsAreOn: false)] }
            + NotNow.allCases.map(\.text) + RunMenu.allCases.map(\.text) + PanelSession.leavingWords
            + PanelSession.dataWords
        return texts.map { .menuItem(1, text: $0) }
    }
}
