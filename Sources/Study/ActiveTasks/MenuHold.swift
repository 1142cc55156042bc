// SPDX-License-Identifier: Apache-2.0
import Base

/// Follows the press that may become the hold for the menu, in tests that count a press when it begins
/// (reaction, vigilance, taps): the hold takes back the result that its press gave. `HeldPresses` is for tasks
/// that can wait for the release. Pure.
///
/// As in `GestureRecogniser`, of several buttons only the one pressed first makes a hold, and a
/// button that is pressed again within the bridge was not let go.
struct MenuHold: Sendable {
    private struct Hold: Sendable {
        let button: Int
        let since: MonotonicTime
        /// How many results there were when it began.
        let results: Int
        /// When it was let go; until the bridge is over, it may go on.
        var released: MonotonicTime?
    }

    private let tables: [HoldTable]
    private let bridge: Duration
    private var hold: Hold?

    init(_ panel: Panel) {
        tables = panel.holdTables
        bridge = panel.holdTimes.bridge
    }

    /// When it is known whether the press opens the menu, though edges are delivered late; nil
    /// where none is under way that could.
    var wake: MonotonicTime? {
        guard let hold, let menu = tables[hold.button].menuHold else { return nil }
        return (hold.released.map { $0 + bridge } ?? hold.since + menu) + TimedStimulus.delivery
    }

    /// The press under way gave one of the `results`, and may take it back.
    func mayTakeBack(_ results: Int) -> Bool { wake != nil && hold.map { $0.results < results } ?? false }

    /// Takes in an edge; `results` is how many there were before it.
    mutating func take(_ edge: ButtonEvent, results: Int) {
        guard tables.indices.contains(edge.button), !tables[edge.button].levels.isEmpty else { return }
        if edge.isPressed { press(edge, results) } else { release(edge) }
    }

    /// Once the press has become the hold for the menu: how many results there were before it.
    /// Given once.
    mutating func takeMenu(by time: MonotonicTime) -> Int? {
        guard let hold else { return nil }
        if let released = hold.released {
            if released + bridge <= time { self.hold = nil }
            return nil
        }
        guard let menu = tables[hold.button].menuHold, hold.since + menu <= time else { return nil }
        self.hold = nil
        return hold.results
    }

    private mutating func press(_ edge: ButtonEvent, _ results: Int) {
        let isOver = hold?.released.map { edge.time - $0 >= bridge } ?? false
        if let hold, !isOver {
            guard hold.button == edge.button else { return }
            if hold.released != nil {
                self.hold?.released = nil
                return
            }
        }
        hold = Hold(button: edge.button, since: edge.time, results: results)
    }

    private mutating func release(_ edge: ButtonEvent) {
        guard hold?.button == edge.button else { return }
        if bridge > .zero { hold?.released = edge.time } else { hold = nil }
    }
}
