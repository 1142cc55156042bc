// SPDX-License-Identifier: Apache-2.0
import StudyModel
import Times

/// The spatial span memory test on the buttons: each button is a target, lit, sounded or named in turn.
///
/// ```
///           press            one period, then a target each           one period after the last
///  between ───────▶ showing ──────────────────────────────▶ showing ──────────────────────────▶ asking
///     ▲                │ menu                                                                     │ won, lost, late
///     └────────────────┴──────────────────────────────────────────────────────────────────────────┘
///                                      no game left ──▶ answered
/// ```
/// A game over which the menu was opened is thrown away, and its span comes again.
public struct SpatialSpanStep: QuestionMachine {
    private enum State: Sendable, Hashable {
        case between
        case showing(Int, at: MonotonicTime)
        case asking
    }

    /// What is said of it besides what every step says.
    static let words = ["Press any button to begin", "Watch", "Your turn"]

    /// Buttons that are targets, by their number on the panel, in the order of the board file: row by row.
    private let buttons: [Int]
    private let names: [String]
    private var test: SpatialSpan
    private var state = State.between

    /// A test whose sequences follow from the context's generator.
    public init(_ rules: SpatialSpanRules, in context: QuestionContext) {
        buttons = context.panel.targets
        names = buttons.map { context.panel.buttons[$0].name }
        test = SpatialSpan(rules, buttons: buttons.count, generator: context.generator)
    }

    /// Tells that any button begins. No game is drawn before that press.
    public mutating func begin() -> [QuestionEffect] { [.tell(.menuItem(1, text: Self.words[0]))] }

    /// The arrows of the diagram; gestures mean nothing here.
    public mutating func handle(_ event: QuestionEvent) -> [QuestionEffect] {
        switch event {
        case .edge(let edge) where edge.isPressed: return press(edge)
        case .tick(let now): return tick(at: now)
        case .interrupted:
            test.interrupt()
            state = .between
            return []
        case .resumed: return begin()
        default: return []
        }
    }

    /// The next target while they are shown, the end of the time to answer while it asks, on the clock of the presses;
    /// nil between games.
    public var wake: MonotonicTime? {
        switch state {
        case .between: nil
        case .showing(_, let at): at
        case .asking: test.deadline
        }
    }
    /// During a game, when the participant watches and presses nothing.
    public var isUnderWay: Bool { state != .between }
    /// Always: a button stands for its target, not for a gesture.
    public var takesPresses: Bool { true }

    /// It is performed; the menu leaves it out.
    public func press(towards wanted: Wanted) -> Press? { nil }

    private mutating func press(_ edge: ButtonEvent) -> [QuestionEffect] {
        switch state {
        case .between:
            test.begin()
            state = .showing(0, at: edge.time + test.rules.period)
            return [.tell(.menuItem(2, text: Self.words[1]))]
        case .showing: return []
        case .asking:
            if test.tick(at: edge.time) { return ended([.tell(.lost)]) }
            return touch(edge)
        }
    }

    private mutating func touch(_ edge: ButtonEvent) -> [QuestionEffect] {
        let target = buttons.firstIndex(of: edge.button).flatMap { $0 < test.targets ? $0 : nil } ?? -1
        switch test.touch(target, at: edge.time) {
        case .right: return [.tell(lit(target, for: .milliseconds(180)))]
        case .won: return ended([.tell(.won)])
        case .wrong: return ended([.tell(.lost)])
        case .repeated, nil: return []
        }
    }

    private mutating func tick(at now: MonotonicTime) -> [QuestionEffect] {
        switch state {
        case .showing(let index, let at) where at <= now: return show(index, at: at)
        case .asking where test.tick(at: now): return ended([.tell(.lost)])
        default: return []
        }
    }

    private mutating func show(_ index: Int, at time: MonotonicTime) -> [QuestionEffect] {
        let shown = test.shown
        guard index < shown.count else {
            test.open(at: time)
            state = .asking
            return [.tell(.menuItem(3, text: Self.words[2]))]
        }
        state = .showing(index + 1, at: time + test.rules.period)
        return [.tell(lit(shown[index], for: test.rules.period / 2))]
    }

    private func lit(_ target: Int, for duration: Duration) -> Cue {
        .target(target, button: buttons[target], name: names[target], lasting: duration)
    }

    private mutating func ended(_ effects: [QuestionEffect]) -> [QuestionEffect] {
        guard test.isOver else {
            state = .between
            return effects + begin()
        }
        return effects + [.answered(.performance(.span(test.record)))]
    }

    /// Perfect gives every sequence back; fail presses a wrong target; random presses any.
    public func move(_ strategy: PerformanceStrategy, using generator: inout SplitMix64) -> PerformanceMove? {
        switch state {
        case .between: return PerformanceMove(.button(buttons[0]), after: .seconds(1))
        case .showing: return nil
        case .asking: return PerformanceMove(.button(buttons[target(strategy, &generator)]))
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
    /// The buttons that are the targets of a span test: all but those bound to a task.
    var targets: [Int] {
        buttons.indices.filter { index in if case .task = buttons[index].role { false } else { true } }
    }
}
