// SPDX-License-Identifier: Apache-2.0
import Base

/// A scripted participant's hand: looks at the panel as it is and says which button
/// edges come next.
///
/// The edges take the same path as those of real buttons, through gestures and question machines. Call
/// `observe` after every event, and `move` again when its last edge was played, or when the prompt that it
/// answers is gone.
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
    /// How often each question was answered, which chooses from a list of answers.
    private var turns: [String: Int] = [:]
    private var generator: SplitMix64
    /// Nil before the first active task; stays from one to the next.
    private var performing: Performing?
    /// The answer intended for the question asked last.
    private var lastWanted: Wanted?
    /// The run that is being left because the script has no answer that goes on.
    private var stuckRun: String?
    /// How often a run was left at a question that must be answered, and that the script does not
    /// answer; by task and question.
    package private(set) var unanswered: [String: Int] = [:]
    private var habits: ParticipantHabits
    /// Whether tasks without a prompt are opened from the list.
    private let opensList: Bool
    /// What the presses begun on the idle panel lead to; nil = nothing is under way.
    private var goal: PanelGoal?
    /// Since when prompts are off.
    private var silentSince: Instant?
    /// The answer last chosen for a question about the position: the simulation's receiver reports it.
    package private(set) var intendedPosition: (latitude: Double, longitude: Double)?
    /// The answer last chosen for a question about a reading: the simulated device measures it.
    package private(set) var intendedFigures: [Double]?

    /// The active task that is being performed.
    private struct Performing: Sendable {
        /// Identifies the presentation of a step and its run: `<number of questions>/<when the run began>`.
        let presentation: String
        let wanted: Wanted
        /// The presses of the script were given out, for a strategy that is a list of presses.
        var isTyped = false
        /// How often the menu was opened to leave it out.
        var menus = 0
    }
    private static let mostMenus = 2

    /// The hand of that participant on that panel; `seed` is for `otherwise: random` and for habits
    /// that are shares.
    package init(_ participant: Participant, panel: Panel, seed: UInt64 = 1, opensList: Bool = false) {
        habits = ParticipantHabits(participant, seed: seed)
        self.opensList = opensList
        self.participant = participant
        self.panel = panel
        finder = PressFinder(panel)
        generator = SplitMix64(seed: seed)
    }

    /// Takes in what the panel has. To be called after every event: a prompt that came and went between two
    /// calls would be unknown to `move`.
    package mutating func observe(_ conductor: StudyConductor) {
        habits.observe(conductor.session, opensList: opensList)
    }

    /// What is pressed next; nil when there is nothing to press. Throws when the script names a
    /// value the question cannot have.
    package mutating func move(on conductor: StudyConductor, at now: Moment) throws -> Move? {
        let session = conductor.session
        if let run = session.run {
            if case .openItem(let item)? = goal { habits.forget(item) }
            goal = nil
            return try answer(run, conductor, at: now)
        }
        guard session.isIdle else { return pursue(session, at: now.monotonic + Self.thinking) }
        goal = nil
        observe(conductor)
        if let prompt = session.currentPrompt { return try react(to: prompt, conductor, at: now) }
        // A participant who never switches them off leaves them as they are.
        if !session.promptsAreOn, participant.silences > 0 { return switchOn(session, at: now) }
        silentSince = nil
        guard opensList, let item = habits.toOpen.first else { return nil }
        goal = .openItem(item)
        return pursue(session, at: now.monotonic + participant.latency)
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
        guard let step = run.current else { return move(pressBetweenSteps(of: run), at: start) }
        if case .active = step.format { return try perform(step, run, conductor, at: now) }
        if run.awaitsDevice { return nil }
        if habits.goesBack(run, from: step) { return move(Press(.undo), at: start) }
        let wanted = try wanted(step, conductor, at: now)
        if isStuck(run, at: step, with: wanted) { return leave(run, at: step, conductor, start) }
        if case .answer(.position(let latitude, let longitude)) = wanted { intendedPosition = (latitude, longitude) }
        if case .reading = step.format, case .answer(let answer) = wanted {
            intendedFigures = DeviceReading.figures(answer)
        }
        var edges = finder.presses(for: wanted, in: run, from: start)
        // What the script names must be entered (else an error); an answer that was made up may be left out
        // instead.
        if edges == nil, !participant.hasAnswer(for: step) || wanted == .leaveOut {
            edges = finder.presses(for: .leaveOut, in: run, from: start)
        }
        guard let edges, !edges.isEmpty else {
            throw ParticipantError.unfit(question: step.key, "it cannot be entered with the buttons of this panel")
        }
        turns[step.key, default: 0] += 1
        return Move(edges: edges, prompt: nil)
    }

    /// The press in the review or the menu. `perform` opens the menu only to leave its step out; presses that are
    /// written down, or held while a step ends, may open it too: then the run goes on.
    private func pressBetweenSteps(of run: TaskRun) -> Press {
        let leavesOut = performing?.presentation == Self.presentation(of: run) && performing?.isTyped == false
        return (leavesOut ? run.press(towards: .leaveOut) : nil) ?? Press(.select)
    }

    private static func presentation(of run: TaskRun) -> String { "\(run.questions.count)/\(run.began.nanoseconds)" }

    /// Whether the question was presented again because it must be answered, and the script would press the
    /// same once more.
    private mutating func isStuck(_ run: TaskRun, at step: Step, with wanted: Wanted) -> Bool {
        defer { lastWanted = wanted }
        let last = run.questions.suffix(2)
        let isAgain = last.count == 2 && last.allSatisfy { $0.step == step.key && $0.answered == nil }
        return step.format.isQuestion && isAgain && lastWanted == wanted
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

    /// One press at a time, since what comes next depends on what the task does.
    private mutating func perform(
        _ step: Step, _ run: TaskRun, _ conductor: StudyConductor, at now: Moment
    ) throws -> Move? {
        let presentation = Self.presentation(of: run)
        if performing?.presentation != presentation {
            let wanted = try wanted(step, conductor, at: now)
            if isStuck(run, at: step, with: wanted) {
                return leave(run, at: step, conductor, now.monotonic + Self.thinking)
            }
            turns[step.key, default: 0] += 1
            performing = Performing(presentation: presentation, wanted: wanted)
        }
        guard case .perform(let strategy) = performing?.wanted else { return leaveOut(step, run, conductor, at: now) }
        if case .presses(let presses) = strategy { return try type(presses, step, run) }
        guard let move = run.move(strategy, using: &generator) else {
            return strategy == .fail && !run.isUnderWay ? leaveOut(step, run, conductor, at: now) : nil
        }
        return edges(move, at: now.monotonic).map { Move(edges: $0, prompt: nil) }
    }

    private func edges(_ move: PerformanceMove, at now: MonotonicTime) -> [ButtonEvent]? {
        let time = now + move.after
        switch move.target {
        case .gesture(let press): return finder.edges(press, at: time)
        case .button(let button):
            return [
                ButtonEvent(button: button, isPressed: true, time: time),
                ButtonEvent(button: button, isPressed: false, time: time + .milliseconds(120)),
            ]
        }
    }

    /// By the menu. A performance that does not let itself be left out, as vigilance may not, is left with its task.
    private mutating func leaveOut(_ step: Step, _ run: TaskRun, _ conductor: StudyConductor, at now: Moment) -> Move? {
        guard let press = run.press(towards: .leaveOut) else { return nil }
        if press == Press(.menu) { performing?.menus += 1 }
        guard (performing?.menus ?? 0) <= Self.mostMenus else {
            return leave(run, at: step, conductor, now.monotonic + Self.thinking)
        }
        return move(press, at: now.monotonic + .milliseconds(400))
    }

    /// All presses of the script at once; where they do not finish the task, its time limits do.
    private mutating func type(_ presses: [ScriptedPress], _ step: Step, _ run: TaskRun) throws -> Move? {
        guard performing?.isTyped == false, let presented = run.questions.last?.presented else { return nil }
        performing?.isTyped = true
        let edges = try presses.flatMap { press in
            guard let button = panel.buttons.firstIndex(where: { $0.name == press.button }) else {
                throw ParticipantError.unfit(question: step.key, "the panel has no button '\(press.button)'")
            }
            let time = presented + press.at
            return [
                ButtonEvent(button: button, isPressed: true, time: time),
                ButtonEvent(button: button, isPressed: false, time: time + press.hold),
            ]
        }
        return Move(edges: edges.sorted { $0.time < $1.time }, prompt: nil)
    }

    private mutating func wanted(_ step: Step, _ conductor: StudyConductor, at now: Moment) throws -> Wanted {
        // The limits of a day or a time hold from the moment of presentation.
        let local = conductor.session.run?.clockOfQuestion ?? conductor.planner.context.zone.local(now.instant)
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
            return value ? panel.layout.yes : panel.layout.no
        default: return .select
        }
    }
}
