// SPDX-License-Identifier: Apache-2.0
import Base

/// One task being answered on the panel. Pure: gestures and times go in, cues and the record come out.
/// `PanelSession` calls `start` once, then `handle` for each event, and `.tick` at `wake`, until `.ended`.
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
/// The occurrence's own time limit does not count in here: a task that runs out while it is open may still be
/// submitted.
package struct TaskRun: Sendable {
    package enum Event: Sendable {
        /// `repeats` counts from 0, the press itself.
        case gesture(Gesture, repeats: Int)
        /// An edge, for the record.
        case edge(ButtonEvent)
        case tick
        case device(DeviceNews)
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
        /// `grace` = when it is submitted without a further press.
        case review(grace: MonotonicTime?)
        case menu(Ring)
        case leaving, ended
    }

    /// The task with the order of this opening.
    package let opened: OpenedTask
    let id: String
    let panel: Panel
    private let limits: RunLimits
    private let texts: RunTexts
    private let beginning: RunStart
    private(set) var state = State.asking
    /// The machine of the present step; a placeholder before `start`.
    private(set) var question: any QuestionMachine = InstructionStep()
    private var navigator: Navigator
    private var presented = RunQuestions()
    private var presses: RunPresses
    private var clock: RunClock
    /// What is recorded in the background.
    private(set) var recorders: RunRecorders
    /// Progress from before a restart, as in `BrokenRun`, for the performances of the run, which take it.
    private var progress: [String: BrokenPerformance]
    /// When the only answer of the run will have been said back; the grace before it is submitted begins then.
    private var saidUntil = MonotonicTime.zero
    /// What the call under way has to say and to do; `takeEffects` hands both out.
    private var cues: [Cue] = []
    private var effects: [Effect] = []
    /// When `tick` next has something to do; kept, since to compute it from outside
    /// copies all of the run.
    package private(set) var wake: MonotonicTime?

    /// A run of `opened`. `id` is unique on the device, recordings are named after it; `now` is
    /// what the participant's wall clock shows.
    package init(
        _ opened: OpenedTask, facts: StudyFacts, id: String, now: LocalDateTime, panel: Panel, cards: CardIndex,
        words: Words? = nil, limits: RunLimits = RunLimits(),
        progress: [String: BrokenPerformance] = [:],
        beginning: RunStart = .first
    ) {
        self.beginning = beginning
        self.opened = opened
        self.id = id
        self.panel = panel
        self.limits = limits
        self.progress = progress
        texts = RunTexts(opened, cards: cards, words: words ?? Words(for: panel.language))
        navigator = Navigator(opened, facts: facts)
        presses = RunPresses(panel.layout)
        clock = RunClock(limits, start: now)
        recorders = RunRecorders(opened.task, run: id)
    }

    /// One entry for each presentation of a step so far.
    package var questions: [RunRecord.Question] { presented.all }

    var answers: Answers { navigator.answers }

    var began: MonotonicTime { clock.began }

    private var isAsking: Bool { if case .asking = state { true } else { false } }

    /// The step being asked, nil at the end.
    package var current: Step? { isAsking ? navigator.current : nil }

    /// What is asked now, in the words of the file or with an earlier answer in
    /// them; nil at the end.
    package var currentText: String? { current.map { texts.text(of: $0, navigator.factsNow) } }

    /// True where all is answered and only the last word is missing.
    package var isInReview: Bool { if case .review = state { true } else { false } }

    /// The place in the current question that was stepped to, as it was said; nil where there is
    /// none.
    package var currentPlace: Cue? { isAsking ? question.currentPlace : nil }

    /// The numbers on the card of what is ticked in the current question.
    package var tickedNumbers: [Int] { isAsking ? question.tickedNumbers : [] }

    /// What is entered or built so far in the current question, in lines for a board that is drawn.
    package var drawing: [String] { isAsking ? question.drawing(in: texts.words) : [] }

    /// True once a record was given out.
    package var hasEnded: Bool { if case .ended = state { true } else { false } }

    /// What the wall clock showed when the present question was presented; nil before the first.
    var clockOfQuestion: LocalDateTime? { questions.last.map { clock.local(at: $0.presented) } }

    /// Whether passing over the current question is accepted: it need not be
    /// answered, or was before.
    var mayPassOver: Bool { current.map { navigator.answers[$0.key] != nil || mayBeEmpty($0) } ?? false }

    /// As `wake`, without the recorders in the background: of a recorded answer, the question, the review or
    /// the clock.
    private var ownWake: MonotonicTime? {
        if !clock.isRecording, question.isUnderWay { return question.wake }
        guard !clock.isRecording, case .review(let grace) = state else { return clock.wake(isAsking: isAsking) }
        return earliest(grace, clock.wake(isAsking: false))
    }

    /// Asks the first question. With `silently` nothing is said, because the prompt has said
    /// it; with `isHeld` a press is under way that answers nothing here.
    package mutating func start(at now: MonotonicTime, silently: Bool = false, isHeld: Bool = false) -> [Effect] {
        clock.begin(at: now)
        if isHeld { presses.noteHeld() }
        go(navigator.start(at: beginning), at: now)
        if silently { cues = [] }
        return takeEffects()
    }

    package mutating func handle(_ event: Event, at now: MonotonicTime) -> [Effect] {
        switch event {
        case _ where hasEnded: break
        case .edge(let edge): take(edge, at: now)
        case .gesture(let gesture, let repeats):
            clock.press(at: now)
            take(gesture, repeats, at: now)
        case .device(let news): take(news, at: now)
        case .tick: tick(at: now)
        }
        return takeEffects()
    }

    private mutating func takeEffects() -> [Effect] {
        defer { (cues, effects) = ([], []) }
        wake = hasEnded ? nil : earliest(ownWake, recorders.wake)
        return (cues.isEmpty ? [] : [.say(cues)]) + effects
    }

    // MARK: Presses

    /// While a button is held in the review nothing is submitted, for at most this long.
    private static let longestPress: Duration = .seconds(30)

    private mutating func take(_ edge: ButtonEvent, at now: MonotonicTime) {
        clock.press(at: now)
        presented.record(edge)
        if edge.isPressed {
            presses.begin(edge, isTaken: isAsking && question.takesPresses)
        } else {
            presses.release(edge)
        }
        if case .review(_?) = state {
            // A press in the review starts the grace again, from its release.
            let whole = max(edge.time, saidUntil) + limits.grace(panel.holdTimes)
            state = .review(grace: edge.isPressed ? edge.time + Self.longestPress : whole)
        }
        if isAsking { tell(.edge(edge), at: now) }
    }

    private mutating func take(_ gesture: Gesture, _ repeats: Int, at now: MonotonicTime) {
        let isWalkedByHolds = isAsking && question.isWalkedByHolds
        guard presses.take(gesture, repeats, isWalkedByHolds: isWalkedByHolds, at: now) else { return }
        switch (state, gesture) {
        case (.asking, .menu) where !clock.isRecording:
            tell(.interrupted, at: now)
            openMenu(at: 0)
        case (.asking, _): tell(.gesture(gesture, repeats: repeats), at: now)
        case (_, _) where repeats > 0: break
        case (.review, .select): end(.submitted, at: now)
        case (.review, .menu): openMenu(at: 0)
        case (.review, .cancel): break
        case (.review, _): goBack(at: now)
        case (.menu(var ring), _) where ring.move(gesture): openMenu(at: ring.index)
        case (.menu(let ring), .select): choose(RunMenu.allCases[ring.index], at: now)
        case (.menu, .cancel), (.menu, .undo), (.menu, .menu): resume(at: now)
        case (.leaving, .select): end(.left, at: now)
        case (.leaving, _): openMenu(at: 0)
        default: break
        }
    }

    // MARK: The menu

    private mutating func openMenu(at index: Int) {
        let ring = Ring(count: RunMenu.allCases.count, at: index)
        state = .menu(ring)
        cues.append(.menuItem(ring.index + 1, RunMenu.allCases[ring.index].phrase))
    }

    private mutating func choose(_ item: RunMenu, at now: MonotonicTime) {
        switch item {
        case .resume: resume(at: now)
        case .leaveOut where navigator.current != nil:
            state = .asking
            let last = question.handle(.gaveUp)
            guard last.isEmpty else { return perform(last, at: now) }
            leaveOut(keepingAnswer: false, at: now)
        case .leaveOut: resume(at: now)
        case .leaveTask:
            state = .leaving
            cues.append(.leaveRun)
        }
    }

    /// Back to where the menu was opened: the question with what was entered so far, or the review.
    private mutating func resume(at now: MonotonicTime) {
        guard let step = navigator.current else { return review(at: now) }
        guard step.format.isQuestion else { return ask(step, at: now) }
        state = .asking
        if case .active = step.format {
            // It got no ticks while the menu was open.
            tell(.tick(now), at: now)
            return tell(.resumed, at: now)
        }
        presses.openQuestion()
        readCard()
        if let place = question.currentPlace { cues.append(place) }
    }

    // MARK: Questions

    private mutating func take(_ news: DeviceNews, at now: MonotonicTime) {
        switch news {
        case .soundFailed, .shown: guard isAsking else { return }
        case .recordingFailed(let id):
            clock.stopRecording(id)
            if navigator.takeBack(.recording(id)) { return reportLostMemo(at: now) }
            let failed = question.handle(.device(news))
            if !failed.isEmpty { presses.openQuestion() }
            return perform(failed, at: now)
        case .position, .noPosition, .reading: break
        }
        tell(.device(news), at: now)
    }

    /// A spoken answer that was given could not be stored, and is removed: says so, and goes back from the
    /// review so that it can be given again.
    private mutating func reportLostMemo(at now: MonotonicTime) {
        cues.append(.fault(VoiceMemoPhrases.failed))
        if isInReview { goBack(at: now) }
    }

    private mutating func go(_ move: Navigator.Move, at now: MonotonicTime) {
        switch move {
        case .step(let step): ask(step, at: now)
        case .required(let step): requireAgain(step, at: now)
        case .finished: review(at: now)
        }
    }

    /// Presents a step: makes its machine, stops and starts recorders, and reads its card.
    private mutating func ask(_ step: Step, at now: MonotonicTime) {
        let (format, order) = texts.cardFormat(step)
        let number = texts.number(of: step)
        var broken: BrokenPerformance?
        if case .active = format { broken = takeProgress(of: step.key, at: now) }
        let context = QuestionContext(
            panel: panel, now: clock.local(at: now), recordingID: "\(id)-\(number)-\(questions.count + 1)",
            optionOrder: order, generator: opened.generator, time: now, progress: broken)
        question = format.kind.machine(in: context)
        leaveStep(for: step.key, at: now)
        presented.present(step.key, at: now)
        presses.openQuestion()
        state = .asking
        clock.openQuestion(mayBeLeftOut: navigator.mayBeLeftOut, at: now)
        if let section = navigator.section {
            clock.openSection(section, limit: opened.sections[section].limit, at: now)
        }
        readCard()
        let starting = recorders.present(step.key, at: now)
        if !starting.isEmpty { effects.append(.device(.startRecorders(starting))) }
        perform(question.begin(), at: now)
    }

    /// Rows without a step are older than those of the same count that name it.
    private mutating func takeProgress(of step: String, at now: MonotonicTime) -> BrokenPerformance? {
        let left = [BrokenRun.unnamed, step].compactMap { progress.removeValue(forKey: $0) }
        return left.last.map {
            BrokenPerformance(rows: left.flatMap(\.rows), off: $0.off.map { $0 + (now - began) })
        }
    }

    private mutating func readCard() {
        if let step = navigator.current { cues.append(texts.cue(for: step, navigator.factsNow)) }
    }

    private mutating func tell(_ event: QuestionEvent, at now: MonotonicTime) {
        perform(question.handle(event), at: now)
    }

    private mutating func perform(_ wanted: [QuestionEffect], at now: MonotonicTime) {
        for effect in wanted { perform(effect, at: now) }
    }

    private mutating func perform(_ effect: QuestionEffect, at now: MonotonicTime) {
        switch effect {
        case .say(let cue): cues.append(cue)
        case .repeatText: readCard()
        case .answered(let value): takeAnswer(value, at: now)
        case .timeOver: if let step = navigator.current { stop(recorders.leave(step.key, at: now)) }
        case .leftOut: leaveOut(keepingAnswer: true, at: now)
        case .back: goBack(at: now)
        case .device(let device): perform(device, at: now)
        case .progress(var progress):
            progress.step = navigator.current?.key
            effects.append(.progress(progress))
        }
    }

    private mutating func perform(_ effect: DeviceEffect, at now: MonotonicTime) {
        var effect = effect
        switch effect {
        case .remark(let words): effect = .remark("question \(navigator.current?.key ?? ""): \(words)")
        case .startRecording(let id): clock.startRecording(id, at: now)
        case .stopRecording(let id): clock.stopRecording(id)
        default: break
        }
        effects.append(.device(effect))
    }

    private mutating func takeAnswer(_ value: AnswerValue, at now: MonotonicTime) {
        guard let step = navigator.current else { return }
        if step.isRequired, value == .choices([]) || value == .cleared { return requireAgain(step, at: now) }
        presented.close(at: now)
        // Yes and no are given by one press, which may have been another than was meant; everything
        // else was said before it was chosen.
        if case .yesNo = step.format { cues += step.format.kind.saidBack(value) } else { cues.append(.accepted) }
        go(navigator.answer(value), at: now)
    }

    /// Passing over a question that was answered before keeps its answer; only the
    /// menu takes it away.
    private mutating func leaveOut(keepingAnswer: Bool, at now: MonotonicTime) {
        guard let step = navigator.current else { return }
        let kept = keepingAnswer ? navigator.answers[step.key] : nil
        guard kept != nil || mayBeEmpty(step) else { return requireAgain(step, at: now) }
        if !step.format.isQuestion || kept != nil { presented.close(at: now) }
        cues.append(.accepted)
        go(navigator.answer(kept), at: now)
    }

    private func mayBeEmpty(_ step: Step) -> Bool {
        !step.isRequired || !step.format.isQuestion || opened.presets.contains(step.key)
    }

    private mutating func requireAgain(_ step: Step, at now: MonotonicTime) {
        cues.append(.required)
        ask(step, at: now)
    }

    private mutating func goBack(at now: MonotonicTime) {
        guard let step = navigator.back() else { return cues.append(.refused) }
        cues.append(.undone)
        ask(step, at: now)
    }

    /// Stops the recorders that run up to the step presented last, unless that step is presented again.
    private mutating func leaveStep(for next: String?, at now: MonotonicTime) {
        if let last = questions.last?.step, last != next { stop(recorders.leave(last, at: now)) }
    }

    private mutating func stop(_ recordings: [String]) {
        if !recordings.isEmpty { effects.append(.device(.stopRecorders(recordings))) }
    }

    // MARK: Time

    private mutating func tick(at now: MonotonicTime) {
        stop(recorders.tick(at: now))
        if let ownWake, now < ownWake { return }
        if clock.isRecording {
            guard clock.isRecordingFull(at: now) else { return }
            // A press that was meant to stop the recording must not answer what comes next.
            presses.openQuestion()
            tell(.recordingFull, at: now)
            return clock.press(at: now)
        }
        if question.isUnderWay {
            tell(.tick(now), at: now)
            return clock.press(at: now)
        }
        if case .review(let grace?) = state, grace <= now { return end(.submitted, at: now) }
        for due in clock.takeDue(isAsking: isAsking, at: now) { perform(due, at: now) }
    }

    /// Does what a time limit of the run asks for.
    private mutating func perform(_ due: RunClock.Due, at now: MonotonicTime) {
        switch due {
        case .sectionOver:
            cues.append(.expired)
            go(navigator.leaveSection(), at: now)
        case .questionOver:
            cues.append(.expired)
            leaveOut(keepingAnswer: true, at: now)
        case .questionRunsOut: cues.append(.timeRunningOut)
        case .reminder: remind()
        case .interruption: interrupt(at: now)
        }
    }

    /// After a long time without a press: a run with a performance is submitted, though it was not
    /// confirmed; other runs are discarded.
    private mutating func interrupt(at now: MonotonicTime) {
        if case .active? = navigator.current?.format { tell(.gaveUp, at: now) }
        let isPerformed = navigator.answers.values.contains {
            if case .performance = $0 { true } else { false }
        }
        end(isPerformed ? .submitted : .interrupted, at: now)
    }

    private mutating func remind() {
        cues.append(.reminder)
        switch state {
        case .asking: readCard()
        case .leaving: cues.append(.leaveRun)
        default: cues += [.confirm] + saidBack
        }
    }

    // MARK: The end

    private var asked: [Step] { texts.asked(questions.map(\.step)) }
    private var saidBack: [Cue] { texts.saidBack(asked, navigator.answers) }

    /// All is answered. A run of several questions waits for `select`; that of a single one is submitted
    /// after the grace.
    private mutating func review(at now: MonotonicTime) {
        leaveStep(for: nil, at: now)
        presses.openQuestion()
        let answer = saidBack
        guard asked.count == 1 else {
            state = .review(grace: nil)
            cues += [.confirm] + answer
            return
        }
        if answer.isEmpty || cues.last != answer.last { cues += answer }
        cues.append(.undoable(seconds: limits.graceSeconds(panel.holdTimes)))
        saidUntil = now + (Signals(panel, words: texts.words).plan(cues)?.playingTime ?? .zero)
        state = .review(grace: saidUntil + limits.grace(panel.holdTimes))
    }

    private mutating func end(_ end: RunRecord.End, at now: MonotonicTime) {
        state = .ended
        if end != .submitted { cues.append(.runLeft) }
        stop(recorders.end(at: now))
        effects.append(
            .ended(
                RunRecord(
                    opened: opened, end: end, answers: navigator.answers, questions: questions, began: began,
                    ended: now, id: id, recorders: recorders.spans,
                    continuation: end == .submitted ? navigator.continuation : nil)))
    }
}
