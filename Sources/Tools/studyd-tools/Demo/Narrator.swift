// SPDX-License-Identifier: Apache-2.0
import Agent
import Base
import Study

/// Describes what the board does: lines for signals, questions, prompts and answers, and what it is signalling now.
/// `Demo` passes every snapshot of the agent to `narrate`, in order.
///
/// A participant has the lights and sounds only; the words replace the card sheet, on which a participant looks
/// up what they mean.
struct Narrator {
    private let zone: Zone
    private let panel: Panel
    /// The terminal's key of each button.
    private let keys: [String]
    /// Print with each question how it is answered; false with a drawn board, which shows that.
    private let explains: Bool
    /// The question that is asked now, as task/step/how many the run has presented; nil = none.
    private var question: String?
    /// The session of the snapshot before: presses are explained by what they meant then.
    private var before: PanelSession?
    /// Occurrences whose prompt was printed.
    private var prompts: Set<String> = []
    private var lastPrompt: Cue?
    private var faults: [String] = []
    /// Presses under way: their beginnings, and what the session was.
    private var pressed: [Int: (time: MonotonicTime, session: PanelSession)] = [:]
    /// The language of the study that runs.
    private(set) var language: Words = .english
    /// The last press, in words.
    private(set) var lastPress = ""
    /// What a rhythm says, until it is over.
    private(set) var rhythm: (text: String, until: MonotonicTime) = ("", .zero)
    /// The words of the last signal.
    private(set) var caption = ""
    /// Why the last press did nothing; empty once another signal was given.
    private(set) var complaint = ""

    /// Buttons that are held down now.
    var down: Set<Int> { Set(pressed.keys) }

    init(zone: Zone, panel: Panel, keys: [String], explains: Bool) {
        self.explains = explains
        self.zone = zone
        self.panel = panel
        self.keys = keys
    }

    /// How a button is called in print.
    func name(of button: Int) -> String { panel.printedName(of: button, in: language) }

    /// The lines of what just happened.
    mutating func narrate(_ snapshot: AgentSnapshot) -> [String] {
        if let conductor = snapshot.conductor { language = Words(conductor.planner.study, on: conductor.session.panel) }
        let asked = snapshot.conductor.flatMap(Self.question)
        let isNew = asked != question
        question = asked
        var lines: [String] = []
        for effect in snapshot.effects { lines += narrate(effect, snapshot, isNewQuestion: isNew) }
        before = snapshot.conductor?.session
        if isNew, let conductor = snapshot.conductor { lines += questionLines(conductor) }
        return lines.map { line($0, at: snapshot.now.instant) }
    }

    /// A line with the board's wall clock.
    func line(_ words: String, at now: Instant) -> String { "\(clock(now))  \(words)" }

    /// A time to come, with its day where it is another.
    func moment(_ instant: Instant, from now: Instant) -> String {
        let (then, today) = (zone.local(instant), zone.local(now))
        return then.date == today.date ? clock(instant) : "\(clock(instant)), \(then.date)"
    }

    /// The board's wall clock.
    func clock(_ now: Instant) -> String { zone.local(now).time.text(fractionDigits: 0) }

    /// What is wrong now; each cause is printed when it comes and when it goes.
    mutating func narrate(faults all: [Explanation], at now: Instant) -> [String] {
        let new = all.map(\.description)
        let lines =
            new.filter { !faults.contains($0) }.map { "FAULT: \($0)" }
            + faults.filter { !new.contains($0) }.map { "over: \($0)" }
        faults = new
        return lines.map { line($0, at: now) }
    }

    private static func question(_ conductor: StudyConductor) -> String? {
        conductor.session.run.flatMap { run in
            run.current.map { "\(run.opened.task.key)/\($0.key)/\(run.questions.count)" }
        }
    }

    // MARK: - The card sheet's part

    /// What is asked now, and how it is answered.
    private func questionLines(_ conductor: StudyConductor) -> [String] {
        guard let run = conductor.session.run, let step = run.current else { return [] }
        let number = conductor.cards.number(task: run.opened.task.key, step: step.key) ?? 0
        return [language(DemoPhrases.card, "\(number)", run.currentText ?? step.text) + options(step)] + how(step)
    }

    private func options(_ step: Step) -> String {
        guard case .choice(let choice) = step.format else { return "" }
        return "  [" + choice.options.map(\.text).joined(separator: " | ") + "]"
    }

    private func how(_ step: Step) -> [String] {
        guard explains, case .asked(_, let answered) = PanelSupport(step, on: panel, in: language) else { return [] }
        return ["         (\(answered))"]
    }

    // MARK: - What happens

    private mutating func narrate(_ effect: StudyConductor.Effect, _ snapshot: AgentSnapshot, isNewQuestion: Bool)
        -> [String]
    {
        switch effect {
        case .device(.signal(let plan)): return narrate(plan, snapshot, isNewQuestion: isNewQuestion)
        case .device(.startRecording): return [language(DemoPhrases.recording)]
        case .device(.stopRecording): return [language(DemoPhrases.recorded)]
        case .note(.pressed(let edge)): record(edge, snapshot)
        case .note(.prompted(let occurrence)):
            if prompts.insert(occurrence.id).inserted { return ["prompt due: \(occurrence.id)"] }
        case .note(.submitted(let task, _, let submission)):
            lastPrompt = nil
            let answers = submission.order.compactMap { key in submission.answers[key].map { "\(key) = \(spell($0))" } }
            return ["submitted \(task): " + answers.joined(separator: ", ")]
        case .note(.runLeft(let task, _, let end)): return ["\(end) \(task)"]
        case .note(.concluded(let occurrence, let outcome)):
            return ["\(occurrence.id) \(outcome.name)" + (outcome.reason.map { " (\($0.rawValue))" } ?? "")]
        case .withdraw(_): return [language(DemoPhrases.leaves)]
        default: break
        }
        return []
    }

    /// Everything that a signal says, and what can be done about it; signs of life say nothing. Sets `rhythm`,
    /// `caption` and `complaint`.
    private mutating func narrate(_ plan: SignalPlan, _ snapshot: AgentSnapshot, isNewQuestion: Bool) -> [String] {
        let rhythms = plan.cues.map { $0.rhythm.description }.filter { !$0.isEmpty }
        rhythm = (rhythms.joined(separator: "   "), snapshot.now.monotonic + plan.duration)
        guard !plan.isLightOnly else { return [] }
        complaint = plan.cues.contains(.required) ? words(.required) : ""
        // The entry that is being made, in lines.
        let drawing = snapshot.conductor?.session.run?.drawing ?? []
        var lines: [String] = []
        var parts: [String] = []
        for cue in plan.cues {
            switch cue {
            case .prompt where cue == lastPrompt: parts.append(language(DemoPhrases.toldAgain))
            case .card(let number, let text, _):
                // A question that is asked now has its lines below.
                if !isNewQuestion { lines += cardLines(number, text, snapshot) }
            case .held(_, let gesture):
                lastPress = language(DemoPhrases.held, meaning(of: gesture, in: snapshot.conductor?.session))
            default:
                if case .prompt = cue { lastPrompt = cue }
                let words = self.words(cue, drawing)
                if !words.isEmpty, parts.last != words { parts.append(words) }
            }
        }
        if !parts.isEmpty {
            caption = Self.sentences(parts)
            lines.insert(caption, at: 0)
        }
        return lines + confirmationLines(plan.cues, snapshot.conductor?.session)
    }

    /// The words of a cue; for one part of an entry the whole entry, where that fits one line.
    private func words(_ cue: Cue, _ drawing: [String] = []) -> String {
        switch cue {
        case .alive, .recording, .delivered: return ""
        case .position, .value, .counted, .letter, .spelled:
            return drawing.count == 1 ? drawing[0] : cue.text(in: language)
        default: return cue.text(in: language)
        }
    }

    /// A part that ends a sentence by itself gets no second full stop.
    private static func sentences(_ parts: [String]) -> String {
        parts.dropFirst().reduce(parts.first ?? "") { text, part in
            text + (text.last.map { ".?!".contains($0) } ?? false ? " " : ". ") + part
        }
    }

    private func cardLines(_ number: Int, _ text: String, _ snapshot: AgentSnapshot) -> [String] {
        let step = snapshot.conductor?.cards.cards.first { $0.number == number }?.step
        let line = language(DemoPhrases.card, "\(number)", text)
        return [line + (step.map(options) ?? "")] + (step.map(how) ?? [])
    }

    /// Where the device itself asks ("leave?"): what its two answering presses would do.
    private func confirmationLines(_ cues: [Cue], _ session: PanelSession?) -> [String] {
        let asks = cues.contains { cue in
            switch cue {
            case .confirm, .leaveRun, .undoable: true
            default: false
            }
        }
        guard asks, let session, session.run?.hasEnded == false, let yes = panel.words(for: .select, in: language),
            let back = panel.words(for: .undo, in: language)
        else { return [] }
        return [
            "         (\(yes): \(session.meaning(of: .select).text(in: language)); \(back): \(session.meaning(of: .undo).text(in: language)))"
        ]
    }

    // MARK: - Presses

    private mutating func record(_ edge: ButtonEvent, _ snapshot: AgentSnapshot) {
        guard let session = before ?? snapshot.conductor?.session else { return }
        if edge.isPressed {
            pressed[edge.button] = (edge.time, session)
            lastPress = key(edge.button)
        } else if let (since, session) = pressed.removeValue(forKey: edge.button),
            panel.buttons.indices.contains(edge.button)
        {
            let table = panel.holdTables[edge.button]
            let held = edge.time - since
            let tenths = (held.milliseconds + 50) / 100
            let gesture = table.levels.isEmpty ? nil : table.levels[table.level(of: held)].gesture
            let meaning = gesture.map { self.meaning(of: $0, in: session) } ?? ""
            lastPress = "\(key(edge.button)), \(tenths / 10).\(tenths % 10) s" + (meaning.isEmpty ? "" : ": \(meaning)")
        }
    }

    private func key(_ button: Int) -> String {
        guard panel.buttons.indices.contains(button), keys.indices.contains(button) else { return "" }
        return "[\(keys[button])] \(panel.printedName(of: button, in: language))"
    }

    private func meaning(of gesture: Gesture, in session: PanelSession?) -> String {
        session?.meaning(of: gesture).text(in: language) ?? ""
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
