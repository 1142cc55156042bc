// SPDX-License-Identifier: Apache-2.0
import Base

/// The panel as the participant has it in hand, from idle to idle. Pure: edges, times and news go
/// in, effects come out.
///
/// ```
///                 press, no prompt                 select
///  idle ────────────────────────────────▶ list ────────────────▶ opening ── opened ──▶ running
///   │ │ ▲                                  │ undo, 45 s             ▲ │ notOpened       │   │
///   │ │ └──────────────────────────────────┘                        │ ▼                 │   │ left,
///   │ │      press on a prompt: taken up; quick: answered too       │ idle              │   │ interrupted
///   │ ├─────────────────────────────────────────────────────────────┘       submitted   ▼   ▼
///   │ │      undo on a prompt                                            saving ◀───────┘  idle
///   │ └───────────▶ notNow: take it up, put off, decline ──▶ idle           │ stored
///   │ long hold                                                             ▼
///   └──▶ menu: back, prompts off/on, last message, leave the study         idle
///                                              │ select, then again on "yes": two questions
///                                              └──▶ leaving(1) ──▶ leaving(2) ──▶ withdrawRequested
///                                      where the study lets the participant say: └──▶ leaving(3), about the data ─┘
/// ```
/// Prompts wait in a queue; one that comes while the panel is in use is told when it is idle again.
package struct PanelSession: Sendable {
    struct Waiting: Sendable {
        let item: PromptItem
        var told = 0
        /// When it is told next; nil = only its light is shown with the signs of life.
        var nextTelling: MonotonicTime?
        var putOffUntil: MonotonicTime?
    }
    enum State: Sendable {
        case idle
        case notNow(String, Ring)
        case list(Ring)
        case opening(String, quick: Gesture?, since: MonotonicTime)
        case running(String, Boxed<TaskRun>)
        case saving(since: MonotonicTime)
        case menu(Ring)
        case leaving(stage: Int, Ring)
    }

    package let panel: Panel
    let signals: Signals
    let words: Words
    let cards: CardIndex
    let limits: SessionLimits
    private var recogniser: GestureRecogniser
    var state = State.idle
    var waiting: [Waiting] = []
    var items: [ListItem] = []
    var lastMessage = ""
    /// Messages that came while the panel was in use.
    private var untold: [String] = []
    var fault: String?
    var isRecording = false
    private var lastPress = MonotonicTime.zero
    /// The edges since the last press, for a run that this press opens and answers.
    var lastEdges: [ButtonEvent] = []
    var nextAlive: MonotonicTime
    /// Where the participant goes on, once what was submitted is stored.
    var continuation: Continuation?
    var cues: [Cue] = []
    var effects: [PanelEffect] = []
    package internal(set) var promptsAreOn: Bool

    /// What leaving the study does to the data at its server.
    let withdrawal: WithdrawalRule

    /// A panel at rest, which speaks in these words; nil = in its own language.
    package init(
        _ panel: Panel, cards: CardIndex, limits: SessionLimits = SessionLimits(), promptsAreOn: Bool = true,
        withdrawal: WithdrawalRule = .keepsData, words: Words? = nil, at now: MonotonicTime
    ) {
        let words = words ?? Words(for: panel.language)
        self.words = words
        self.withdrawal = withdrawal
        self.panel = panel
        self.cards = cards
        self.limits = limits
        self.promptsAreOn = promptsAreOn
        signals = Signals(panel, words: words)
        recogniser = GestureRecogniser(panel)
        nextAlive = now
    }

    /// When `.tick` next has something to do.
    package var wake: MonotonicTime? {
        earliest(earliest(recogniser.wake, stateWake), waiting.lazy.compactMap { $0.putOffUntil }.min())
    }

    /// True while nothing is open on the panel.
    package var isIdle: Bool {
        if case .idle = state { true } else { false }
    }

    package var isRunning: Bool {
        if case .running = state { true } else { false }
    }

    package var run: TaskRun? {
        if case .running(_, let run) = state { run.value } else { nil }
    }

    /// The prompt a press would take up now.
    package var currentPrompt: PromptItem? { current.map { waiting[$0].item } }

    /// One waits that a press would take up.
    package var hasPrompt: Bool { current != nil }

    private var current: Int? { waiting.firstIndex { $0.putOffUntil == nil } }

    package mutating func handle(_ event: PanelEvent, at now: MonotonicTime) -> [PanelEffect] {
        switch event {
        case .button(let edge): press(edge, at: now)
        case .tick: tick(at: now)
        case .promptDue(let item): promptDue(item, at: now)
        case .promptWithdrawn(let id): promptWithdrawn(id, at: now)
        case .promptRenewed(let id): waiting.removeAll { $0.item.id == id }
        case .listItems(let items): replace(items)
        case .opened(let task, let facts, let run, let clock): opened(task, facts, run, clock, at: now)
        case .resumed(let id, let task, let facts, let run, let clock, let progress):
            resume(id, task, facts, run, clock, progress, at: now)
        case .notOpened: notOpened(at: now)
        case .stored: stored(at: now)
        case .delivered: if isIdle, !hasPrompt { cues.append(.delivered) }
        case .fault(let fault): faultChanged(fault, at: now)
        case .recording(let isRecording): self.isRecording = isRecording
        case .recordingFailed: forward(.recordingFailed, at: now)
        case .soundFailed: forward(.soundFailed, at: now)
        case .shown(let light): forward(.shown(light), at: now)
        case .position(let latitude, let longitude):
            forward(.position(latitude: latitude, longitude: longitude), at: now)
        case .noPosition: forward(.noPosition, at: now)
        case .reading(let figures): forward(.reading(figures), at: now)
        case .message(let text): lastMessage = text
        case .news(let text): announceNews(text)
        }
        return flush()
    }

    private mutating func flush() -> [PanelEffect] {
        defer { (cues, effects) = ([], []) }
        return effects + (signals.plan(cues).map { [.device(.signal($0))] } ?? [])
    }

    /// Back to rest; a waiting prompt is told at once.
    mutating func rest(at now: MonotonicTime) {
        continuation = nil
        state = .idle
        nextAlive = now + limits.alive
        cues += untold.map(Cue.news)
        untold = []
        if cues.isEmpty, !hasPrompt { effects.append(.device(.stopSignals)) }
        guard let index = waiting.firstIndex(where: { $0.putOffUntil == nil }) else { return }
        // After what is being told now.
        waiting[index].nextTelling = cues.isEmpty ? now : now + .seconds(3)
        announcePrompts(at: now)
    }

    /// More than these wait for nobody: the oldest can still be read with `studyd messages`.
    private static let mostUntold = 8

    private mutating func announceNews(_ text: String) {
        lastMessage = text
        if isIdle { return cues.append(.news(text)) }
        untold = untold.suffix(Self.mostUntold - 1) + [text]
    }

    private mutating func press(_ edge: ButtonEvent, at now: MonotonicTime) {
        effects.append(.press(edge))
        lastPress = now
        lastEdges = edge.isPressed ? [edge] : lastEdges.suffix(7) + [edge]
        forward(.edge(edge), at: now)
        recognise(recogniser.handle(edge), at: now)
    }

    private mutating func recognise(_ recognised: [GestureRecogniser.Recognised], at now: MonotonicTime) {
        for case let item in recognised {
            switch item {
            case .held(let level, let gesture): cues.append(.held(level: level, gesture))
            case .gesture(let gesture, let repeats): handle(gesture, repeats, at: now)
            }
        }
    }

    private mutating func handle(_ gesture: Gesture, _ repeats: Int, at now: MonotonicTime) {
        if case .running = state { return forward(.gesture(gesture, repeats: repeats), at: now) }
        guard repeats == 0 else { return }
        switch state {
        case .idle: handleIdle(gesture, at: now)
        case .notNow(let id, let ring): handleNotNow(id, ring, gesture, at: now)
        case .list(let ring): handleInList(ring, gesture, at: now)
        case .menu(let ring): handleInMenu(ring, gesture, at: now)
        case .leaving(let stage, let ring): handleLeaving(stage, ring, gesture, at: now)
        case .opening, .saving, .running: break
        }
    }

    private var stateWake: MonotonicTime? {
        switch state {
        case .idle: earliest(current.flatMap { waiting[$0].nextTelling }, nextAlive)
        case .list, .menu, .leaving, .notNow: lastPress + limits.browsing
        case .opening(_, _, let since), .saving(let since): since + limits.answer
        case .running(_, let run): run.value.wake
        }
    }

    private mutating func tick(at now: MonotonicTime) {
        recognise(recogniser.tick(at: now), at: now)
        bringBack(at: now)
        guard let due = stateWake, due <= now else { return }
        switch state {
        case .idle: tickIdle(at: now)
        case .running: forward(.tick, at: now)
        case .list: leaveList(at: now)
        case .menu, .leaving: leaveMenu(at: now)
        case .notNow: rest(at: now)
        case .opening, .saving:
            cues.append(.fault(FaultPhrases.noReply))
            rest(at: now)
        }
    }

    private mutating func faultChanged(_ fault: String?, at now: MonotonicTime) {
        defer { self.fault = fault }
        // What is said in the same words is said once: which part it is stands in the log.
        guard let fault, self.fault.map(FaultPhrases.phrase) != FaultPhrases.phrase(for: fault) else { return }
        switch state {
        case .saving:
            cues.append(.fault(FaultPhrases.phrase(for: fault)))
            rest(at: now)
        case .idle: cues.append(.fault(FaultPhrases.phrase(for: fault)))
        default: break
        }
    }
}
