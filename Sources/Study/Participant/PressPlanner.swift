// SPDX-License-Identifier: Apache-2.0
import Base

/// Decides which buttons a scripted participant presses next, from what the panel shows: what is done with
/// prompts, the list and a run. The simulation and the demo play its edges on the path of real buttons.
///
/// `AnswerChooser` chooses the answers, and `PerformancePlanner` performs active tasks. Call `observe` after every
/// event, and `move` again when its last edge was played, or when the prompt that it answers is gone.
package struct PressPlanner: Sendable {
    /// From the presentation of a question to its first press, in a task that is not done slowly.
    private static let thinking: Duration = .milliseconds(1500)
    /// The thinking time in a task that is done slowly: short enough that the run is not interrupted.
    private static let dawdling: Duration = .seconds(240)
    /// For how long a participant who switches prompts off leaves them off.
    private static let silence: Duration = .seconds(10_800)

    /// Edges to be played, and what they answer.
    package struct Move: Sendable {
        /// In order of time, CLOCK_MONOTONIC; presses and releases in turn.
        package let edges: [ButtonEvent]
        /// The prompt they take up; nil for presses within a run.
        package let prompt: String?
    }

    private let participant: Participant
    private let finder: PressFinder
    private let panel: Panel
    private var answers: AnswerChooser
    private var performance: PerformancePlanner
    private var generator: SplitMix64
    private var habits: ParticipantHabits
    /// The run that is being left because the script has no answer that goes on.
    private var stuckRun: String?
    /// How often a run was left at a question that must be answered, and that the script does not
    /// answer; by task and question.
    package private(set) var unanswered: [String: Int] = [:]
    /// Whether tasks without a prompt are opened from the list.
    private let opensList: Bool
    /// What the presses begun on the idle panel lead to; nil = nothing is under way.
    private var goal: PanelGoal?
    /// Since when prompts are off.
    private var silentSince: Instant?

    /// `seed` is for `otherwise: random` and for habits that are shares.
    package init(_ participant: Participant, panel: Panel, seed: UInt64 = 1, opensList: Bool = false) {
        (self.participant, self.panel, self.opensList) = (participant, panel, opensList)
        finder = PressFinder(panel)
        answers = AnswerChooser(participant)
        performance = PerformancePlanner(panel)
        habits = ParticipantHabits(participant, seed: seed)
        generator = SplitMix64(seed: seed)
    }

    /// What the simulated GPS receiver reports.
    package var intendedPosition: (latitude: Double, longitude: Double)? { answers.intendedPosition }
    /// What the simulated device measures.
    package var intendedFigures: [Double]? { answers.intendedFigures }

    /// Takes in what the panel has. To be called after every event: a prompt that came and went between two
    /// calls would be unknown to `move`.
    package mutating func observe(_ conductor: StudyConductor) {
        habits.observe(conductor, opensList: opensList)
    }

    /// What is pressed next; nil when there is nothing to press. Throws when the script names a
    /// value the question cannot have.
    package mutating func move(on conductor: StudyConductor, at now: Moment) throws -> Move? {
        // Not by a local `session`, which would be a copy at each event of a simulation.
        if let run = conductor.session.run {
            if case .openItem(let item)? = goal { habits.forget(item) }
            goal = nil
            return try answer(run, conductor, at: now)
        }
        guard conductor.session.isIdle else {
            return pursue(conductor.session, at: now.monotonic + Self.thinking)
        }
        goal = nil
        observe(conductor)
        if let prompt = conductor.session.currentPrompt { return try react(to: prompt, conductor, at: now) }
        // A participant who never switches them off leaves them as they are.
        if !conductor.session.promptsAreOn, participant.silences > 0 { return switchOn(conductor.session, at: now) }
        silentSince = nil
        guard opensList, let item = habits.toOpen.first else { return nil }
        goal = .openItem(item)
        return pursue(conductor.session, at: now.monotonic + participant.latency)
    }

    /// The presses that switch prompts on again after `silence`; nothing else is done until then.
    private mutating func switchOn(_ session: PanelSession, at now: Moment) -> Move? {
        let since = silentSince ?? now.instant
        silentSince = since
        goal = .prompts(on: true)
        return pursue(session, at: now.monotonic + max(participant.latency, since + Self.silence - now.instant))
    }

    /// The press that takes up the prompt, or the first press of what is done with it instead; nil = it is
    /// missed.
    private mutating func react(to prompt: PromptItem, _ conductor: StudyConductor, at now: Moment) throws -> Move? {
        let session = conductor.session
        switch habits.fate(of: prompt.id) {
        case .answer:
            let press = Press(try gesture(for: prompt, conductor, at: now))
            return move(press, at: now.monotonic + participant.latency, answering: prompt.id)
        case .decline: goal = .decline
        case .delay: goal = .putOff
        case .silence: goal = .prompts(on: false)
        case .miss:
            // A missed prompt is left alone, but put off where it hides one that is not missed, or the list.
            let others = session.waiting.filter { $0.putOffUntil == nil && $0.item.id != prompt.id }
            let isInTheWay = others.contains { habits.fate(of: $0.item.id) != .miss }
            guard isInTheWay || opensList && !habits.toOpen.isEmpty else { return nil }
            goal = .putOff
        }
        return pursue(session, at: now.monotonic + participant.latency)
    }

    /// The next press towards the goal; nil where it is reached, or cannot be reached.
    private mutating func pursue(_ session: PanelSession, at time: MonotonicTime) -> Move? {
        guard let goal else { return nil }
        guard let press = session.press(towards: goal), let edges = finder.edges(press, at: time) else {
            if case .openItem(let item) = goal { habits.forget(item) }
            self.goal = nil
            return nil
        }
        return Move(edges: edges, prompt: session.isIdle ? session.currentPrompt?.id : nil)
    }

    /// The presses for the current question of the run: its answer, going back, or leaving the run.
    private mutating func answer(_ run: TaskRun, _ conductor: StudyConductor, at now: Moment) throws -> Move? {
        let start = now.monotonic + (habits.dawdles(run) ? Self.dawdling : Self.thinking)
        if stuckRun == run.id || habits.leaves(run), let press = conductor.session.press(towards: .leaveRun) {
            return move(press, at: start)
        }
        guard let step = run.current else { return move(performance.pressBetweenSteps(of: run), at: start) }
        if case .active = step.format { return try perform(step, run, conductor, at: now) }
        if run.awaitsDevice { return nil }
        if habits.goesBack(run, from: step) { return move(Press(.undo), at: start) }
        let wanted = try answers.wanted(step, conductor, at: now, using: &generator)
        if answers.repeatsInVain(wanted, to: step, in: run) { return leave(run, at: step, conductor, start) }
        answers.intend(wanted, for: step)
        var edges = finder.presses(for: wanted, in: run, from: start)
        // What the script names must be entered (else an error); an answer that was made up may be left out
        // instead.
        if edges == nil, !participant.hasAnswer(for: step) || wanted == .leaveOut {
            edges = finder.presses(for: .leaveOut, in: run, from: start)
        }
        guard let edges, !edges.isEmpty else {
            throw ParticipantError.unfit(question: step.key, "it cannot be entered with the buttons of this panel")
        }
        answers.countTurn(of: step)
        return Move(edges: edges, prompt: nil)
    }

    private mutating func leave(
        _ run: TaskRun, at step: Step, _ conductor: StudyConductor, _ start: MonotonicTime
    ) -> Move? {
        stuckRun = run.id
        unanswered["\(run.opened.task.key)/\(step.key)", default: 0] += 1
        return conductor.session.press(towards: .leaveRun).flatMap { move($0, at: start) }
    }

    private func move(_ press: Press, at time: MonotonicTime, answering prompt: String? = nil) -> Move? {
        finder.edges(press, at: time).map { Move(edges: $0, prompt: prompt) }
    }

    private mutating func perform(
        _ step: Step, _ run: TaskRun, _ conductor: StudyConductor, at now: Moment
    ) throws -> Move? {
        let start = now.monotonic + Self.thinking
        if !performance.isBegun(run) {
            let wanted = try answers.wanted(step, conductor, at: now, using: &generator)
            if answers.repeatsInVain(wanted, to: step, in: run) { return leave(run, at: step, conductor, start) }
            answers.countTurn(of: step)
            performance.begin(wanted, in: run)
        }
        switch try performance.next(step, run, at: now.monotonic, using: &generator) {
        case .edges(let edges): return edges.map { Move(edges: $0, prompt: nil) }
        case .leaveRun: return leave(run, at: step, conductor, start)
        }
    }

    /// A task of a single yes/no question is answered by the press that takes it up.
    private mutating func gesture(for prompt: PromptItem, _ conductor: StudyConductor, at now: Moment) throws -> Gesture
    {
        guard prompt.quickCard != nil, let occurrence = conductor.scheduler.occurrence(prompt.id),
            let step = conductor.planner.study.task(occurrence.task)?.content.steps.first
        else { return .select }
        switch try answers.wanted(step, conductor, at: now, using: &generator) {
        case .answer(.boolean(let value)):
            answers.countTurn(of: step)
            return value ? panel.layout.yes : panel.layout.no
        default: return .select
        }
    }
}
