// SPDX-License-Identifier: Apache-2.0
import StudyModel
import Times

/// A scripted participant's hand: looks at the panel as it is and says which button edges come next.
///
/// The edges go the way of a finger's: through gestures and question machines. Ask again when the last one was played, or
/// when the prompt they answer is gone.
public struct ScriptedHand: Sendable {
    /// Between the telling of a question and the first press.
    public static let thinking: Duration = .milliseconds(1500)

    /// Edges to be played, and what they answer.
    public struct Move: Sendable {
        /// In order of time, CLOCK_MONOTONIC; presses and releases in turn.
        public let edges: [ButtonEvent]
        /// The prompt they take up; nil for presses within a run.
        public let prompt: String?
    }

    /// Whose habits are played.
    public let participant: Participant
    private let finder: PressFinder
    private let panel: Panel
    private var turns: [String: Int] = [:]
    private var generator: SplitMix64

    /// The hand of that participant on that panel; `seed` is for `otherwise: random`.
    public init(_ participant: Participant, panel: Panel, seed: UInt64 = 1) {
        self.participant = participant
        self.panel = panel
        finder = PressFinder(panel)
        generator = SplitMix64(seed: seed)
    }

    /// What is pressed next; nil when there is nothing to press. Throws when the script names a value the question cannot have.
    public mutating func move(on conductor: StudyConductor, at now: Moment) throws -> Move? {
        let session = conductor.session
        if let run = session.run { return try answer(run, conductor, at: now) }
        guard session.isIdle, let prompt = session.currentPrompt else { return nil }
        let edges = finder.edges(
            Press(try gesture(for: prompt, conductor, at: now)), at: now.monotonic + participant.latency)
        return edges.map { Move(edges: $0, prompt: prompt.id) }
    }

    private mutating func answer(_ run: TaskRun, _ conductor: StudyConductor, at now: Moment) throws -> Move? {
        let start = now.monotonic + Self.thinking
        guard let step = run.current else {
            return finder.edges(Press(.select), at: start).map { Move(edges: $0, prompt: nil) }
        }
        let wanted = try wanted(step, conductor, at: now)
        let edges =
            finder.presses(for: wanted, in: run, from: start) ?? finder.presses(for: .leaveOut, in: run, from: start)
        guard let edges, !edges.isEmpty else {
            throw ParticipantError.unfit(question: step.key, "no presses of this panel lead there")
        }
        turns[step.key, default: 0] += 1
        return Move(edges: edges, prompt: nil)
    }

    private mutating func wanted(_ step: Step, _ conductor: StudyConductor, at now: Moment) throws -> Wanted {
        let local = conductor.planner.context.zone.local(now.instant)
        return try participant.wanted(step, turn: turns[step.key, default: 0], now: local, using: &generator)
    }

    /// A task of a single yes/no question is answered by the press that takes it up.
    private mutating func gesture(for prompt: PromptItem, _ conductor: StudyConductor, at now: Moment) throws -> Gesture
    {
        guard prompt.quickCard != nil, let occurrence = conductor.scheduler.occurrence(prompt.id),
            let step = conductor.planner.study.task(occurrence.task)?.content.steps.first
        else { return .select }
        switch try wanted(step, conductor, at: now) {
        case .answer(.boolean(let value)):
            turns[step.key, default: 0] += 1
            return value ? YesNoQuestion.yes(panel.layout) : YesNoQuestion.no(panel.layout)
        default: return .select
        }
    }
}
