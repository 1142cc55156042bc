// SPDX-License-Identifier: Apache-2.0
import Base

/// The vigilance test on the panel: the light, and any button. `ActiveTaskKind` asks its rules for it, and `TaskRun` drives
/// it.
///
/// ```
///               any button                 3 s              all trials             select
///  instructions ──────────▶ countdown ─────────▶ testing ───────────────▶ results ─────────▶ answered
///   examples of the light       ▲                  │ menu, no answer         (only where the study shows them)
///                               └── any button ── paused
/// ```
/// Buttons mean nothing but a press here; a button that is held down when the light goes on must be
/// let go and pressed again, as a finger on the screen must in the app. A press that becomes the
/// hold for the menu pauses the test and gives no result; until that is known, no trial follows.
/// Where the study allows leaving, the menu's "leave this question out" ends the test and what was
/// measured is kept.
package struct VigilanceStep: QuestionMachine {
    enum State: Sendable {
        /// When the light is shown as an example next; nil = no more examples.
        case instructions(example: MonotonicTime?)
        case countdown(Int, at: MonotonicTime)
        case testing
        /// Nothing goes on by itself: the menu was opened, the participant has left, or it is answered.
        case paused
        /// The trials' results, walked through.
        case results(Ring)
    }

    private static let exampleLength: Duration = .milliseconds(300)

    private let rules: VigilanceRules
    private var test: Vigilance
    private var state: State
    private var watch: StimulusWatch
    private var menuHold: MenuHold

    package init(_ rules: VigilanceRules, in context: QuestionContext) {
        self.rules = rules
        test = Vigilance(rules, generator: context.generator)
        watch = StimulusWatch(context)
        menuHold = MenuHold(context.panel)
        state = .instructions(example: context.time + StimulusWatch.firstExample)
    }

    package mutating func begin() -> [QuestionEffect] { [.say(.menuItem(1, GamePhrases.pressToBegin))] }

    package mutating func handle(_ event: QuestionEvent) -> [QuestionEffect] {
        switch event {
        case .edge(let edge): take(edge)
        case .device(.shown(let light)): see(light)
        case .tick(let now): tick(at: now)
        case .gesture(let gesture, 0): handle(gesture)
        case .interrupted: interrupted()
        case .resumed: repeatCue()
        case .gaveUp: gaveUp()
        default: []
        }
    }

    /// The next light, result or count, on the clock of the presses.
    package var wake: MonotonicTime? {
        switch state {
        case .instructions(let example): example
        case .countdown(_, let at): earliest(at, menuHold.wake)
        case .testing: earliest(isSettling ? nil : test.wake, menuHold.wake)
        case .paused, .results: nil
        }
    }
    /// While the participant waits for the light.
    package var isUnderWay: Bool {
        switch state {
        case .instructions(let example): example != nil
        case .countdown, .testing: true
        case .paused, .results: false
        }
    }
    /// Until the results, which are walked through.
    package var takesPresses: Bool { if case .results = state { false } else { true } }

    /// The test is performed (`move`); only the results are answered by presses.
    package func press(towards wanted: Wanted) -> Press? {
        if case .results = state { Press(.select) } else { nil }
    }

    /// The press that gave the last result may yet take it back.
    private var isSettling: Bool { menuHold.mayTakeBack(test.trials.count) }

    private mutating func take(_ edge: ButtonEvent) -> [QuestionEffect] {
        pauseAtMenuHold(by: edge.time)
        menuHold.take(edge, results: test.trials.count)
        return watch.take(edge) ? press(at: edge.time) : []
    }

    private mutating func press(at time: MonotonicTime) -> [QuestionEffect] {
        switch state {
        case .instructions, .paused: return count(3, at: time)
        case .countdown, .results: return []
        case .testing: return verdict(test.press(at: time))
        }
    }

    /// The countdown shows `left`, for a second.
    private mutating func count(_ left: Int, at time: MonotonicTime) -> [QuestionEffect] {
        state = .countdown(left, at: time + .seconds(1))
        return [.device(.stopPlaying), .say(.position(String(left)))]
    }

    private mutating func tick(at now: MonotonicTime) -> [QuestionEffect] {
        pauseAtMenuHold(by: now - TimedStimulus.delivery)
        switch state {
        case .instructions(let example?) where example <= now: return showExample(at: now)
        case .countdown(1, let at) where at <= now: return next(at: now)
        case .countdown(let left, let at) where at <= now: return count(left - 1, at: at)
        case .testing where !isSettling: return present(test.tick(at: now), at: now)
        default: return []
        }
    }

    /// The light as it will be, again and again, until the participant must have left.
    private mutating func showExample(at now: MonotonicTime) -> [QuestionEffect] {
        let pause = rules.maximumWaiting + .seconds(2)
        state = .instructions(example: watch.isAbandoned(at: now) ? nil : now + max(pause, .seconds(4)))
        return [.say(.stimulus(nil, lasting: Self.exampleLength))]
    }

    private mutating func present(_ turn: TimedStimulus.Turn?, at now: MonotonicTime) -> [QuestionEffect] {
        switch turn {
        case .light(let number): return [.say(.stimulus(number, lasting: rules.maximumReaction))]
        case .late: return [.say(.tooLate)]
        case .dark: return goOn(watch.countDark(), at: now)
        case .next: return goOn(watch.continuation(isOver: test.isOver, at: now), at: now)
        case nil: return []
        }
    }

    private mutating func goOn(_ continuation: StimulusWatch.Continuation, at now: MonotonicTime) -> [QuestionEffect] {
        switch continuation {
        case .next: next(at: now)
        case .over: finish()
        case .paused(let cue): pause(cue)
        }
    }

    /// Begins a trial: dark and silent until the light.
    private mutating func next(at time: MonotonicTime) -> [QuestionEffect] {
        state = .testing
        test.begin(at: time)
        return [.device(.stopPlaying), .say(.dark)]
    }

    private func verdict(_ verdict: Vigilance.Verdict?) -> [QuestionEffect] {
        switch verdict {
        case .reacted(let milliseconds): [.say(.reacted(milliseconds))]
        case .tooEarly: [.say(.tooEarly)]
        case .tooLate: [.say(.tooLate)]
        case nil: []
        }
    }

    private mutating func see(_ light: ShownLight) -> [QuestionEffect] {
        watch.see(light)
        return verdict(test.shown(light))
    }

    private mutating func finish() -> [QuestionEffect] {
        guard rules.showsResults else { return answer(isLeft: false) }
        state = .results(Ring(count: test.trials.count))
        return [.say(.menuItem(1, VigilancePhrases.times)), .say(.value(result(0)))]
    }

    /// Answers. Paused, so that nothing is under way and the run's own time limits apply again.
    private mutating func answer(isLeft: Bool) -> [QuestionEffect] {
        state = .paused
        return [.performed(test.record(isLeft: isLeft))]
    }
}

extension VigilanceStep {
    private func result(_ index: Int) -> String {
        test.trials.indices.contains(index) ? String(test.trials[index].value) : ""
    }

    private mutating func handle(_ gesture: Gesture) -> [QuestionEffect] {
        // The hold was longer than for the menu, and has paused the test.
        if case .paused = state, gesture == .cancel { return repeatCue() }
        guard case .results(var ring) = state else { return [] }
        if ring.move(gesture) {
            state = .results(ring)
            return [.say(.value(result(ring.index)))]
        }
        return gesture == .select ? answer(isLeft: false) : []
    }

    private mutating func pause(_ cue: Cue, keeping trials: Int = .max) -> [QuestionEffect] {
        test.interrupt(keeping: trials)
        watch.resetDarkCount()
        state = .paused
        return [.say(cue)]
    }

    /// What was measured since the press that has become the hold for the menu does not count.
    private mutating func pauseAtMenuHold(by time: MonotonicTime) {
        guard let trials = menuHold.takeMenu(by: time) else { return }
        switch state {
        case .countdown, .testing: _ = pause(.dark, keeping: trials)
        case .instructions, .paused, .results: break
        }
    }

    /// A trial over which the menu was opened does not count.
    private mutating func interrupted() -> [QuestionEffect] {
        switch state {
        case .countdown, .testing: _ = pause(.dark)
        case .instructions: state = .instructions(example: nil)
        case .paused, .results: break
        }
        return []
    }

    private func repeatCue() -> [QuestionEffect] {
        switch state {
        case .results(let ring): [.say(.value(result(ring.index)))]
        case .instructions: [.say(.menuItem(1, GamePhrases.pressToBegin))]
        default: [.say(.menuItem(1, GamePhrases.pressToGoOn))]
        }
    }

    /// As by the app's exit button, which is there from the countdown on and only where the
    /// study allows it.
    private mutating func gaveUp() -> [QuestionEffect] {
        switch state {
        case .results: return answer(isLeft: false)
        case .paused where rules.allowsLeaving: return answer(isLeft: true)
        default: return [.say(.required)] + repeatCue()
        }
    }

    /// The next press of a scripted participant: perfect reacts after a quarter of a second; fail alternates
    /// between too early and slow; random does anything.
    package func move(_ strategy: PerformanceStrategy, using generator: inout SplitMix64) -> PerformanceMove? {
        switch state {
        case .instructions, .paused: PerformanceMove(.button(watch.button), after: .seconds(1))
        case .countdown: nil
        case .results: PerformanceMove(.gesture(Press(.select)))
        case .testing: react(strategy, &generator)
        }
    }

    private func react(_ strategy: PerformanceStrategy, _ generator: inout SplitMix64) -> PerformanceMove? {
        switch test.phase {
        case .waiting where wantsEarly(strategy, &generator):
            return PerformanceMove(.button(watch.button), after: .milliseconds(50))
        case .lit:
            return PerformanceMove(
                .button(watch.button), after: min(StimulusWatch.reaction(strategy, &generator), rules.maximumReaction))
        default: return nil
        }
    }

    private func wantsEarly(_ strategy: PerformanceStrategy, _ generator: inout SplitMix64) -> Bool {
        switch strategy {
        case .fail: test.trials.last?.value != VigilanceRecord.Trial.early
        case .random: generator.below(8) == 0
        default: false
        }
    }

    package func meaning(of gesture: Gesture) -> PanelMeaning? {
        guard [.next, .previous, .select].contains(gesture) else { return nil }
        switch state {
        case .instructions, .paused: return .phrase(MeaningPhrases.start)
        case .countdown, .testing: return .phrase(GamePhrases.react)
        case .results: return nil
        }
    }
}
