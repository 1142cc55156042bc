// SPDX-License-Identifier: Apache-2.0
import Base

/// Reaction time or go/no-go on the panel: the light, and any button. `ActiveTaskKind` asks its rules for it, and `TaskRun`
/// drives it.
///
/// ```
///               any button             enough succeeded, or too many tried
///  instructions ──────────▶ testing ───────────────────────────────────────▶ answered
///   examples of the lights   ▲    │ menu, no answer
///                            └── paused
///                         any button
/// ```
/// A button that is held down when the light goes on must be let go and pressed again. A press that
/// becomes the hold for the menu pauses the test and gives no attempt; until that is known, no
/// attempt follows. When the menu leaves the question out, there is no result.
struct ReactionStep: QuestionMachine {
    enum State: Sendable {
        /// When the next example is shown, and which kind of light; nil = no more examples.
        case instructions(MonotonicTime?, StimulusSign)
        case testing
        /// Nothing goes on by itself: the menu was opened, the participant has left, or it is answered.
        case paused
    }

    /// How long an example is shown, and how long it is from one to the next.
    private static let example: (length: Duration, period: Duration) = (.seconds(1), .seconds(5))

    private let rules: any ReactionPlay
    private var test: ReactionTest
    private var state: State
    private var watch: StimulusWatch
    private var menuHold: MenuHold

    init(_ rules: any ReactionPlay, in context: QuestionContext) {
        self.rules = rules
        test = ReactionTest(rules.terms, hasNoGo: rules.hasNoGo, generator: context.generator)
        watch = StimulusWatch(context)
        menuHold = MenuHold(context.panel)
        state = .instructions(context.time + StimulusWatch.firstExample, rules.hasNoGo ? .go : .plain)
    }

    mutating func begin() -> [QuestionEffect] { [.say(.menuItem(1, GamePhrases.pressToBegin))] }

    mutating func handle(_ event: QuestionEvent) -> [QuestionEffect] {
        switch event {
        case .edge(let edge): return take(edge)
        case .device(.shown(let light)):
            watch.see(light)
            return feedback(test.shown(light))
        case .tick(let now): return tick(at: now)
        case .interrupted: return interrupted()
        case .resumed: return [.say(.menuItem(1, cue))]
        case .gesture(.cancel, 0): return repeatCueIfPaused()
        case .gaveUp:
            state = .paused
            return []
        default: return []
        }
    }

    /// The next light, result or example, on the clock of the presses.
    var wake: MonotonicTime? {
        switch state {
        case .instructions(let example, _): example
        case .testing: earliest(isSettling ? nil : test.wake, menuHold.wake)
        case .paused: nil
        }
    }

    /// While lights come by themselves: examples or test.
    var isUnderWay: Bool {
        switch state {
        case .instructions(let example, _): example != nil
        case .testing: true
        case .paused: false
        }
    }

    var takesPresses: Bool { true }
    func press(towards wanted: Wanted) -> Press? { nil }

    private var cue: Phrase {
        if case .instructions = state { GamePhrases.pressToBegin } else { GamePhrases.pressToGoOn }
    }

    /// The press that gave the last attempt may yet take it back.
    private var isSettling: Bool { menuHold.mayTakeBack(test.attempts.count) }

    private mutating func take(_ edge: ButtonEvent) -> [QuestionEffect] {
        pauseAtMenuHold(by: edge.time)
        menuHold.take(edge, results: test.attempts.count)
        return watch.take(edge) ? press(at: edge.time) : []
    }

    private mutating func press(at time: MonotonicTime) -> [QuestionEffect] {
        if case .testing = state { return feedback(test.press(at: time)) }
        return next(at: time)
    }

    private mutating func tick(at now: MonotonicTime) -> [QuestionEffect] {
        pauseAtMenuHold(by: now - TimedStimulus.delivery)
        switch state {
        case .instructions(let example?, let sign) where example <= now: return show(sign, at: now)
        case .testing where !isSettling: return present(test.tick(at: now), at: now)
        default: return []
        }
    }

    /// The lights as they will be, in turn, until the participant must have left.
    private mutating func show(_ sign: StimulusSign, at now: MonotonicTime) -> [QuestionEffect] {
        let following: StimulusSign = sign == .go ? .noGo : sign == .noGo ? .go : .plain
        state = .instructions(watch.isAbandoned(at: now) ? nil : now + Self.example.period, following)
        let light = QuestionEffect.say(.stimulus(nil, lasting: Self.example.length, sign))
        return switch sign {
        case .plain: [light]
        case .go: [light, .say(.say(ReactionPhrases.press))]
        case .noGo: [light, .say(.say(ReactionPhrases.doNotPress))]
        }
    }

    /// Does what a tick of the test has brought about.
    private mutating func present(_ turn: TimedStimulus.Turn?, at now: MonotonicTime) -> [QuestionEffect] {
        switch turn {
        case .light(let number):
            let sign: StimulusSign = rules.hasNoGo ? test.isGo ? .go : .noGo : .plain
            return [.say(.stimulus(number, lasting: rules.terms.timeout, sign))]
        // No press in time.
        case .late: return feedback(test.attempts.last?.outcome)
        // The light did not come on.
        case .dark: return goOn(watch.countDark(), at: now)
        case .next: return goOn(watch.continuation(isOver: test.isOver, at: now), at: now)
        case nil: return []
        }
    }

    private mutating func goOn(_ continuation: StimulusWatch.Continuation, at now: MonotonicTime) -> [QuestionEffect] {
        switch continuation {
        case .next: next(at: now)
        case .over: answer()
        case .paused(let cue): pause(cue)
        }
    }

    /// Begins an attempt: dark and silent until the light.
    private mutating func next(at time: MonotonicTime) -> [QuestionEffect] {
        state = .testing
        test.begin(at: time)
        return [.device(.stopPlaying), .say(.dark)]
    }

    private func feedback(_ outcome: ReactionAttempt.Outcome?) -> [QuestionEffect] {
        switch outcome {
        case .reacted:
            let response = test.attempts.last?.response ?? .zero
            return [.say(.reacted(Int(response.milliseconds)))]
        case .withheld: return [.say(.won)]
        case .falseAlarm: return [.say(.lost)]
        case .falseStart: return [.say(.tooEarly)]
        case .timeout: return [.say(.tooLate)]
        case nil: return []
        }
    }

    private mutating func pause(_ cue: Cue, keeping attempts: Int = .max) -> [QuestionEffect] {
        test.interrupt(keeping: attempts)
        watch.resetDarkCount()
        state = .paused
        return [.say(cue)]
    }

    /// What was measured since the press that has become the hold for the menu does not count.
    private mutating func pauseAtMenuHold(by time: MonotonicTime) {
        guard let attempts = menuHold.takeMenu(by: time), case .testing = state else { return }
        _ = pause(.dark, keeping: attempts)
    }

    /// After a hold longer than for the menu, which has paused the test.
    private func repeatCueIfPaused() -> [QuestionEffect] {
        if case .paused = state { [.say(.menuItem(1, cue))] } else { [] }
    }

    /// An attempt over which the menu was opened does not count.
    private mutating func interrupted() -> [QuestionEffect] {
        switch state {
        case .testing: _ = pause(.dark)
        case .instructions(_, let sign): state = .instructions(nil, sign)
        case .paused: break
        }
        return []
    }

    /// Answers. Paused, so that nothing is under way and the run's own time limits apply again.
    private mutating func answer() -> [QuestionEffect] {
        state = .paused
        return [.performed(rules.record(test.attempts, void: test.void))]
    }
}

extension ReactionStep {
    /// The next press of a scripted participant: perfect reacts after a quarter of a second; fail does every
    /// second attempt wrong; random does anything.
    func move(_ strategy: PerformanceStrategy, using generator: inout SplitMix64) -> PerformanceMove? {
        guard case .testing = state else { return PerformanceMove(.button(watch.button), after: .seconds(1)) }
        switch test.phase {
        case .waiting where test.isGo && errs(strategy, &generator):
            return PerformanceMove(.button(watch.button), after: .milliseconds(50))
        case .lit where test.isGo:
            return PerformanceMove(
                .button(watch.button), after: min(StimulusWatch.reaction(strategy, &generator), rules.terms.timeout))
        case .lit where errs(strategy, &generator):
            return PerformanceMove(.button(watch.button), after: StimulusWatch.reaction(strategy, &generator))
        default: return nil
        }
    }

    private func errs(_ strategy: PerformanceStrategy, _ generator: inout SplitMix64) -> Bool {
        switch strategy {
        case .fail: test.attempts.last?.succeeded ?? true
        case .random: generator.below(8) == 0
        default: false
        }
    }

    func meaning(of gesture: Gesture) -> PanelMeaning? {
        guard [.next, .previous, .select].contains(gesture) else { return nil }
        if case .testing = state { return .phrase(GamePhrases.react) }
        return .phrase(MeaningPhrases.start)
    }
}
