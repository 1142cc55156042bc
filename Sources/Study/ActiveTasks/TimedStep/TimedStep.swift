// SPDX-License-Identifier: Apache-2.0
import Base

/// A timed step on the panel: instructions are said at given seconds of it, and the taps on two buttons are
/// measured where the study asks for them (`rules.takesTaps`). `ActiveTaskKind` asks its rules for it, and `TaskRun` drives
/// it.
///
/// ```
///       select, a tap, or by itself               its time is over               select, or by itself
///  ───▶ waiting ─────────────────▶ running ─────────────────────────▶ over ──────────────────────────▶ answered
///                                   │  ▲                               ▲
///                      the menu     ▼  │ the menu is closed            │ left out by the menu: no answer
///                                 paused ──────────────────────────────┘
/// ```
/// Its time does not run while it is paused. Where taps are measured the first one begins it, at 0
/// s, as in Sage's apps. A tap counts from its press; a button that is already down when the time begins
/// makes no tap. A tap that is made before the end may be delivered a little later. On two buttons one of them
/// opens the menu: a press that is held so long is no tap, and the pause begins with it; if it began the step,
/// that waits again. While a tap may still become that hold (`MenuHold`) the step does not end. A hold that is
/// too long for the menu ends the pause, which does not count.
struct TimedStep: QuestionMachine {
    enum State: Sendable, Equatable {
        case waiting
        /// The moment from which its time counts, pauses taken out.
        case running(since: MonotonicTime)
        /// The menu is open, or a button is held as long as for it; `after` is how much of its time was over.
        case paused(after: Duration)
        case over
    }

    private let rules: TimedStepRules
    /// The numbers of the two buttons that are tapped; nil on a panel of one button.
    private let left: Int?
    private let right: Int?
    /// Of the two buttons alone; its results are `taps`.
    private var menuHold: MenuHold
    /// When the step was opened.
    private let presented: MonotonicTime
    /// What is said at which second, in time order.
    private let agenda: [(at: Duration, cue: Cue)]
    private var state = State.waiting
    /// How many items of the agenda were said.
    private var done = 0
    /// When it last started from the beginning; nil before.
    private var began: MonotonicTime?
    /// The time of the last tick or edge: gestures and the menu come without one.
    private var now: MonotonicTime
    private var pauses = 0
    private var taps: [TimedStepRecord.Tap] = []
    /// The index in `taps` of each button that is held.
    private var down: [Int: Int] = [:]

    init(_ rules: TimedStepRules, in context: QuestionContext) {
        self.rules = rules
        (left, right) = context.panel.tapButtons.map { ($0.left, $0.right) } ?? (nil, nil)
        menuHold = MenuHold(context.panel)
        presented = context.time
        now = context.time
        agenda = Self.agenda(rules, isSpoken: context.panel.hasLoudspeaker)
    }

    /// What is said, or sounded where nothing speaks, in time order; the signal of the end
    /// is not among it.
    private static func agenda(_ rules: TimedStepRules, isSpoken: Bool) -> [(at: Duration, cue: Cue)] {
        let lines = rules.lines.map { line in
            (at: line.at, cue: isSpoken ? Cue.message(line.text) : tone(line, of: rules))
        }
        let counted = max(0, min(rules.countedSeconds, Int(rules.duration.components.seconds)))
        let counts = (0..<counted).map { index in
            (at: rules.duration - .seconds(counted - index), cue: Cue.position(String(counted - index)))
        }
        return (lines + counts).enumerated().sorted {
            ($0.element.at, $0.offset) < ($1.element.at, $1.offset)
        }.map(\.element)
    }

    /// The signal of a line where nothing speaks. Instructions of the first half say what to do, those of the
    /// second half how long it still takes.
    private static func tone(_ line: TimedStepRules.Line, of rules: TimedStepRules) -> Cue {
        line.at >= rules.duration ? .recordingStopped : line.at * 2 >= rules.duration ? .timeRunningOut : .accepted
    }

    mutating func begin() -> [QuestionEffect] {
        if rules.takesTaps { return opening() + [.say(.say(TimedStepPhrases.tapToBegin))] }
        guard rules.beginsByItself else { return [.say(.say(TimedStepPhrases.selectToBegin))] }
        return start(at: presented)
    }

    /// Where a tap begins the step, what is to be said at its beginning is said before that tap.
    private mutating func opening() -> [QuestionEffect] {
        done = openingCount
        return agenda.prefix(done).map { .say($0.cue) }
    }

    private var openingCount: Int { agenda.prefix { $0.at == .zero }.count }

    mutating func handle(_ event: QuestionEvent) -> [QuestionEffect] {
        switch event {
        case .tick(let now): return tick(at: now)
        case .edge(let edge): return handle(edge)
        case .gesture(let gesture, 0): return handle(gesture)
        case .interrupted: return interrupted()
        case .resumed: return goOn()
        case .gaveUp: return gaveUp()
        default: return []
        }
    }

    var wake: MonotonicTime? {
        guard case .running(let since) = state else { return nil }
        let isDue = done < agenda.count && agenda[done].at < rules.duration
        return earliest(isDue ? since + agenda[done].at : over(since), decision)
    }

    /// While it runs: not while it waits for a press, is paused or is over.
    var isUnderWay: Bool { if case .running = state { true } else { false } }
    /// Where taps are measured a press means nothing else.
    var takesPresses: Bool { rules.takesTaps && (isUnderWay || state == .waiting) }

    func press(towards wanted: Wanted) -> Press? {
        isUnderWay || takesPresses || wanted == .leaveOut ? nil : Press(.select)
    }

    // MARK: - Time

    private mutating func start(at time: MonotonicTime) -> [QuestionEffect] {
        state = .running(since: time)
        began = time
        let signal: [QuestionEffect] = rules.signalsStart ? [.say(.recordingStarted)] : []
        return signal + tick(at: time)
    }

    private mutating func tick(at time: MonotonicTime) -> [QuestionEffect] {
        now = time
        pauseAtMenuHold(by: time - TimedStimulus.delivery)
        guard case .running(let since) = state else { return [] }
        var effects: [QuestionEffect] = []
        // What is due at the very end is said only when late taps have been waited for, too.
        while done < agenda.count, since + agenda[done].at <= time, agenda[done].at < rules.duration || isOver(since) {
            effects.append(.say(agenda[done].cue))
            done += 1
        }
        return isOver(since) ? effects + finish() : effects
    }

    /// How long it runs; longer than its duration by the time in which taps may still be delivered.
    private var end: Duration { rules.duration + (rules.takesTaps ? TimedStimulus.delivery : .zero) }

    /// When it is known whether a tap becomes the hold for the menu; nil where none can.
    private var decision: MonotonicTime? { menuHold.mayTakeBack(taps.count) ? menuHold.wake : nil }

    private func over(_ since: MonotonicTime) -> MonotonicTime { max(since + end, decision ?? since) }

    private func isOver(_ since: MonotonicTime) -> Bool { over(since) <= now }

    private mutating func finish() -> [QuestionEffect] {
        close(at: rules.duration)
        state = .over
        let signal: [QuestionEffect] = rules.signalsEnd ? [.say(.recordingStopped)] : []
        return signal
            + (rules.goesOnByItself ? [answer()] : [.timeOver, .say(.say(TimedStepPhrases.selectToGoOn))])
    }

    // MARK: - Presses

    private mutating func handle(_ gesture: Gesture) -> [QuestionEffect] {
        switch (state, gesture) {
        case (.waiting, .select): return start(at: now)
        case (.waiting, .undo): return [.back]
        case (.waiting, .next), (.waiting, .previous): return [.repeatText]
        case (.over, .select): return [answer()]
        case (.paused, .select), (.paused, .cancel): return goOn()
        default: return []
        }
    }

    private mutating func handle(_ edge: ButtonEvent) -> [QuestionEffect] {
        now = max(now, edge.time)
        guard rules.takesTaps else { return [] }
        pauseAtMenuHold(by: edge.time)
        if side(of: edge.button) != nil { menuHold.take(edge, results: taps.count) }
        var effects: [QuestionEffect] = []
        if state == .waiting, edge.isPressed, side(of: edge.button) != nil { effects = start(at: edge.time) }
        guard case .running(let since) = state else { return effects }
        let time = edge.time - since
        if edge.isPressed {
            guard time < rules.duration, let side = side(of: edge.button) else { return effects }
            down[edge.button] = taps.count
            taps.append(.init(at: time, side: side, held: .zero))
        } else if let index = down.removeValue(forKey: edge.button), taps.indices.contains(index) {
            taps[index].held = min(time, rules.duration) - taps[index].at
        }
        return effects
    }

    private func side(of button: Int) -> TimedStepRecord.Side? {
        button == left ? .left : button == right ? .right : nil
    }

    /// Ends the taps of buttons that are still held: they count as held until `end`.
    private mutating func close(at end: Duration) {
        for index in down.values where taps.indices.contains(index) { taps[index].held = end - taps[index].at }
        down = [:]
    }

    // MARK: - The menu

    private mutating func interrupted() -> [QuestionEffect] {
        if case .running(let since) = state { pause(after: min(max(now - since, .zero), rules.duration)) }
        if case .paused = state { pauses += 1 }
        return []
    }

    private mutating func pause(after elapsed: Duration) {
        close(at: elapsed)
        state = .paused(after: elapsed)
    }

    /// Takes back what came with and after the press that has become the hold for the menu.
    private mutating func pauseAtMenuHold(by time: MonotonicTime) {
        guard let hold = menuHold.takeMenu(by: time), isUnderWay, taps.indices.contains(hold), !isInTurn(taps[hold...])
        else { return }
        let elapsed = taps[hold].at
        taps.removeSubrange(hold...)
        if hold == 0 { return waitAgain() }
        done = min(done, agenda.prefix { $0.at < elapsed }.count)
        pause(after: elapsed)
    }

    /// To slow hands' bridge taps in quick turn look like a hold; no menu comes of them (`RunPresses`).
    private func isInTurn(_ taps: ArraySlice<TimedStepRecord.Tap>) -> Bool {
        guard let other = taps.firstIndex(where: { $0.side != taps.first?.side }) else { return false }
        return taps[other...].contains { $0.side == taps.first?.side }
    }

    /// The press that began it was none of its taps.
    private mutating func waitAgain() { (state, began, done, down) = (.waiting, nil, openingCount, [:]) }

    private mutating func goOn() -> [QuestionEffect] {
        guard case .paused(let elapsed) = state else { return [.repeatText] }
        if rules.restartsAfterPause {
            done = 0
            return start(at: now)
        }
        state = .running(since: now - elapsed)
        return rules.warnsOnPause ? [.say(.say(TimedStepPhrases.goesOn))] : []
    }

    /// A step that is over is kept. Before its end there is no answer: what was measured is no
    /// whole step.
    private mutating func gaveUp() -> [QuestionEffect] {
        if state == .over { return [answer()] }
        state = .over
        return []
    }

    private func answer() -> QuestionEffect {
        .performed(
            TimedStepRecord(
                uptime: (began ?? presented) - .zero, measured: rules.duration, pauses: pauses, isComplete: true,
                taps: taps))
    }
}

extension TimedStep {
    /// The next press of a scripted participant: perfect taps in turn, five times a second; random taps either
    /// button, about three times a second; fail taps the same button once a second.
    func move(_ strategy: PerformanceStrategy, using generator: inout SplitMix64) -> PerformanceMove? {
        if rules.takesTaps, state == .waiting, let left { return PerformanceMove(.button(left), after: .seconds(1)) }
        guard case .running = state else { return PerformanceMove(.gesture(Press(.select)), after: .seconds(1)) }
        guard rules.takesTaps, let left, let right else { return nil }
        let other = taps.last?.side == .left ? right : left
        switch strategy {
        case .fail: return PerformanceMove(.button(left), after: .seconds(1))
        case .random:
            return PerformanceMove(
                .button(generator.below(2) == 0 ? left : right), after: .milliseconds(200 + generator.below(300)))
        default: return PerformanceMove(.button(other), after: .milliseconds(200))
        }
    }

    func meaning(of gesture: Gesture) -> PanelMeaning? {
        if takesPresses, gesture == .next || gesture == .previous { return .phrase(TimedStepPhrases.tap) }
        switch (state, gesture) {
        case (.waiting, .select): return .phrase(MeaningPhrases.start)
        case (.waiting, .next), (.waiting, .previous): return .phrase(MeaningPhrases.again)
        case (.over, .select), (.paused, .select): return .phrase(MeaningPhrases.goOn)
        default: return nil
        }
    }
}

extension Panel {
    /// The two buttons that are tapped in turn; nil on a panel of one.
    var tapButtons: (left: Int, right: Int)? {
        let pair = layout == .two ? (button(.step), button(.choose)) : (button(.previous), button(.next))
        guard let left = pair.0, let right = pair.1 else { return nil }
        return (left, right)
    }
}
