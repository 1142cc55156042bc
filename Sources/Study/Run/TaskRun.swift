// SPDX-License-Identifier: Apache-2.0
import Base

/// One task being answered on the panel. Pure: gestures and times go in, cues and the
/// record come out.
///
/// ```
///           ┌──────────── answered: next question ─────────────┐
///           ▼                                                  │
///  ───▶ asking ──────────── answered, none left ──▶ review ── select ──▶ ended(submitted)
///        │  ▲ ▲                                      │  ▲ └── other gestures: back to the last question
///        │  │ └──────────────────────────────────────┘  │ the only question: submitted after it was said back and the grace
///   menu │  │ previous question by undo                 │
///        ▼  │                                           │
///       menu ── leave the task ──▶ leaving ── select ──▶ ended(left)
///
///  asking, review, menu, leaving ── no press for long ──▶ reminder ── still none ──▶ ended(interrupted), or where something
///                                                                                was performed ended(submitted)
/// ```
/// There is no limit of the occurrence in here: a task that runs out while it is open may
/// still be submitted.
package struct TaskRun: Sendable {
    /// What a run is told.
    package enum Event: Sendable {
        /// `repeats` counts from 0, the press itself.
        case gesture(Gesture, repeats: Int)
        /// An edge, for the record.
        case edge(ButtonEvent)
        case tick
        /// The answer to `takePosition`.
        case position(latitude: Double, longitude: Double)
        case noPosition
        /// The answer to `takeReading`.
        case reading([Double]?)
        case recordingFailed, soundFailed
        /// The light of a stimulus was switched.
        case shown(ShownLight)
    }
    package enum Effect: Sendable {
        /// As one signal, which replaces the one before.
        case say([Cue])
        case device(DeviceEffect)
        /// To be kept, so that the task can go on after a restart.
        case progress(TaskProgress)
        case ended(RunRecord)
    }
    enum State: Sendable {
        case asking
        case review(grace: MonotonicTime?)
        case menu(Ring)
        case leaving, ended
    }

    /// The task with the order of this opening.
    package let opened: OpenedTask
    let panel: Panel
    let cards: CardIndex
    let words: Words
    let limits: RunLimits
    let id: String
    let now: LocalDateTime
    var navigator: Navigator
    var question: any QuestionMachine = InstructionStep()
    var state = State.asking
    /// One entry for each presentation of a step so far.
    package internal(set) var questions: [RunRecord.Question] = []
    var began = MonotonicTime.zero
    var lastPress = MonotonicTime.zero
    /// The section that is shown, and since when.
    var page: (section: Int, began: MonotonicTime)?
    var isReminded = false
    var isWarned = false
    var recordingEnds: MonotonicTime?
    /// What is recorded in the background.
    var recorders: RunRecorders
    /// A button held over from the question before repeats into nothing.
    var isFresh = true
    /// The hold has moved already, on a panel where the release means the step back: that one
    /// means nothing then.
    private var hasHoldMoved = false
    /// The step it begins with; nil = the first.
    private let beginning: String?
    /// Where the first performance goes on; taken by it.
    var progress: BrokenPerformance?
    private var lastPressEdge: ButtonEvent?
    /// The end of what was said back.
    private var toldUntil = MonotonicTime.zero
    /// The press was taken as it is: the gesture it goes on to make means nothing, unless it
    /// is the long hold.
    private var isPressTaken = false
    var cues: [Cue] = []
    var effects: [Effect] = []

    /// A run of `opened`. `id` is unique on the device, recordings are named after it; `now` is
    /// what the participant's wall clock shows. It begins with the step of the key `beginning`,
    /// where the task has one.
    package init(
        _ opened: OpenedTask, facts: StudyFacts, id: String, now: LocalDateTime, panel: Panel, cards: CardIndex,
        words: Words? = nil, limits: RunLimits = RunLimits(), progress: BrokenPerformance? = nil,
        beginning: String? = nil
    ) {
        self.beginning = beginning
        self.opened = opened
        self.id = id
        self.now = now
        self.panel = panel
        self.cards = cards
        self.words = words ?? Words(for: panel.language)
        self.limits = limits
        self.progress = progress
        navigator = Navigator(opened, facts: facts)
        recorders = RunRecorders(opened.task, run: id)
    }

    /// The step being asked, nil at the end.
    package var current: Step? {
        if case .asking = state { navigator.current } else { nil }
    }

    /// True where all is answered and only the last word is missing.
    package var isInReview: Bool {
        if case .review = state { true } else { false }
    }

    /// The place in the current question that was stepped to, as it was told; nil
    /// where there is none.
    package var standing: Cue? { if case .asking = state { question.standing } else { nil } }

    /// The numbers on the card of what is ticked in the current question.
    package var tickedNumbers: [Int] { if case .asking = state { question.tickedNumbers } else { [] } }

    /// What is entered or built so far in the current question, in lines for a board that is drawn.
    package var drawing: [String] { if case .asking = state { question.drawing(in: words) } else { [] } }

    /// True once a record was given out.
    package var hasEnded: Bool {
        if case .ended = state { true } else { false }
    }

    /// When `tick` next has something to do; kept, since to compute it from outside
    /// copies all of the run.
    package private(set) var wake: MonotonicTime?

    private var nextWake: MonotonicTime? {
        if case .ended = state { return nil }
        return earliest(ownWake, recorders.wake)
    }

    /// Of what the participant does, without the recorders in the background.
    var ownWake: MonotonicTime? {
        if let recordingEnds { return recordingEnds }
        if question.isUnderWay { return question.wake }
        var wake = lastPress + (isReminded ? limits.interruption : limits.reminder)
        if case .review(let grace?) = state { wake = min(wake, grace) }
        if let pageEnd { wake = min(wake, pageEnd) }
        if let end = questionEnd { wake = min(wake, isWarned ? end : end - limits.warning) }
        return wake
    }

    /// Begins with the first question. With `silently` nothing is told, because the
    /// prompt has told it.
    package mutating func start(at now: MonotonicTime, silently: Bool = false) -> [Effect] {
        (began, lastPress) = (now, now)
        go(navigator.start(at: beginning), at: now)
        if silently { cues = [] }
        return flush()
    }

    package mutating func handle(_ event: Event, at now: MonotonicTime) -> [Effect] {
        switch event {
        case _ where hasEnded: break
        case .edge(let edge):
            press(at: now)
            record(edge)
            if edge.isPressed { begin(press: edge) } else { renewGrace(at: edge) }
            if case .asking = state { perform(question.handle(.edge(edge)), at: now) }
        case .gesture(let gesture, let repeats):
            press(at: now)
            handle(gesture, repeats, at: now)
        case .position(let latitude, let longitude):
            perform(question.handle(.position(latitude: latitude, longitude: longitude)), at: now)
        case .noPosition: perform(question.handle(.noPosition), at: now)
        case .reading(let figures): perform(question.handle(.reading(figures)), at: now)
        case .recordingFailed:
            recordingEnds = nil
            perform(question.handle(.recordingFailed), at: now)
        case .soundFailed: if case .asking = state { perform(question.handle(.soundFailed), at: now) }
        case .shown(let light): if case .asking = state { perform(question.handle(.shown(light)), at: now) }
        case .tick: tick(at: now)
        }
        return flush()
    }

    mutating func flush() -> [Effect] {
        defer { (cues, effects) = ([], []) }
        wake = nextWake
        return (cues.isEmpty ? [] : [.say(cues)]) + effects
    }

    /// A release belongs to the question that its press answered, though the next one may
    /// be open already.
    private mutating func record(_ edge: ButtonEvent) {
        let pressed = questions.lastIndex { $0.presses.last { $0.button == edge.button }?.isPressed == true }
        let index = edge.isPressed ? questions.count - 1 : pressed ?? questions.count - 1
        if questions.indices.contains(index) { questions[index].presses.append(edge) }
    }

    /// Who holds a button wants something else than to submit.
    private static let longestPress: Duration = .seconds(30)

    /// A press that began in the review gives the whole time again.
    private mutating func renewGrace(at edge: ButtonEvent) {
        guard case .review(_?) = state else { return }
        state = .review(grace: max(edge.time, toldUntil) + limits.grace(panel.holdTimes))
    }

    private mutating func begin(press edge: ButtonEvent) {
        lastPressEdge = edge
        (isFresh, hasHoldMoved) = (true, false)
        if case .review(_?) = state { state = .review(grace: edge.time + Self.longestPress) }
        if case .asking = state { isPressTaken = question.takesPresses } else { isPressTaken = false }
    }

    mutating func press(at now: MonotonicTime) {
        lastPress = now
        isReminded = false
    }
}

extension TaskRun {
    private mutating func handle(_ gesture: Gesture, _ repeats: Int, at now: MonotonicTime) {
        if repeats == 0 { isFresh = true }
        guard isFresh, !isPressTaken || gesture == .menu && isLongHold(at: now) else { return }
        guard moves(repeats) else { return }
        switch (state, gesture) {
        case (.asking, .menu) where recordingEnds == nil:
            perform(question.handle(.interrupted), at: now)
            open(menuAt: 0)
        case (.asking, _): perform(question.handle(.gesture(gesture, repeats: repeats)), at: now)
        case (_, _) where repeats > 0: break
        case (.review, .select): end(.submitted, at: now)
        case (.review, .menu): open(menuAt: 0)
        case (.review, .cancel): break
        case (.review, _): goBack(at: now)
        case (.menu(var ring), _) where ring.move(gesture): open(menuAt: ring.index)
        case (.menu(let ring), .select): choose(RunMenu.allCases[ring.index], at: now)
        case (.menu, .cancel), (.menu, .undo), (.menu, .menu): resume(at: now)
        case (.leaving, .select): end(.left, at: now)
        case (.leaving, _): open(menuAt: 0)
        default: break
        }
    }

    /// False where a hold of the stepping button means nothing: the question does not go by holds,
    /// or the hold has moved already.
    private mutating func moves(_ repeats: Int) -> Bool {
        guard panel.layout == .two else { return true }
        defer { hasHoldMoved = repeats > 0 && (hasHoldMoved || isWalkedByHolds) }
        return repeats > 0 ? isWalkedByHolds : !hasHoldMoved
    }

    private var isWalkedByHolds: Bool { if case .asking = state { question.isWalkedByHolds } else { false } }

    /// Where presses are taken as they are, only a long hold means the menu, whatever
    /// the button is for.
    private func isLongHold(at now: MonotonicTime) -> Bool {
        lastPressEdge.map { now - $0.time >= .seconds(2) } ?? false
    }
}

extension TaskRun {
    mutating func review(at now: MonotonicTime) {
        let asked = asked
        leaveStep(for: nil, at: now)
        isFresh = false
        guard asked.count == 1 else {
            state = .review(grace: nil)
            cues += [.confirm] + saidBack(asked)
            return
        }
        let answer = saidBack(asked)
        if answer.isEmpty || cues.last != answer.last { cues += answer }
        cues.append(.undoable(seconds: limits.graceSeconds(panel.holdTimes)))
        toldUntil = now + (Signals(panel, words: words).plan(cues)?.tellingTime ?? .zero)
        state = .review(grace: toldUntil + limits.grace(panel.holdTimes))
    }

    /// Questions that were told, in order; what is only read or looked at is none.
    var asked: [Step] {
        let steps = opened.task.content.steps.filter(\.format.isQuestion)
        var keys: Set<String> = []
        return questions.compactMap { question in
            keys.insert(question.step).inserted ? steps.first { $0.key == question.step } : nil
        }
    }

    /// The answers, each under its card where there are several.
    func saidBack(_ asked: [Step]) -> [Cue] {
        let told = asked.count > RunLimits.mostSaidBack ? Array(asked.suffix(1)) : asked
        return told.flatMap { step -> [Cue] in
            let answer = navigator.answers[step.key].map { step.format.kind.saidBack($0) } ?? [.leaveOut]
            guard asked.count > 1, !answer.isEmpty else { return answer }
            return [.card(cards.number(task: opened.task.key, step: step.key) ?? 0, text: "", parts: [])] + answer
        }
    }

    mutating func end(_ end: RunRecord.End, at now: MonotonicTime) {
        state = .ended
        recordingEnds = nil
        if end != .submitted { cues.append(.runLeft) }
        stop(recorders.end(at: now))
        effects.append(
            .ended(
                RunRecord(
                    opened: opened, end: end, answers: navigator.answers, questions: questions, began: began,
                    ended: now,
                    id: id, recorders: recorders.spans, continuation: end == .submitted ? navigator.continuation : nil))
        )
    }
}
