// SPDX-License-Identifier: Apache-2.0
import StudyModel
import Times

/// One task being answered on the panel. Pure: gestures and times go in, cues and the record come out.
///
/// ```
///           ┌──────────── answered: next question ─────────────┐
///           ▼                                                  │
///  ───▶ asking ──────────── answered, none left ──▶ review ── select ──▶ ended(submitted)
///        │  ▲ ▲                                      │  ▲ └── other gestures: back to the last question
///        │  │ └──────────────────────────────────────┘  │ the only question: submitted after the grace
///   menu │  │ previous question by undo                 │
///        ▼  │                                           │
///       menu ── leave the task ──▶ leaving ── select ──▶ ended(left)
///
///  asking, review, menu, leaving ── no press for long ──▶ reminder ── still none ──▶ ended(interrupted), or where something
///                                                                                was performed ended(submitted)
/// ```
/// There is no limit of the occurrence in here: a task that runs out while it is open may still be submitted.
public struct TaskRun: Sendable {
    /// What a run is told.
    public enum Event: Sendable {
        /// `repeats` counts from 0, the press itself.
        case gesture(Gesture, repeats: Int)
        /// An edge, for the record.
        case edge(ButtonEvent)
        case tick
        /// The answer to `takePosition`.
        case position(latitude: Double, longitude: Double)
        case noPosition
        case recordingFailed, soundFailed
        /// The light of a stimulus was switched.
        case shown(ShownLight)
    }
    /// What a run wants.
    public enum Effect: Sendable {
        /// As one signal, which replaces the one before.
        case tell([Cue])
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
    public let opened: OpenedTask
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
    public internal(set) var questions: [RunRecord.Question] = []
    var began = MonotonicTime.zero
    var lastPress = MonotonicTime.zero
    var isReminded = false
    var isWarned = false
    var recordingEnds: MonotonicTime?
    /// What is recorded in the background.
    var recorders: RunRecorders
    /// A button held over from the question before repeats into nothing.
    var isFresh = true
    /// The step it begins with; nil = the first.
    let beginning: String?
    /// Where the first performance goes on; taken by it.
    var progress: BrokenPerformance?
    var lastPressEdge: ButtonEvent?
    /// The press was taken as it is: the gesture it goes on to make means nothing, unless it is the long hold.
    var isPressTaken = false
    var cues: [Cue] = []
    var effects: [Effect] = []

    /// A run of `opened`. `id` is unique on the device, recordings are named after it; `now` is what the participant's wall
    /// clock shows. It begins with the step of the key `beginning`, where the task has one.
    public init(
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
    public var current: Step? {
        if case .asking = state { navigator.current } else { nil }
    }

    /// True where all is answered and only the last word is missing.
    public var isInReview: Bool {
        if case .review = state { true } else { false }
    }

    /// True once a record was given out.
    public var hasEnded: Bool {
        if case .ended = state { true } else { false }
    }

    /// When `tick` next has something to do.
    public var wake: MonotonicTime? {
        if case .ended = state { return nil }
        return [ownWake, recorders.wake].compactMap(\.self).min()
    }

    /// Of what the participant does, without the recorders in the background.
    var ownWake: MonotonicTime? {
        if let recordingEnds { return recordingEnds }
        if question.isUnderWay { return question.wake }
        var wake = lastPress + (isReminded ? limits.interruption : limits.reminder)
        if case .review(let grace?) = state { wake = min(wake, grace) }
        if let end = questionEnd { wake = min(wake, isWarned ? end : end - limits.warning) }
        return wake
    }

    /// Begins with the first question. With `silently` nothing is told, because the prompt has told it.
    public mutating func start(at now: MonotonicTime, silently: Bool = false) -> [Effect] {
        (began, lastPress) = (now, now)
        go(navigator.start(at: beginning), at: now)
        if silently { cues = [] }
        return flush()
    }

    /// The one entry.
    public mutating func handle(_ event: Event, at now: MonotonicTime) -> [Effect] {
        switch event {
        case _ where hasEnded: break
        case .edge(let edge):
            press(at: now)
            note(edge)
            if edge.isPressed { begin(press: edge) }
            if case .asking = state { perform(question.handle(.edge(edge)), at: now) }
        case .gesture(let gesture, let repeats):
            press(at: now)
            take(gesture, repeats, at: now)
        case .position(let latitude, let longitude):
            perform(question.handle(.position(latitude: latitude, longitude: longitude)), at: now)
        case .noPosition: perform(question.handle(.noPosition), at: now)
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
        return (cues.isEmpty ? [] : [.tell(cues)]) + effects
    }

    /// A release belongs to the question that its press answered, though the next one may be open already.
    private mutating func note(_ edge: ButtonEvent) {
        let pressed = questions.lastIndex { $0.presses.last { $0.button == edge.button }?.isPressed == true }
        let index = edge.isPressed ? questions.count - 1 : pressed ?? questions.count - 1
        if questions.indices.contains(index) { questions[index].presses.append(edge) }
    }

    private mutating func begin(press edge: ButtonEvent) {
        lastPressEdge = edge
        if case .asking = state { isPressTaken = question.takesPresses } else { isPressTaken = false }
    }

    mutating func press(at now: MonotonicTime) {
        lastPress = now
        isReminded = false
    }
}

extension TaskRun {
    mutating func take(_ gesture: Gesture, _ repeats: Int, at now: MonotonicTime) {
        if repeats == 0 { isFresh = true }
        guard isFresh, !isPressTaken || gesture == .menu && isLongHold(at: now) else { return }
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

    /// Where presses are taken as they are, only a long hold means the menu, whatever the button is for.
    private func isLongHold(at now: MonotonicTime) -> Bool {
        lastPressEdge.map { now - $0.time >= .seconds(2) } ?? false
    }
}

extension TaskRun {
    mutating func review(at now: MonotonicTime) {
        let steps = opened.sections.flatMap(\.steps)
        let isOnlyQuestion = steps.count == 1 && steps[0].format.isQuestion
        state = .review(grace: isOnlyQuestion ? now + limits.grace : nil)
        leaveStep(for: nil, at: now)
        isFresh = false
        if !isOnlyQuestion { cues.append(.confirm) }
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
