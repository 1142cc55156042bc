// SPDX-License-Identifier: Apache-2.0
import Agent
import Base
import Simulation
import Study
import Terminal

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

    func play(_ conductor: StudyConductor?, at now: Moment) -> DemoRequest {
        var request = DemoRequest.nothing
        for input in terminal.readInputs() {
            switch input {
            case .tellsReleases(let tells): tellsReleases = tells
            case .key(let stroke):
                let wanted = play(stroke, at: now.monotonic)
                if wanted == .end { return .end }
                if wanted != .nothing { request = wanted }
            }
        }
        for (button, since) in down where now.monotonic - since > Self.longest { release(button, at: now.monotonic) }
        return request
    }

    private func play(_ stroke: KeyStroke, at now: MonotonicTime) -> DemoRequest {
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
        case .release: release(button, at: now)
        }
    }

    private func release(_ button: Int, at now: MonotonicTime) {
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
