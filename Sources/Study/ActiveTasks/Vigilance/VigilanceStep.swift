// SPDX-License-Identifier: Apache-2.0
import Base

/// The vigilance test on the panel: the light, and any button.
///
/// ```
///               any button                 3 s              all trials             select
///  instructions ──────────▶ countdown ─────────▶ testing ───────────────▶ results ─────────▶ answered
///   examples of the light       ▲                  │ menu, nobody there      (only where the study shows them)
///                               └── any button ── paused
/// ```
/// Buttons mean nothing but a press here; a button that is held down when the light goes on must be
/// let go and pressed again, as a finger on the screen must in the app. Where the study allows
/// leaving, the menu's "leave this question out" ends the test and what was measured is kept.
package struct VigilanceStep: QuestionMachine {
    enum State: Sendable {
        /// The light shows itself at that time; nil = no longer.
        case instructions(example: MonotonicTime?)
        case countdown(Int, at: MonotonicTime)
        case testing
        case paused
        case results(Ring)
    }

    /// From the telling of the instructions to the first example: the telling takes so long.
    private static let firstExample: Duration = .seconds(8)
    private static let exampleLength: Duration = .milliseconds(300)
    /// So long examples are shown; and so long a test goes on without a press.
    private static let patience: Duration = .seconds(300)
    /// A contact does not let go and close again by a finger within this time.
    static let bounce: Duration = .milliseconds(25)
    /// Lights in a row that did not go on.
    private static let mostDark = 3

    private let layout: Panel.Layout
    private let button: Int
    private let rules: VigilanceRules
    private var test: Vigilance
    private var state: State
    private var told: MonotonicTime
    private var released: [Int: MonotonicTime] = [:]
    private var dark = 0

    /// A test whose waiting times follow from the context's generator.
    package init(_ rules: VigilanceRules, in context: QuestionContext) {
        layout = context.panel.layout
        button = context.panel.targets.first ?? 0
        self.rules = rules
        test = Vigilance(rules, generator: context.generator)
        told = context.time
        state = .instructions(example: context.time + Self.firstExample)
    }

    /// Tells that any button begins.
    package mutating func begin() -> [QuestionEffect] { [.say(.menuItem(1, GamePhrases.pressToBegin))] }

    package mutating func handle(_ event: QuestionEvent) -> [QuestionEffect] {
        switch event {
        case .edge(let edge): edge.isPressed ? press(edge) : release(edge)
        case .device(.shown(let light)): verdict(test.shown(light)) + lightIsThere(light)
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
        case .countdown(_, let at): at
        case .testing: test.wake
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

    /// It is performed; only the results are answered.
    package func press(towards wanted: Wanted) -> Press? {
        if case .results = state { Press(.select) } else { nil }
    }

    private mutating func release(_ edge: ButtonEvent) -> [QuestionEffect] {
        released[edge.button] = edge.time
        return []
    }

    private mutating func press(_ edge: ButtonEvent) -> [QuestionEffect] {
        if let released = released[edge.button], edge.time - released < Self.bounce { return [] }
        told = edge.time
        switch state {
        case .instructions, .paused: return count(3, at: edge.time)
        case .countdown, .results: return []
        case .testing: return verdict(test.press(at: edge.time))
        }
    }

    private mutating func count(_ left: Int, at time: MonotonicTime) -> [QuestionEffect] {
        state = .countdown(left, at: time + .seconds(1))
        return [.device(.stopPlaying), .say(.position(String(left)))]
    }

    private mutating func tick(at now: MonotonicTime) -> [QuestionEffect] {
        switch state {
        case .instructions(let example?) where example <= now: return showExample(at: now)
        case .countdown(1, let at) where at <= now: return next(at: now)
        case .countdown(let left, let at) where at <= now: return count(left - 1, at: at)
        case .testing: return turn(test.tick(at: now), at: now)
        default: return []
        }
    }

    /// The light as it will be, again and again, until nobody can be there any more.
    private mutating func showExample(at now: MonotonicTime) -> [QuestionEffect] {
        let pause = rules.maximumWaiting + .seconds(2)
        state = .instructions(example: now - told < Self.patience ? now + max(pause, .seconds(4)) : nil)
        return [.say(.stimulus(nil, lasting: Self.exampleLength))]
    }

    private mutating func turn(_ turn: TimedStimulus.Turn?, at now: MonotonicTime) -> [QuestionEffect] {
        switch turn {
        case .light(let number): return [.say(.stimulus(number, lasting: rules.maximumReaction))]
        case .late: return [.say(.tooLate)]
        case .dark:
            dark += 1
            return dark < Self.mostDark ? next(at: now) : pause(.fault(VigilancePhrases.dark))
        case .next where test.isOver: return finish()
        case .next where now - told >= Self.patience: return pause(.menuItem(1, GamePhrases.pressToGoOn))
        case .next: return next(at: now)
        case nil: return []
        }
    }

    /// Dark and silent until the light.
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

    private mutating func lightIsThere(_ light: ShownLight) -> [QuestionEffect] {
        if light.isLit { dark = 0 }
        return []
    }

    private mutating func finish() -> [QuestionEffect] {
        guard rules.showsResults else { return answer(isLeft: false) }
        state = .results(Ring(count: test.trials.count))
        return [.say(.menuItem(1, VigilancePhrases.times)), .say(.value(result(0)))]
    }

    /// Nothing is under way any more: the run goes by its own clock.
    private mutating func answer(isLeft: Bool) -> [QuestionEffect] {
        state = .paused
        return [.answered(.performance(.vigilance(test.record(isLeft: isLeft))))]
    }
}

extension VigilanceStep {
    private func result(_ index: Int) -> String {
        test.trials.indices.contains(index) ? String(test.trials[index].value) : ""
    }

    private mutating func handle(_ gesture: Gesture) -> [QuestionEffect] {
        guard case .results(var ring) = state else { return [] }
        if ring.move(gesture) {
            state = .results(ring)
            return [.say(.value(result(ring.index)))]
        }
        return gesture == .select ? answer(isLeft: false) : []
    }

    private mutating func pause(_ cue: Cue) -> [QuestionEffect] {
        test.interrupt()
        (state, dark) = (.paused, 0)
        return [.say(cue)]
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

    /// Perfect reacts after a quarter of a second; fail alternates between too early and slow;
    /// random does anything.
    package func move(_ strategy: PerformanceStrategy, using generator: inout SplitMix64) -> PerformanceMove? {
        switch state {
        case .instructions, .paused: PerformanceMove(.button(button), after: .seconds(1))
        case .countdown: nil
        case .results: PerformanceMove(.gesture(Press(.select)))
        case .testing: react(strategy, &generator)
        }
    }

    private func react(_ strategy: PerformanceStrategy, _ generator: inout SplitMix64) -> PerformanceMove? {
        switch test.phase {
        case .waiting where wantsEarly(strategy, &generator):
            return PerformanceMove(.button(button), after: .milliseconds(50))
        case .lit:
            return PerformanceMove(.button(button), after: min(reaction(strategy, &generator), rules.maximumReaction))
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

    private func reaction(_ strategy: PerformanceStrategy, _ generator: inout SplitMix64) -> Duration {
        switch strategy {
        case .fail: .milliseconds(800)
        case .random: .milliseconds(150 + generator.below(900))
        default: .milliseconds(250)
        }
    }
}

extension VigilanceStep {
    package func meaning(of gesture: Gesture) -> PanelMeaning? {
        guard [.next, .previous, .select].contains(gesture) else { return nil }
        switch state {
        case .instructions, .paused: return .phrase(MeaningPhrases.start)
        case .countdown, .testing: return .phrase(GamePhrases.react)
        case .results: return nil
        }
    }
}
