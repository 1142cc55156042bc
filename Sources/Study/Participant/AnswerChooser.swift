// SPDX-License-Identifier: Apache-2.0

/// Chooses a scripted participant's answer to each question, for `PressPlanner`, and finds out where the script
/// would give the same refused answer again.
struct AnswerChooser: Sendable {
    private let participant: Participant
    /// How often each question was answered, which chooses from a list of answers.
    private var turns: [String: Int] = [:]
    /// The answer intended for the question asked last.
    private var lastWanted: Wanted?
    /// The answer last chosen for a question about the position.
    private(set) var intendedPosition: (latitude: Double, longitude: Double)?
    /// The answer last chosen for a question about a reading.
    private(set) var intendedFigures: [Double]?

    init(_ participant: Participant) { self.participant = participant }

    /// Throws when the script names a value the question cannot have.
    func wanted(
        _ step: Step, _ conductor: StudyConductor, at now: Moment, using generator: inout SplitMix64
    ) throws -> Wanted {
        // The limits of a day or a time hold from the moment of presentation.
        let local = conductor.session.run?.clockOfQuestion ?? conductor.planner.context.zone.local(now.instant)
        return try participant.wanted(step, turn: turns[step.key, default: 0], now: local, using: &generator)
    }

    /// Whether the question was presented again because it must be answered, and the script would press the
    /// same once more.
    mutating func repeatsInVain(_ wanted: Wanted, to step: Step, in run: TaskRun) -> Bool {
        defer { lastWanted = wanted }
        let last = run.questions.suffix(2)
        let isAgain = last.count == 2 && last.allSatisfy { $0.step == step.key && $0.answered == nil }
        return step.format.isQuestion && isAgain && lastWanted == wanted
    }

    mutating func intend(_ wanted: Wanted, for step: Step) {
        guard case .answer(let answer) = wanted else { return }
        if case .position(let latitude, let longitude) = answer { intendedPosition = (latitude, longitude) }
        if case .reading = step.format { intendedFigures = DeviceReading.figures(answer) }
    }

    mutating func countTurn(of step: Step) { turns[step.key, default: 0] += 1 }
}
