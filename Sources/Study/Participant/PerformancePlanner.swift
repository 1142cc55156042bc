// SPDX-License-Identifier: Apache-2.0
import Base

/// Plans the presses by which a scripted participant performs an active task: one at a time, since what comes next
/// depends on what the task does.
struct PerformancePlanner: Sendable {
    enum Next: Sendable {
        /// To be played now; nil = wait.
        case edges([ButtonEvent]?)
        /// The performance cannot be left out by the menu, as vigilance where its study forbids it: the whole run
        /// is left.
        case leaveRun
    }

    /// The active task that is being performed.
    private struct Performing: Sendable {
        /// Identifies the presentation of a step and its run: `<number of questions>/<when the run began>`.
        let presentation: String
        let wanted: Wanted
        /// The presses of the script were given out, for a strategy that is a list of presses.
        var isTyped = false
        /// How often the menu was opened to leave it out.
        var menus = 0
    }
    /// After the menu was opened so often to leave a performance out, its run is left.
    private static let mostMenus = 2

    private let finder: PressFinder
    private let panel: Panel
    /// Nil before the first active task; stays from one to the next.
    private var performing: Performing?

    init(_ panel: Panel) { (finder, self.panel) = (PressFinder(panel), panel) }

    func isBegun(_ run: TaskRun) -> Bool { performing?.presentation == Self.presentation(of: run) }

    mutating func begin(_ wanted: Wanted, in run: TaskRun) {
        performing = Performing(presentation: Self.presentation(of: run), wanted: wanted)
    }

    /// What is done next in the performance begun last.
    mutating func next(
        _ step: Step, _ run: TaskRun, at now: MonotonicTime, using generator: inout SplitMix64
    ) throws -> Next {
        guard case .perform(let strategy) = performing?.wanted else { return leaveOut(run, at: now) }
        if case .presses(let presses) = strategy { return .edges(try type(presses, step, run)) }
        guard let move = run.move(strategy, using: &generator) else {
            return strategy == .fail && !run.isUnderWay ? leaveOut(run, at: now) : .edges(nil)
        }
        return .edges(edges(move, at: now))
    }

    /// The press in the review or the menu. `next` opens the menu only to leave its step out; presses that are
    /// written down, or held while a step ends, may open it too: then the run goes on.
    func pressBetweenSteps(of run: TaskRun) -> Press {
        let leavesOut = isBegun(run) && performing?.isTyped == false
        return (leavesOut ? run.press(towards: .leaveOut) : nil) ?? Press(.select)
    }

    private static func presentation(of run: TaskRun) -> String { "\(run.questions.count)/\(run.began.nanoseconds)" }

    private func edges(_ move: PerformanceMove, at now: MonotonicTime) -> [ButtonEvent]? {
        let time = now + move.after
        switch move.target {
        case .gesture(let press): return finder.edges(press, at: time)
        case .button(let button): return PressFinder.edges(of: button, at: time, hold: .milliseconds(120))
        }
    }

    /// By the menu.
    private mutating func leaveOut(_ run: TaskRun, at now: MonotonicTime) -> Next {
        guard let press = run.press(towards: .leaveOut) else { return .edges(nil) }
        if press == Press(.menu) { performing?.menus += 1 }
        guard (performing?.menus ?? 0) <= Self.mostMenus else { return .leaveRun }
        return .edges(finder.edges(press, at: now + .milliseconds(400)))
    }

    /// All presses of the script at once; where they do not finish the task, its time limits do.
    private mutating func type(_ presses: [ScriptedPress], _ step: Step, _ run: TaskRun) throws -> [ButtonEvent]? {
        guard performing?.isTyped == false, let presented = run.questions.last?.presented else { return nil }
        performing?.isTyped = true
        let edges = try presses.flatMap { press in
            guard let button = panel.buttons.firstIndex(where: { $0.name == press.button }) else {
                throw ParticipantError.unfit(question: step.key, "the panel has no button '\(press.button)'")
            }
            return PressFinder.edges(of: button, at: presented + press.at, hold: press.hold)
        }
        return edges.sorted { $0.time < $1.time }
    }
}
