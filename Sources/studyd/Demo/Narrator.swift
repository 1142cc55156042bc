// SPDX-License-Identifier: Apache-2.0
import Agent
import Simulation
import StudyEngine
import StudyModel
import Times

/// Tells on the terminal what the board does: a line for what happens, and below it the board itself.
///
/// A participant has the lights and sounds only; the words stand in for the card sheet.
struct Narrator {
    private let zone: Zone
    private let isTerminal: Bool
    private let board: BoardDescription
    private var question: String?
    /// Of the study that runs.
    private var language: Words = .english

    init(zone: Zone, isTerminal: Bool, board: BoardDescription) {
        self.zone = zone
        self.isTerminal = isTerminal
        self.board = board
    }

    /// The lines of what just happened.
    mutating func tell(_ glimpse: AgentSnapshot) {
        if let conductor = glimpse.conductor {
            language = Words(conductor.planner.study, on: conductor.session.panel)
        }
        for effect in glimpse.effects {
            guard let words = words(effect) else { continue }
            line(words, at: glimpse.now.instant)
        }
        guard let conductor = glimpse.conductor else { return }
        tellQuestion(conductor, at: glimpse.now.instant)
    }

    /// The card sheet's part: what is asked now, and how it is answered.
    private mutating func tellQuestion(_ conductor: StudyConductor, at now: Instant) {
        let run = conductor.session.run
        let key = run.flatMap { run in run.current.map { "\(run.opened.task.key)/\($0.key)" } }
        defer { question = key }
        guard let key, key != question, let run, let step = run.current else { return }
        let number = conductor.cards.number(task: run.opened.task.key, step: step.key) ?? 0
        line(language(DemoPhrases.card, "\(number)", run.currentText ?? step.text) + options(step), at: now)
        if case .asked(_, let answered) = PanelSupport(step, on: conductor.session.panel, in: language) {
            line("         (\(answered))", at: now)
        }
    }

    private func options(_ step: Step) -> String {
        guard case .choice(let choice) = step.format else { return "" }
        return "  [" + choice.options.map(\.text).joined(separator: " | ") + "]"
    }

    /// A line with the board's wall clock.
    func line(_ words: String, at now: Instant) {
        let clock = zone.local(now).time.text(fractionDigits: 0)
        Output.line((isTerminal ? "\r\u{1B}[K" : "") + "\(clock)  \(words)")
    }

    /// Draws the board over the last line; a state for each light, the first with the buzzer too.
    func draw(_ states: [SimulatedPanelFolder.State], now: Instant) {
        guard isTerminal, let first = states.first else { return }
        let lights = zip(board.lights, states)
        let free = lights.filter { $0.0.button == nil }.map { colour($0.1) + "      " + Self.plain }
        let tone = first.tone.map { "♪ \(Int($0)) Hz" } ?? "       "
        let clock = zone.local(now).time.text(fractionDigits: 0)
        Output.text(
            "\r\u{1B}[K\(clock)  \(free.joined(separator: " ")) \(tone)   \(keys(Array(lights)))  \(language(DemoPhrases.keys))"
        )
    }

    /// The keys by their names; where lights sit at them by their letters alone, row by row, and the light behind each.
    private func keys(_ lights: [(BoardDescription.Light, SimulatedPanelFolder.State)]) -> String {
        guard lights.contains(where: { $0.0.button != nil }) else {
            return board.buttons.map { "[\($0.terminalKey)] \($0.name)" }.joined(separator: "  ")
        }
        return board.buttons.enumerated().map { place, button in
            let state = lights.first { $0.0.button == button.name }?.1
            let key = (state.map(colour) ?? "") + " \(button.terminalKey) " + Self.plain
            return (place > 0 && place.isMultiple(of: board.columns ?? 16) ? " " : "") + key
        }.joined()
    }

    private static let plain = "\u{1B}[0m"

    private func colour(_ state: SimulatedPanelFolder.State) -> String {
        guard state.isLit else { return "\u{1B}[48;2;40;40;40m\u{1B}[97m" }
        return "\u{1B}[48;2;\(state.red);\(state.green);\(state.blue)m\u{1B}[30m"
    }

    private func words(_ effect: StudyConductor.Effect) -> String? {
        switch effect {
        case .device(.signal(let plan)): caption(plan)
        case .device(.startRecording): language(DemoPhrases.recording)
        case .device(.stopRecording): language(DemoPhrases.recorded)
        case .note(.prompted(let occurrence)): "prompt due: \(occurrence.id)"
        case .note(.submitted(let task, _, let submission)):
            "submitted \(task): "
                + submission.order.compactMap { key in submission.answers[key].map { "\(key) = \(spell($0))" } }.joined(
                    separator: ", ")
        case .note(.runLeft(let task, _, let end)): "\(end) \(task)"
        case .note(.concluded(let occurrence, let outcome)):
            "\(occurrence.id) \(outcome.name)" + (outcome.reason.map { " (\($0.rawValue))" } ?? "")
        case .withdraw(_): language(DemoPhrases.leaves)
        default: nil
        }
    }

    /// What a signal says in words; signs of life say nothing.
    private func caption(_ plan: SignalPlan) -> String? {
        switch plan.cue {
        case .alive, .recording, .held, .delivered, .card: return nil
        default:
            let words = plan.cue.speech(in: language).map(\.text).joined(separator: ". ")
            return words.isEmpty ? nil : words
        }
    }

    private func spell(_ value: AnswerValue) -> String {
        switch value {
        case .boolean(let value): language(value ? StudyPhrases.yes : StudyPhrases.no).lowercased()
        case .choices(let values): values.joined(separator: "; ")
        case .number(let value): JSONText.spelling(of: value)
        case .cleared: "cleared"
        case .dateTime(let value): value.text(fractionDigits: 0)
        case .text(let text): text
        case .recording(let id): "voice:\(id)"
        case .position(let latitude, let longitude): "\(latitude),\(longitude)"
        case .performance(let performance): performance.summary(in: language)
        }
    }
}
