// SPDX-License-Identifier: Apache-2.0
import Base

/// The spatial span memory test on the buttons: each button is a target, lit and sounded in turn.
/// `ActiveTaskKind` asks its rules for it, and `TaskRun` drives it.
///
/// ```
///              each pressed once            press             “watch”, one period, a target each      one period after
///  practising ──────────────────▶ between ───────▶ showing ──────────────────────────▶ showing ────────────────────▶ asking
///                                    ▲                │ menu                                                           │ won, lost,
///                                    └────────────────┴────────────────────────────────────────────────────────────────┘ late
///                                                                    no game left ──▶ answered
/// ```
/// In the practice each button answers with its signal, the one that the games use. A game during
/// which the menu was opened is thrown away, and its span comes again. A press that is held until it
/// opens the menu is no touch (`HeldPresses`). ResearchKit has no practice: its screen shows the targets.
package struct SpatialSpanStep: QuestionMachine {
    private enum State: Sendable, Hashable {
        /// Buttons that were not tried yet.
        case practising(Set<Int>)
        /// Waits for the press that begins the next game.
        case between
        /// The target at this index of the sequence is shown at `at`; past the last index, answers begin.
        case showing(Int, at: MonotonicTime)
        /// The participant gives the sequence back.
        case asking
    }

    private let board: SpanBoard
    /// All of the panel's buttons, by index; said in the practice.
    private let buttons: [Panel.Button]
    /// How long “watch” is said; no target is shown before its end.
    private let announcement: Duration
    private var test: SpatialSpan
    private var state: State
    private var presses: HeldPresses

    package init(_ rules: SpatialSpanRules, in context: QuestionContext) {
        board = SpanBoard(rules, on: context.panel)
        buttons = context.panel.buttons
        announcement = Signals(context.panel).plan(.watch).duration
        test = SpatialSpan(
            rules, buttons: board.all.count, longest: board.rules.maximumSpan, generator: context.generator)
        state = .practising(Set(board.all))
        presses = HeldPresses(context.panel)
    }

    package mutating func begin() -> [QuestionEffect] {
        if case .practising = state { return [.say(.menuItem(2, SpatialSpanPhrases.practice))] }
        return [.say(.menuItem(1, GamePhrases.pressToBegin))]
    }

    package mutating func handle(_ event: QuestionEvent) -> [QuestionEffect] {
        switch event {
        case .edge(let edge): return take(edge)
        case .tick(let now): return tick(at: now)
        case .interrupted:
            if isUnderWay { state = .between }
            presses.drop()
            test.interrupt()
            return []
        case .resumed: return begin()
        default: return []
        }
    }

    /// The next target while they are shown, the end of the time to answer while it asks, on the
    /// clock of the presses; nil between games.
    package var wake: MonotonicTime? {
        switch state {
        case .practising, .between: nil
        case .showing(_, let at): at
        // A press that is still down may have come in time, unless it opens the menu.
        case .asking: test.deadline.map { max($0, presses.menuTime ?? $0) }
        }
    }
    /// During a game, when the participant watches and presses nothing.
    package var isUnderWay: Bool {
        switch state {
        case .practising, .between: false
        case .showing, .asking: true
        }
    }
    /// Always: a button is its target, not a gesture.
    package var takesPresses: Bool { true }

    /// Nil: a scripted participant performs it by `move`, or leaves it out by the menu.
    package func press(towards wanted: Wanted) -> Press? { nil }

    private mutating func take(_ edge: ButtonEvent) -> [QuestionEffect] {
        guard state == .asking else { return edge.isPressed ? press(edge) : [] }
        return presses.take(edge).flatMap { state == .asking ? touch($0) : [] }
    }

    private mutating func press(_ edge: ButtonEvent) -> [QuestionEffect] {
        switch state {
        case .practising(let untried): return practise(edge.button, untried)
        case .between:
            test.begin()
            // As in ResearchKit the first target comes after one period; what announces it
            // is over by then.
            state = .showing(0, at: edge.time + announcement + test.rules.period)
            return [.say(.watch)]
        case .showing, .asking: return []
        }
    }

    private mutating func practise(_ button: Int, _ untried: Set<Int>) -> [QuestionEffect] {
        guard board.all.contains(button) else { return [.say(.refused)] }
        let signal: [QuestionEffect] = [
            .say(.target(button: button, board.sign(of: button))), .say(.button(buttons[button])),
        ]
        let left = untried.subtracting([button])
        state = left.isEmpty ? .between : .practising(left)
        return left.isEmpty ? signal + begin() : signal
    }

    /// The buttons of the targets of the game under way: `test` numbers its targets by their indices here.
    private var targets: [Int] { board.targets(span: test.sequence.count) }

    private mutating func touch(_ edge: ButtonEvent) -> [QuestionEffect] {
        if test.tick(at: edge.time) { return ended([.say(.lost)]) }
        switch test.touch(targets.firstIndex(of: edge.button) ?? -1, at: edge.time) {
        case .right: return [.say(.target(button: edge.button, board.sign(of: edge.button).brief))]
        case .won: return ended([.say(.won)])
        case .wrong: return ended([.say(.lost)])
        case .repeated, nil: return []
        }
    }

    private mutating func tick(at now: MonotonicTime) -> [QuestionEffect] {
        switch state {
        case .showing(let index, let at) where at <= now: return show(index, at: at)
        case .asking:
            // A press in time may be let go later.
            guard let wake, wake <= now, test.tick(at: now) else { return [] }
            return ended([.say(.lost)])
        default: return []
        }
    }

    private mutating func show(_ index: Int, at time: MonotonicTime) -> [QuestionEffect] {
        let shown = test.shown
        guard index < shown.count else {
            test.open(at: time)
            state = .asking
            return [.say(.yourTurn)]
        }
        state = .showing(index + 1, at: time + test.rules.period)
        let button = targets[shown[index]]
        return [.say(.target(button: button, board.sign(of: button)))]
    }

    private mutating func ended(_ effects: [QuestionEffect]) -> [QuestionEffect] {
        state = .between
        presses.drop()
        guard test.isOver else { return effects + begin() }
        return effects + [.performed(test.record)]
    }

    /// The next press of a scripted participant: perfect gives every sequence back; fail presses a wrong
    /// target; random presses any.
    package func move(_ strategy: PerformanceStrategy, using generator: inout SplitMix64) -> PerformanceMove? {
        switch state {
        case .practising(let untried): return untried.min().map { PerformanceMove(.button($0), after: .seconds(1)) }
        case .between: return board.all.first.map { PerformanceMove(.button($0), after: .seconds(1)) }
        case .showing: return nil
        case .asking: return PerformanceMove(.button(targets[target(strategy, &generator)]))
        }
    }

    private func target(_ strategy: PerformanceStrategy, _ generator: inout SplitMix64) -> Int {
        let right = test.sequence[test.given]
        let given = test.sequence.prefix(test.given)
        switch strategy {
        case .fail: return (0..<test.targets).first { $0 != right && !given.contains($0) } ?? right
        case .random: return generator.below(test.targets)
        default: return right
        }
    }
}

extension Panel {
    /// The buttons that are the targets of a span test: all but those bound to a task, and markers.
    var targets: [Int] {
        buttons.indices.filter { index in
            switch buttons[index].role {
            case .task, .marker: false
            default: true
            }
        }
    }
}

extension SpatialSpanStep {
    package func meaning(of gesture: Gesture) -> PanelMeaning? {
        guard [.next, .previous, .select].contains(gesture) else { return nil }
        switch state {
        case .practising: return .phrase(SpatialSpanPhrases.tryIt)
        case .between: return .phrase(MeaningPhrases.start)
        case .showing: return .nothing
        case .asking: return .phrase(SpatialSpanPhrases.target)
        }
    }
}
