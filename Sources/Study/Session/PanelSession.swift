// SPDX-License-Identifier: Apache-2.0
import Base

/// What the panel is doing (idle, list, menu, an open task), and what each press and event does to it. Pure:
/// events with their times go in, effects come out.
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
///   └──▶ menu: back, prompts off/on, last message, pause, leave            idle
///                                              │ select
///                                              └──▶ leaving ── "yes" to every question ──▶ withdrawRequested
/// ```
/// Prompts wait in a queue; one that comes while the panel is in use is given when it is idle again.
/// `StudyConductor` calls `handle` for each event and does what the effects ask for: it answers `openTask` with
/// `.opened` or `.notOpened`, and `submitted` with `.stored`.
package struct PanelSession: Sendable {
    enum State: Sendable {
        case idle
        /// A prompt waits for the choice to take it up, put it off or decline it.
        case notNow(prompt: String, Ring)
        case list(Ring)
        /// `id` as in `openTask`; `quick` is the gesture that took up the prompt, where it also answers its only
        /// question.
        case opening(id: String, quick: Gesture?, since: MonotonicTime)
        case running(Boxed<TaskRun>)
        case saving(SubmittedRun, since: MonotonicTime)
        case menu(Ring)
        case leaving(LeavingDialogue)
    }

    package let panel: Panel
    let cards: CardIndex
    private let words: Words
    private let signals: Signals
    private let limits: SessionLimits
    /// What leaving the study does to the data at its server.
    private let withdrawal: WithdrawalRule
    private(set) var state = State.idle
    /// What can be done now, in the order in which it is said.
    private(set) var items: [ListItem] = []
    package private(set) var promptsAreOn: Bool
    private var prompts: PromptQueue
    /// The last message, and what is still to be said.
    private var messages = PanelMessages()
    private var presses: PressHistory
    private var status: PanelStatus
    /// An answer was stored, and nothing has been delivered since.
    private var owesDelivery = false
    /// Where the participant goes on, once what was submitted is stored.
    private var continuation: Continuation?
    /// What is said at the end of the present `handle`, as one signal.
    private var cues: [Cue] = []
    private var effects: [PanelEffect] = []

    /// A panel at rest, which speaks in these words; nil = in its own language.
    package init(
        _ panel: Panel, cards: CardIndex, limits: SessionLimits = SessionLimits(), promptsAreOn: Bool = true,
        withdrawal: WithdrawalRule = .keepsData, words: Words? = nil, isClockKnown: Bool = true,
        pause: Range<MonotonicTime>? = nil, at now: MonotonicTime
    ) {
        let words = words ?? Words(for: panel.language)
        self.words = words
        self.withdrawal = withdrawal
        self.panel = panel
        self.cards = cards
        self.limits = limits
        self.promptsAreOn = promptsAreOn
        prompts = PromptQueue(limits)
        signals = Signals(panel, words: words)
        presses = PressHistory(panel)
        status = PanelStatus(isClockKnown: isClockKnown, pause: pause, signEvery: limits.aliveInterval, at: now)
    }

    package var wake: MonotonicTime? {
        earliest(earliest(presses.recogniser.wake, stateWake), earliest(prompts.nextReturn, pauseEnd))
    }

    private var stateWake: MonotonicTime? {
        switch state {
        case .idle: earliest(prompts.nextSignal, status.nextSign)
        case .list, .menu, .leaving, .notNow: presses.last + limits.browsingTimeout
        case .opening(_, _, let since), .saving(_, let since): since + limits.replyTimeout
        case .running(let run): run.value.wake
        }
    }

    /// True while nothing is open on the panel.
    package var isIdle: Bool { if case .idle = state { true } else { false } }

    package var isRunning: Bool { if case .running = state { true } else { false } }

    package var isOpeningOrSaving: Bool {
        switch state {
        case .opening, .saving: true
        default: false
        }
    }

    package var run: TaskRun? { if case .running(let run) = state { run.value } else { nil } }

    package var isPaused: Bool { status.pause != nil }
    /// When the sensors' pause is over; nil while there is none.
    package var pauseEnd: MonotonicTime? { status.pause?.upperBound }

    var menu: [PanelMenu] { PanelMenu.allCases.filter { $0 != .pause || panel.pause != nil || isPaused } }

    /// The prompt a press would take up now.
    package var currentPrompt: PromptItem? { prompts.current }

    package var hasPrompt: Bool { currentPrompt != nil }

    /// All prompts that wait, those that were put off included.
    var waiting: [PromptQueue.Waiting] { prompts.all }

    /// The message that the menu says again; empty where there was none.
    var lastMessage: String { messages.last }

    package mutating func handle(_ event: PanelEvent, at now: MonotonicTime) -> [PanelEffect] {
        switch event {
        case .button(let edge): handle(edge, at: now)
        case .tick: tick(at: now)
        case .promptDue(let item, let putOffUntil): addPrompt(item, putOffUntil: putOffUntil, at: now)
        case .promptWithdrawn(let id): withdrawPrompt(id, at: now)
        case .promptRenewed(let id): prompts.remove(id)
        case .listItems(let items): replaceItems(items)
        case .opened(let task, let facts, let run, let clock): opened(task, facts, run, clock, at: now)
        case .resumed(let task, let facts, let run, let clock, let progress):
            resume(task, facts, run, clock, progress, at: now)
        case .notOpened: reportNotOpened(at: now)
        case .stored(let run): confirmSaved(run, at: now)
        case .delivered: if isIdle, !hasPrompt, takeDeliverySound(at: now) { cues.append(.delivered) }
        case .removable(let isRemovable, let isNews): setRemovable(isRemovable, isNews: isNews)
        case .fault(let fault): setFault(fault, at: now)
        case .recording(let isRecording): status.isRecording = isRecording
        case .clock(let isKnown): status.isClockKnown = isKnown
        case .device(let news): forward(.device(news), at: now)
        case .message(let text): messages.keep(text)
        case .news(let text): announce(text)
        }
        return takeEffects()
    }

    private mutating func takeEffects() -> [PanelEffect] {
        defer { (cues, effects) = ([], []) }
        return effects + (signals.plan(cues).map { [.device(.signal($0))] } ?? [])
    }

    // MARK: Presses and time

    private mutating func handle(_ edge: ButtonEvent, at now: MonotonicTime) {
        effects.append(.press(edge))
        let isMarker = panel.buttons.indices.contains(edge.button) && panel.buttons[edge.button].role == .marker
        presses.add(edge, isMarker: isMarker, at: now)
        if !isMarker { forward(.edge(edge), at: now) }
        recognise(presses.recogniser.handle(edge), at: now)
    }

    private mutating func recognise(_ recognised: [GestureRecogniser.Recognised], at now: MonotonicTime) {
        for item in recognised {
            switch item {
            case .held(let level, let gesture): cues.append(.held(level: level, gesture))
            case .gesture(let gesture, let repeats): handle(gesture, repeats, at: now)
            case .marked(let button, let time): mark(button, at: time)
            }
        }
    }

    /// Notes a press of an event marker. While a task is open, the press gives no signal, which would replace
    /// a light that is to be reacted to.
    private mutating func mark(_ button: Int, at time: MonotonicTime) {
        effects.append(.marked(button: button, at: time))
        if !isRunning { cues.append(.marked) }
    }

    private mutating func handle(_ gesture: Gesture, _ repeats: Int, at now: MonotonicTime) {
        if case .running = state { return forward(.gesture(gesture, repeats: repeats), at: now) }
        guard repeats == 0 else { return }
        switch state {
        case .idle: handleIdle(gesture, at: now)
        case .notNow(let id, var ring):
            if ring.move(gesture) { offerNotNow(id, ring) } else { chooseNotNow(id, ring, gesture, at: now) }
        case .list(var ring): if ring.move(gesture) { browse(ring) } else { chooseFromList(ring, gesture, at: now) }
        case .menu(var ring):
            if ring.move(gesture) { browseMenu(ring) } else { chooseFromMenu(ring, gesture, at: now) }
        case .leaving(let dialogue): continueLeaving(dialogue, gesture, at: now)
        case .opening, .saving, .running: break
        }
    }

    private mutating func tick(at now: MonotonicTime) {
        recognise(presses.recogniser.tick(at: now), at: now)
        if let pause = status.pause, pause.upperBound <= now { endPauseByTime(pause) }
        prompts.bringBack(at: now)
        guard let due = stateWake, due <= now else { return }
        switch state {
        case .idle: tickIdle(at: now)
        case .running: forward(.tick, at: now)
        case .list: leaveList(at: now)
        case .menu, .leaving: leaveMenu(at: now)
        case .notNow: becomeIdle(at: now)
        case .opening, .saving:
            cues.append(.fault(FaultPhrases.noReply))
            becomeIdle(at: now)
        }
    }

    // MARK: Idle

    /// A waiting prompt is signalled at once.
    private mutating func becomeIdle(at now: MonotonicTime) {
        continuation = nil
        state = .idle
        status.postponeSign(at: now)
        cues += messages.takePending(isRemovable: status.isRemovable)
        if cues.isEmpty, !hasPrompt { effects.append(.device(.stopSignals)) }
        // Three seconds leave time for what is being said now.
        prompts.signalCurrent(at: cues.isEmpty ? now : now + .seconds(3))
        announcePrompts(at: now)
    }

    /// A sign of life, or the light of a prompt that was signalled often enough, or of a fault;
    /// without a sound.
    private mutating func tickIdle(at now: MonotonicTime) {
        announcePrompts(at: now)
        guard let sign = status.takeSign(at: now) else { return }
        let cue = currentPrompt.map(cue)?.first ?? sign
        effects.append(.device(.signal(signals.plan(cue).lightOnly)))
    }

    private mutating func handleIdle(_ gesture: Gesture, at now: MonotonicTime) {
        switch (gesture, currentPrompt) {
        case (.menu, _): openMenu()
        case (.task(let key), _): open(key, quick: nil, at: now)
        case (.cancel, _): effects.append(.device(.stopSignals))
        case (_, nil):
            effects.append(.openList)
            browse(Ring(count: items.count))
        case (.undo, let prompt?): offerNotNow(prompt.id, Ring(count: NotNow.allCases.count, at: 1))
        case (_, let prompt?) where isAnswer(gesture, to: prompt): accept(prompt.id, quick: gesture, at: now)
        case (.previous, let prompt?): offerNotNow(prompt.id, Ring(count: NotNow.allCases.count, at: 1))
        case (_, let prompt?): accept(prompt.id, quick: nil, at: now)
        }
    }

    /// Says a message now if the panel is idle, else when it is idle again.
    private mutating func announce(_ text: String) {
        messages.keep(text)
        if isIdle { cues.append(.news(text)) } else { messages.announceLater(text) }
    }

    /// Whether a delivery is signalled. With a light, always; without one it would sound whenever a
    /// recording is delivered, also at night, so only for an answer that was given just before.
    private mutating func takeDeliverySound(at now: MonotonicTime) -> Bool {
        defer { owesDelivery = false }
        return !panel.leds.isEmpty || owesDelivery && now - presses.last <= limits.deliverySoundWindow
    }

    private mutating func setRemovable(_ isRemovable: Bool, isNews: Bool) {
        status.isRemovable = isRemovable
        guard isRemovable, isNews else { return }
        if isIdle, !hasPrompt { cues.append(.removable) } else { messages.announceRemovableLater() }
    }

    /// While one of these lasts, an answer that is being saved may never be stored.
    private static let storeFaults = [FaultPhrases.cannotStore, FaultPhrases.notAllStored].map { Cue.fault($0) }

    private mutating func setFault(_ fault: String?, at now: MonotonicTime) {
        guard let cue = status.setFault(fault) else { return }
        switch state {
        case .saving where Self.storeFaults.contains(cue):
            cues.append(cue)
            becomeIdle(at: now)
        case .idle: cues.append(cue)
        default: break
        }
    }

    // MARK: Prompts

    private mutating func addPrompt(_ prompt: PromptItem, putOffUntil: MonotonicTime?, at now: MonotonicTime) {
        guard promptsAreOn else { return }
        prompts.add(prompt, putOffUntil: putOffUntil, at: now)
        announcePrompts(at: now)
    }

    private mutating func withdrawPrompt(_ id: String, at now: MonotonicTime) {
        let wasCurrent = currentPrompt?.id == id
        prompts.remove(id)
        switch state {
        case .idle where wasCurrent: cues.append(.expired)
        case .notNow(id, _):
            cues.append(.expired)
            becomeIdle(at: now)
        default: break
        }
    }

    /// Signals the first prompt if its time has come and the panel is at rest.
    private mutating func announcePrompts(at now: MonotonicTime) {
        guard isIdle, let (item, isFirst) = prompts.takeDue(at: now) else { return }
        if isFirst {
            effects.append(.promptPresented(id: item.id))
            presses.notePrompt()
        }
        cues += cue(item)
        status.postponeSign(at: now)
    }

    private func cue(_ item: PromptItem) -> [Cue] {
        [.prompt(title: item.text.title, message: item.text.message)]
            + (item.quickCard.map { [.card($0, text: question(onCard: $0))] } ?? [])
    }

    private func question(onCard number: Int) -> String {
        cards.cards.first { $0.number == number }?.step.text ?? ""
    }

    /// Whether the press that takes up the prompt also answers its only question. Not if it began before
    /// the prompt's first signal: the question was not heard yet.
    private func isAnswer(_ gesture: Gesture, to prompt: PromptItem) -> Bool {
        guard prompt.quickCard != nil, prompts.wasCurrentSignalled, !presses.isEarly else { return false }
        return gesture == panel.layout.yes || gesture == panel.layout.no
    }

    private mutating func offerNotNow(_ id: String, _ ring: Ring) {
        state = .notNow(prompt: id, ring)
        cues.append(.menuItem(ring.index + 1, NotNow.allCases[ring.index].phrase))
    }

    private mutating func chooseNotNow(_ id: String, _ ring: Ring, _ gesture: Gesture, at now: MonotonicTime) {
        switch (gesture, NotNow.allCases[ring.index]) {
        case (.select, .takeUp): accept(id, quick: nil, at: now)
        case (.select, .putOff): putOff(id, at: now)
        case (.select, .decline):
            prompts.remove(id)
            effects.append(.decline(prompt: id))
            cues.append(.accepted)
            becomeIdle(at: now)
        case (.undo, _), (.cancel, _), (.menu, _): becomeIdle(at: now)
        default: break
        }
    }

    private mutating func accept(_ id: String, quick: Gesture?, at now: MonotonicTime) {
        prompts.remove(id)
        effects.append(.acceptPrompt(id: id))
        open(id, quick: quick, at: now)
    }

    private mutating func putOff(_ id: String, at now: MonotonicTime) {
        if prompts.putOff(id, at: now) {
            effects.append(.putOff(prompt: id))
            cues.append(.putOff)
        }
        becomeIdle(at: now)
    }

    // MARK: The list

    /// The list may change while it is open; the place is kept where it can be.
    private mutating func replaceItems(_ items: [ListItem]) {
        let old = self.items
        self.items = items
        guard case .list(let ring) = state, items != old else { return }
        let shown = old.indices.contains(ring.index) ? old[ring.index] : nil
        if let shown, let place = items.firstIndex(of: shown) {
            state = .list(Ring(count: items.count, at: place))
        } else {
            browse(Ring(count: items.count, at: ring.index))
        }
    }

    private mutating func browse(_ ring: Ring) {
        state = .list(ring)
        let item = items.indices.contains(ring.index) ? items[ring.index] : nil
        cues.append(item.map { .listItem(ring.index + 1, text: $0.name) } ?? .nothingOpen)
    }

    private mutating func chooseFromList(_ ring: Ring, _ gesture: Gesture, at now: MonotonicTime) {
        switch gesture {
        case .select where items.indices.contains(ring.index):
            effects.append(.leaveList)
            open(items[ring.index].id, quick: nil, at: now)
        case .select, .undo, .cancel: leaveList(at: now)
        case .menu:
            effects.append(.leaveList)
            openMenu()
        default: break
        }
    }

    private mutating func leaveList(at now: MonotonicTime) {
        effects.append(.leaveList)
        becomeIdle(at: now)
    }

    // MARK: The menu

    private mutating func openMenu() {
        effects.append(.openMenu)
        browseMenu(Ring(count: menu.count))
    }

    private mutating func browseMenu(_ ring: Ring) {
        state = .menu(ring)
        cues.append(.menuItem(ring.index + 1, menu[ring.index].phrase(promptsAreOn: promptsAreOn, isPaused: isPaused)))
    }

    private mutating func chooseFromMenu(_ ring: Ring, _ gesture: Gesture, at now: MonotonicTime) {
        switch (gesture, menu[ring.index]) {
        case (.select, .back):
            cues += status.cues
            leaveMenu(at: now)
        case (.undo, _), (.cancel, _), (.menu, _): leaveMenu(at: now)
        case (.select, .prompts): switchPrompts(at: now)
        case (.select, .message):
            cues.append(lastMessage.isEmpty || !panel.hasLoudspeaker ? .nothingOpen : .message(lastMessage))
        case (.select, .pause): switchSensors(at: now)
        case (.select, .leaveStudy): askLeaving(LeavingDialogue(withdrawal))
        default: break
        }
    }

    private mutating func leaveMenu(at now: MonotonicTime) {
        effects.append(.leaveMenu)
        becomeIdle(at: now)
    }

    private mutating func switchPrompts(at now: MonotonicTime) {
        promptsAreOn.toggle()
        if !promptsAreOn { prompts.removeAll() }
        effects.append(promptsAreOn ? .promptsOn : .promptsOff)
        cues.append(promptsAreOn ? .promptsOn : .promptsOff)
        leaveMenu(at: now)
    }

    private mutating func switchSensors(at now: MonotonicTime) {
        if let pause = status.pause {
            endPause(pause.lowerBound..<max(pause.lowerBound, now), byHand: true)
        } else {
            pauseSensors(at: now)
        }
        leaveMenu(at: now)
    }

    private mutating func pauseSensors(at now: MonotonicTime) {
        let span = now..<now + (panel.pause ?? .zero)
        status.pause = span
        effects.append(.pauseSensors(span))
        cues.append(.pauseBegins)
    }

    private mutating func endPause(_ span: Range<MonotonicTime>, byHand: Bool) {
        status.pause = nil
        effects.append(.resumeSensors(span, byHand: byHand))
        if isIdle || byHand { cues.append(.pauseEnds) } else { messages.announcePauseEndLater() }
    }

    /// The pause ends by itself. An open menu that then has no item for it begins again, unless the item it
    /// shows is still there.
    private mutating func endPauseByTime(_ span: Range<MonotonicTime>) {
        let old = menu
        endPause(span, byHand: false)
        guard case .menu(let ring) = state, menu != old else { return }
        if let place = menu.firstIndex(of: old[ring.index]) {
            state = .menu(Ring(count: menu.count, at: place))
        } else {
            browseMenu(Ring(count: menu.count))
        }
    }

    private mutating func askLeaving(_ dialogue: LeavingDialogue) {
        state = .leaving(dialogue)
        cues += dialogue.cues
    }

    private mutating func continueLeaving(_ dialogue: LeavingDialogue, _ gesture: Gesture, at now: MonotonicTime) {
        var dialogue = dialogue
        switch dialogue.handle(gesture) {
        case .asks: return askLeaving(dialogue)
        case .stays: cues.append(.undone)
        case .leaves(let deletesData):
            effects.append(.withdrawRequested(deletesData: deletesData))
            cues.append(.accepted)
        }
        leaveMenu(at: now)
    }

    // MARK: Runs

    private mutating func open(_ id: String, quick: Gesture?, at now: MonotonicTime) {
        state = .opening(id: id, quick: quick, since: now)
        effects.append(.openTask(id: id))
    }

    private mutating func opened(
        _ opened: OpenedTask, _ facts: StudyFacts, _ id: String, _ clock: LocalDateTime, at now: MonotonicTime
    ) {
        guard case .opening(_, let quick, _) = state else { return }
        let beginning = continuation.flatMap { $0.task == opened.task.key ? $0.start : nil } ?? .first
        continuation = nil
        var run = TaskRun(
            opened, facts: facts, id: id, now: clock, panel: panel, cards: cards, words: words, limits: limits.run,
            beginning: beginning)
        var wanted = run.start(at: now, silently: quick != nil, isHeld: presses.isHeld)
        if let quick {
            for edge in presses.edges { _ = run.handle(.edge(edge), at: now) }
            wanted += run.handle(.gesture(quick, repeats: 0), at: now)
        }
        state = .running(Boxed(run))
        perform(wanted, at: now)
    }

    private mutating func resume(
        _ opened: OpenedTask, _ facts: StudyFacts, _ id: String, _ clock: LocalDateTime,
        _ progress: [String: BrokenPerformance], at now: MonotonicTime
    ) {
        guard isIdle else { return }
        // What was read before the performance is not read again: it goes on at once.
        let performances = opened.sections.flatMap(\.steps).filter {
            if case .active = $0.format { true } else { false }
        }
        let isFirst = progress[BrokenRun.unnamed] != nil
        let performed = performances.first { isFirst || progress[$0.key] != nil } ?? performances.first
        var run = TaskRun(
            opened, facts: facts, id: id, now: clock, panel: panel, cards: cards, words: words, limits: limits.run,
            progress: progress, beginning: performed.map { RunStart.step($0.key) } ?? .first)
        let wanted = run.start(at: now, isHeld: presses.isHeld)
        state = .running(Boxed(run))
        perform(wanted, at: now)
    }

    private mutating func reportNotOpened(at now: MonotonicTime) {
        guard case .opening(let id, _, _) = state else { return }
        // A task's own button is pressed at any time, and not because something was due.
        cues.append(panel.button(.task(id)) == nil ? .expired : .nothingOpen)
        becomeIdle(at: now)
    }

    /// Says "saved" only for the run that the panel waits for; it may have given up on that one and be
    /// saving another.
    private mutating func confirmSaved(_ run: SubmittedRun, at now: MonotonicTime) {
        guard case .saving(let awaited, _) = state, awaited == run else { return }
        owesDelivery = true
        cues.append(.saved)
        // If that task cannot be opened now, `notOpened` says so.
        if let continuation, cards.cards.contains(where: { $0.task.key == continuation.task }) {
            return open(continuation.task, quick: nil, at: now)
        }
        becomeIdle(at: now)
    }

    /// Hands an event to the open run; without one it is dropped.
    private mutating func forward(_ event: TaskRun.Event, at now: MonotonicTime) {
        guard case .running(var run) = state else { return }
        // Gives up the reference in `state`: with two, the boxed run would be copied when it changes.
        state = .idle
        let wanted = run.value.handle(event, at: now)
        state = .running(run)
        perform(wanted, at: now)
    }

    private mutating func perform(_ wanted: [TaskRun.Effect], at now: MonotonicTime) {
        for effect in wanted {
            switch effect {
            case .say(let said): cues += said
            case .device(let device): effects.append(.device(device))
            case .progress(let progress): effects.append(.progress(progress))
            case .ended(let record): finishRun(record, at: now)
            }
        }
    }

    private mutating func finishRun(_ record: RunRecord, at now: MonotonicTime) {
        guard isRunning else { return }
        if record.end == .submitted {
            effects.append(.submitted(record))
            continuation = record.continuation
            state = .saving(SubmittedRun(task: record.opened.task.key, opening: record.opened.opening), since: now)
        } else {
            effects.append(.runLeft(record))
            becomeIdle(at: now)
        }
    }
}
