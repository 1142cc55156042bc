// SPDX-License-Identifier: Apache-2.0
import Agent
import Base
import Simulation
import Study
import Terminal

/// What a participant of the demo wants other than pressing.
enum DemoWish: Sendable, Hashable {
    case nothing
    /// Presses are still being played.
    case busy
    case jump
    /// To the next time of the task that is to be opened.
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
    func play(_ conductor: StudyConductor?, at now: Moment) throws -> DemoWish
}

/// Presses the simulated buttons: the edges go through the pipe, the evdev code and the gestures.
struct DemoButtons {
    private let keys: SimulatedKeys?
    private let thread: SteppedThread?
    private let codes: [UInt16]
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
    private let fingers: DemoButtons
    private let keys: DemoKeys
    private let tables: [HoldTable]
    private let finder: PressFinder
    /// Buttons that are down because their keys are, and since when.
    private var down: [Int: MonotonicTime] = [:]
    /// The terminal tells when keys are let go.
    private(set) var tellsReleases = false
    /// The screen has to be drawn again.
    var onRedraw: () -> Void = {}
    let jumpsByItself = false

    /// A key whose release was lost counts as released then.
    private static let longest: Duration = .seconds(20)

    init(_ terminal: RawTerminal, fingers: DemoButtons, panel: Panel) {
        self.terminal = terminal
        self.fingers = fingers
        keys = DemoKeys(buttons: fingers.names)
        tables = panel.holdTables
        finder = PressFinder(panel)
    }

    func play(_ conductor: StudyConductor?, at now: Moment) -> DemoWish {
        var wish = DemoWish.nothing
        for input in terminal.inputs() {
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
        case .menu: fingers.press(finder.edges(Press(.menu), at: now) ?? [])
        case .jump: return .jump
        case .end: return .end
        case nil: if stroke == KeyStroke("l", hasControl: true) { onRedraw() }
        }
        return .nothing
    }

    private func press(_ button: Int, _ stroke: KeyStroke, at now: MonotonicTime) {
        guard tellsReleases else { return fingers.press(button, at: now, for: length(button, stroke)) }
        switch stroke.kind {
        case .press:
            guard down[button] == nil else { return }
            down[button] = now
            fingers.press([ButtonEvent(button: button, isPressed: true, time: now)])
        case .hold: break
        case .release: letGo(button, at: now)
        }
    }

    private func letGo(_ button: Int, at now: MonotonicTime) {
        guard down.removeValue(forKey: button) != nil else { return }
        fingers.press([ButtonEvent(button: button, isPressed: false, time: now)])
    }

    /// To the middle of the step that is meant; a button without steps repeats meanwhile.
    private func length(_ button: Int, _ stroke: KeyStroke) -> Duration {
        let step = (stroke.isShifted ? 1 : 0) + (stroke.hasAlt ? 2 : 0)
        let table = tables.indices.contains(button) ? tables[button] : nil
        guard step > 0, let table else { return .milliseconds(120) }
        guard table.levels.count > 1 else { return .milliseconds([120, 1_300, 2_500, 4_000][step]) }
        let level = table.levels[min(step, table.levels.count - 1)]
        return table.hold(for: level.gesture) ?? level.after
    }
}

/// A scripted participant. Without wishes it once opens a task from rest as well, where the study
/// has one that stays open; with wishes it follows them in turn from rest: opens the task of that
/// key, pauses the sensors or ends their pause, or leaves the study.
final class ScriptedParticipant: DemoPlayer {
    private var hand: PressPlanner
    private let finder: PressFinder
    private let fingers: DemoButtons
    private var busyUntil = MonotonicTime.zero
    private var submissions = 0
    private var goal: PanelGoal?
    private var hasOpenedByItself = false
    private var wishes: ArraySlice<String>?
    /// The wish that `goal` was made of.
    private var pursued: String?
    let jumpsByItself = true

    /// The wish to leave the study, by the panel's menu.
    private static let leave = "leave"
    private static let pause = "pause"

    init(_ participant: Participant, panel: Panel, fingers: DemoButtons, wishes: [String]? = nil) {
        self.wishes = wishes?[...]
        hand = PressPlanner(participant, panel: panel, opensList: participant.opens != nil)
        finder = PressFinder(panel)
        self.fingers = fingers
    }

    func play(_ conductor: StudyConductor?, at now: Moment) throws -> DemoWish {
        guard let conductor, busyUntil < now.monotonic else { return conductor == nil ? .nothing : .busy }
        if let move = try hand.move(on: conductor, at: now) {
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

    /// False once the wish is fulfilled, or cannot be. A press that a prompt took opened its task.
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
            // Once the task is open it is seen whether it is the one that was meant.
            if !conductor.session.isOpeningOrSaving { giveUpGoal(in: conductor.session) }
            return .nothing
        }
        return press(edges)
    }

    private func press(_ edges: [ButtonEvent]) -> DemoWish {
        fingers.press(edges)
        if let last = edges.last { busyUntil = last.time + .milliseconds(300) }
        return .busy
    }
}
