// SPDX-License-Identifier: Apache-2.0
import Base

/// A timed walk on the panel: a press where the way begins, a press where it ends. `ActiveTaskKind` asks its rules for it,
/// and `TaskRun` drives it.
///
/// ```
///          any button               any button, let go again; or the time limit
///  ready ────────────▶ walking ───────────────────────────────────────────────────▶ answered
///    ▲                    │ menu: the walk does not count
///    └────────────────────┘
/// ```
/// Both presses are timed by their first edges; whether the second one becomes the hold for
/// the menu is known when it is let go. ResearchKit's walk begins with the screen; here it begins
/// with a press, since the text is spoken before and a participant with the device at the belt has
/// to be ready.
struct TimedWalkStep: QuestionMachine {
    enum State: Sendable, Equatable {
        case ready
        /// Since the press `start`; `end` is the second press while it is down, since it may become
        /// the hold for the menu.
        case walking(start: ButtonEvent, end: ButtonEvent?)
        case over
    }

    /// A press sooner than this after the one that begins is the same press.
    private static let soonest: Duration = .seconds(1)

    private let rules: TimedWalkRules
    /// The button that a scripted participant presses.
    private let button: Int
    /// By button: what a hold of which length means.
    private let holds: [HoldTable]
    private var state = State.ready
    private var restarts = 0

    init(_ rules: TimedWalkRules, in context: QuestionContext) {
        self.rules = rules
        button = context.panel.targets.first ?? 0
        holds = context.panel.holdTables
    }

    mutating func begin() -> [QuestionEffect] { [.say(.menuItem(1, GamePhrases.pressToBegin))] }

    mutating func handle(_ event: QuestionEvent) -> [QuestionEffect] {
        switch event {
        case .edge(let edge): edge.isPressed ? press(edge) : release(edge)
        case .tick(let now): tick(at: now)
        case .interrupted: interrupted()
        case .resumed: state == .ready ? begin() : []
        default: []
        }
    }

    var wake: MonotonicTime? {
        guard case .walking(let start, nil) = state else { return nil }
        return start.time + rules.timeLimit + TimedStimulus.delivery
    }

    var isUnderWay: Bool { if case .walking = state { true } else { false } }
    var takesPresses: Bool { state != .over }
    func press(towards wanted: Wanted) -> Press? { nil }

    private mutating func press(_ edge: ButtonEvent) -> [QuestionEffect] {
        switch state {
        case .ready:
            state = .walking(start: edge, end: nil)
            return [.device(.stopPlaying), .say(.recordingStarted)]
        case .walking(let start, nil) where edge.time - start.time >= Self.soonest:
            state = .walking(start: start, end: edge)
            return []
        // The release of the second press was lost, or another button is pressed meanwhile.
        case .walking(let start, let end?): return finish(start.time, at: end.time)
        default: return []
        }
    }

    /// The hold for the menu neither ends a walk nor begins one.
    private mutating func release(_ edge: ButtonEvent) -> [QuestionEffect] {
        guard case .walking(let start, let second) = state else { return [] }
        let press = second ?? start
        guard press.button == edge.button else { return [] }
        let isMenu = opensMenu(edge.button, held: edge.time - press.time)
        guard let end = second else {
            if isMenu { state = .ready }
            return []
        }
        guard isMenu else { return finish(start.time, at: end.time) }
        state = .walking(start: start, end: nil)
        return []
    }

    private func opensMenu(_ button: Int, held: Duration) -> Bool {
        guard holds.indices.contains(button) else { return false }
        let level = holds[button].level(of: held)
        return holds[button].levels.indices.contains(level)
            && [.menu, .cancel].contains(holds[button].levels[level].gesture)
    }

    /// A press within the limit may be delivered a little later than the limit is over.
    private mutating func tick(at now: MonotonicTime) -> [QuestionEffect] {
        guard case .walking(let start, nil) = state, let wake, wake <= now else { return [] }
        return finish(start.time, at: now)
    }

    private mutating func finish(_ since: MonotonicTime, at time: MonotonicTime) -> [QuestionEffect] {
        state = .over
        let walked = time - since
        let record = TimedWalkRecord(
            distanceInMeters: rules.distanceInMeters, timeLimit: rules.timeLimit,
            duration: min(walked, rules.timeLimit), uptime: since - .zero, isFinished: walked <= rules.timeLimit,
            restarts: restarts)
        return [.say(record.isFinished ? .recordingStopped : .expired), .performed(record)]
    }

    private mutating func interrupted() -> [QuestionEffect] {
        if case .walking = state { (state, restarts) = (.ready, restarts + 1) }
        return []
    }
}

extension TimedWalkStep {
    /// The next press of a scripted participant: perfect walks 1.25 m a second, random half to one and a half
    /// times as fast; fail never arrives.
    func move(_ strategy: PerformanceStrategy, using generator: inout SplitMix64) -> PerformanceMove? {
        switch (state, strategy) {
        case (.ready, _): PerformanceMove(.button(button), after: .seconds(1))
        case (.walking, .fail), (.over, _): nil
        case (.walking, .random): arrival(atSpeed: 1.25 * Double(50 + generator.below(100)) / 100)
        case (.walking, _): arrival(atSpeed: 1.25)
        }
    }

    private func arrival(atSpeed speed: Double) -> PerformanceMove? {
        let time = Duration.milliseconds(Int64(rules.distanceInMeters / speed * 1_000))
        return time < rules.timeLimit ? PerformanceMove(.button(button), after: max(time, Self.soonest)) : nil
    }

    func meaning(of gesture: Gesture) -> PanelMeaning? {
        guard [.next, .previous, .select].contains(gesture) else { return nil }
        switch state {
        case .ready: return .phrase(MeaningPhrases.start)
        case .walking: return .phrase(TimedWalkPhrases.arrived)
        case .over: return .nothing
        }
    }
}
