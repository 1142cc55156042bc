// SPDX-License-Identifier: Apache-2.0
import Agent
import Simulation
import StudyEngine
import StudyModel
import Times

/// What a participant of the demo wants besides pressing.
enum DemoWish: Sendable, Hashable {
    case nothing
    /// Presses are still being played.
    case busy
    /// To the next prompt.
    case jump
    case end
}

/// A participant of the demo: looks at the board ten times a second and presses its simulated buttons.
protocol DemoPlayer {
    /// The clock jumps to the next prompt whenever nothing is open.
    var jumpsByItself: Bool { get }
    /// Takes a turn.
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

/// You: a key presses its button, a capital letter holds it for 1.2 s, M holds the middle one until the menu opens.
final class TerminalPlayer: DemoPlayer {
    private let terminal: RawTerminal
    private let fingers: DemoButtons
    let jumpsByItself = false

    init(_ terminal: RawTerminal, fingers: DemoButtons) {
        self.terminal = terminal
        self.fingers = fingers
    }

    func play(_ conductor: StudyConductor?, at now: Moment) -> DemoWish {
        var wish = DemoWish.nothing
        while let key = terminal.key(within: .zero) {
            let letter = String(UnicodeScalar(key)).lowercased()
            if let button = fingers.names.firstIndex(of: letter) {
                let isCapital = (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(key)
                fingers.press(button, at: now.monotonic, for: isCapital ? .milliseconds(1200) : .milliseconds(120))
            } else if letter == "m" {
                fingers.press(min(1, fingers.names.count - 1), at: now.monotonic, for: .milliseconds(3500))
            } else if letter == "t" {
                wish = .jump
            } else if letter == "q" {
                return .end
            }
        }
        return wish
    }
}

/// A scripted participant. Without wishes it once opens a task from rest as well, where the study has one that stays open;
/// with wishes it does from rest what they say, in turn: opens the task of that key, or leaves the study.
final class ScriptedParticipant: DemoPlayer {
    private var hand: PressPlanner
    private let finder: PressFinder
    private let fingers: DemoButtons
    private var busyUntil = MonotonicTime.zero
    private var submissions = 0
    private var goal: PanelGoal?
    private var hasOpenedByItself = false
    private var wishes: ArraySlice<String>?
    let jumpsByItself = true

    /// The wish to leave the study, by the panel's menu.
    static let leave = "leave"

    init(_ participant: Participant, panel: Panel, fingers: DemoButtons, wishes: [String]? = nil) {
        self.wishes = wishes?[...]
        hand = PressPlanner(participant, panel: panel, opensList: participant.opens != nil)
        finder = PressFinder(panel)
        self.fingers = fingers
    }

    func play(_ conductor: StudyConductor?, at now: Moment) throws -> DemoWish {
        guard let conductor, busyUntil < now.monotonic else { return conductor == nil ? .nothing : .busy }
        if let move = try hand.move(on: conductor, at: now) {
            goal = nil
            return press(move.edges)
        }
        return pursue(conductor, at: now)
    }

    private func nextGoal(_ conductor: StudyConductor, at now: Moment) -> PanelGoal? {
        guard conductor.session.isIdle else { return nil }
        let entries = conductor.scheduler.list(at: now.instant).entries
        if let wish = wishes?.first {
            let entry = entries.first { $0.occurrence.task == wish }
            guard wish == Self.leave || entry != nil else { return nil }
            wishes?.removeFirst()
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
            self.goal = nil
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
