// SPDX-License-Identifier: Apache-2.0
import Agent
import Base
import Simulation
import Study
import Terminal

/// What a participant of the demo asks of the demo's loop, beside pressing buttons.
enum DemoWish: Sendable, Hashable {
    case nothing
    /// Presses are still being played.
    case busy
    /// The clock is to jump to the next prompt.
    case jump
    /// The clock is to jump to the next time of the task that is to be opened.
    case jumpTo(Instant)
    /// The task that is to be opened has no such time.
    case neverOpens
    case end
}

/// A participant of the demo: is asked twenty times a second what to do, and presses the simulated
/// buttons.
protocol DemoPlayer {
    /// The clock jumps to the next prompt whenever nothing is open.
    var jumpsByItself: Bool { get }
    /// Presses what is to be pressed now. `conductor` is nil while there is no enrolment.
    func play(_ conductor: StudyConductor?, at now: Moment) throws -> DemoWish
}

/// Presses the simulated buttons: the edges go through the pipe, the evdev code and the gestures.
struct DemoButtons {
    private let keys: SimulatedKeys?
    private let thread: SteppedThread?
    private let codes: [UInt16]
    /// The terminal's keys, in the order of the buttons.
    let names: [String]

    init(_ simulation: SimulatedBoard, board: BoardDescription) {
        keys = simulation.keys
        thread = simulation.keyThread
        codes = board.buttons.map { UInt16($0.code) }
        names = board.buttons.map(\.terminalKey)
    }

    func press(_ edges: [ButtonEvent]) {
        for edge in edges where codes.indices.contains(edge.button) {
            if edge.isPressed {
                keys?.hold(key: codes[edge.button], at: edge.time)
            } else {
                keys?.release(key: codes[edge.button], at: edge.time)
            }
        }
        thread?.wake()
    }

    func press(_ button: Int, at time: MonotonicTime, for duration: Duration) {
        press([
            ButtonEvent(button: button, isPressed: true, time: time),
            ButtonEvent(button: button, isPressed: false, time: time + duration),
        ])
    }
}

/// You: a key presses its button. Where the terminal tells when a key is let go the button is held
/// as long; elsewhere Shift, Alt and both hold it to its first, second and third step.
final class TerminalPlayer: DemoPlayer {
    private let terminal: RawTerminal
    private let buttons: DemoButtons
    private let keys: DemoKeys
    private let tables: [HoldTable]
    private let finder: PressFinder
    /// Buttons that are down because their keys are, and since when.
    private var down: [Int: MonotonicTime] = [:]
    /// The terminal tells when keys are let go.
    private(set) var tellsReleases = false
    /// Called when the screen has to be drawn again (Ctrl-L).
    var onRedraw: () -> Void = {}
    let jumpsByItself = false

    /// A key that is down for longer counts as released: its release was lost.
    private static let longest: Duration = .seconds(20)

    init(_ terminal: RawTerminal, buttons: DemoButtons, panel: Panel) {
        self.terminal = terminal
        self.buttons = buttons
        keys = DemoKeys(buttons: buttons.names)
        tables = panel.holdTables
        finder = PressFinder(panel)
    }

    func play(_ conductor: StudyConductor?, at now: Moment) -> DemoWish {
        var wish = DemoWish.nothing
        for input in terminal.readInputs() {
            switch input {
            case .tellsReleases(let tells): tellsReleases = tells
            case .key(let stroke):
                let wanted = play(stroke, at: now.monotonic)
                if wanted == .end { return .end }
                if wanted != .nothing { wish = wanted }
            }
        }
        for (button, since) in down where now.monotonic - since > Self.longest { letGo(button, at: now.monotonic) }
        return wish
    }

    private func play(_ stroke: KeyStroke, at now: MonotonicTime) -> DemoWish {
        if !stroke.hasControl, let button = keys.button(stroke.key) {
            press(button, stroke, at: now)
            return .nothing
        }
        guard stroke.kind == .press else { return .nothing }
        switch keys.purpose(stroke.key, hasControl: stroke.hasControl) {
        case .menu: buttons.press(finder.edges(Press(.menu), at: now) ?? [])
        case .jump: return .jump
        case .end: return .end
        case nil: if stroke == KeyStroke("l", hasControl: true) { onRedraw() }
        }
        return .nothing
    }

    private func press(_ button: Int, _ stroke: KeyStroke, at now: MonotonicTime) {
        guard tellsReleases else { return buttons.press(button, at: now, for: length(button, stroke)) }
        switch stroke.kind {
        case .press:
            guard down[button] == nil else { return }
            down[button] = now
            buttons.press([ButtonEvent(button: button, isPressed: true, time: now)])
        case .hold: break
        case .release: letGo(button, at: now)
        }
    }

    private func letGo(_ button: Int, at now: MonotonicTime) {
        guard down.removeValue(forKey: button) != nil else { return }
        buttons.press([ButtonEvent(button: button, isPressed: false, time: now)])
    }

    /// How long Shift (1), Alt (2) or both (3) hold a button: to the middle of that step of its hold table. A button
    /// without steps, which repeats while it is held, is held for a fixed time.
    private func length(_ button: Int, _ stroke: KeyStroke) -> Duration {
        let step = (stroke.isShifted ? 1 : 0) + (stroke.hasAlt ? 2 : 0)
        let table = tables.indices.contains(button) ? tables[button] : nil
        guard step > 0, let table else { return .milliseconds(120) }
        guard table.levels.count > 1 else { return .milliseconds([120, 1_300, 2_500, 4_000][step]) }
        let level = table.levels[min(step, table.levels.count - 1)]
        return table.hold(for: level.gesture) ?? level.after
    }
}

/// A scripted participant, who answers prompts as the script says and follows wishes in between.
///
/// A wish is a task's key (opens that task), `pause` (pauses the sensors, or ends their pause) or
/// `leave`; they are followed in turn, each when nothing is open. Without wishes it once opens a task
/// that stays in the list, after the first completed one.
final class ScriptedParticipant: DemoPlayer {
    private var planner: PressPlanner
    private let finder: PressFinder
    private let buttons: DemoButtons
    private var busyUntil = MonotonicTime.zero
    private var goal: PanelGoal?
    private var hasOpenedByItself = false
    /// The wishes not yet begun; nil = none were given.
    private var wishes: ArraySlice<String>?
    /// The wish that `goal` was made of.
    private var pursued: String?
    let jumpsByItself = true

    /// The wish to leave the study, by the panel's menu.
    private static let leave = "leave"
    private static let pause = "pause"

    init(_ participant: Participant, panel: Panel, buttons: DemoButtons, wishes: [String]? = nil) {
        self.wishes = wishes?[...]
        planner = PressPlanner(participant, panel: panel, opensList: participant.opens != nil)
        finder = PressFinder(panel)
        self.buttons = buttons
    }

    func play(_ conductor: StudyConductor?, at now: Moment) throws -> DemoWish {
        guard let conductor, busyUntil < now.monotonic else { return conductor == nil ? .nothing : .busy }
        if let move = try planner.move(on: conductor, at: now) {
            giveUpGoal(in: conductor.session)
            return press(move.edges)
        }
        return pursue(conductor, at: now)
    }

    /// A wish that a prompt interrupts before it is fulfilled is the next one again.
    private func giveUpGoal(in session: PanelSession) {
        if let pursued, let goal, isOpen(pursued, goal, in: session) { wishes = [pursued] + (wishes ?? []) }
        (goal, pursued) = (nil, nil)
    }

    /// False once the wish is fulfilled, or cannot be. A prompt may have taken the press, so that another
    /// task is open than the wished one.
    private func isOpen(_ wish: String, _ goal: PanelGoal, in session: PanelSession) -> Bool {
        guard let run = session.run else { return session.isIdle && session.press(towards: goal) != nil }
        if case .pause(let on) = goal { return session.isPaused != on }
        return run.opened.task.key != wish
    }

    private func nextGoal(_ conductor: StudyConductor, at now: Moment) -> PanelGoal? {
        guard conductor.session.isIdle else { return nil }
        let entries = conductor.scheduler.list(at: now.instant).entries
        if let wish = wishes?.first {
            let entry = entries.first { $0.occurrence.task == wish }
            guard wish == Self.leave || wish == Self.pause || entry != nil else { return nil }
            pursued = wishes?.removeFirst()
            if wish == Self.pause { return .pause(!conductor.session.isPaused) }
            return entry.map { .openItem($0.occurrence.id) } ?? .leaveStudy
        }
        guard wishes == nil, !hasOpenedByItself, conductor.scheduler.ledger.completed > 0,
            let sticky = entries.last(where: \.isSticky)
        else { return nil }
        hasOpenedByItself = true
        return .openItem(sticky.occurrence.id)
    }

    private func pursue(_ conductor: StudyConductor, at now: Moment) -> DemoWish {
        if goal == nil { goal = nextGoal(conductor, at: now) }
        guard let goal, let wanted = conductor.session.press(towards: goal),
            let edges = finder.edges(wanted, at: now.monotonic + .milliseconds(600))
        else {
            // While a task opens it is not known yet whether it is the wished one.
            if !conductor.session.isOpeningOrSaving { giveUpGoal(in: conductor.session) }
            return .nothing
        }
        return press(edges)
    }

    private func press(_ edges: [ButtonEvent]) -> DemoWish {
        buttons.press(edges)
        if let last = edges.last { busyUntil = last.time + .milliseconds(300) }
        return .busy
    }
}
