// SPDX-License-Identifier: Apache-2.0
import Base

/// Drops presses that become the hold for the menu, in tasks that take presses themselves (spatial span, tower
/// of Hanoi). Pure.
///
/// A press of a button that cannot open the menu counts at once. Any other press counts only at its release,
/// and only if it was shorter than the hold for the menu; its time stays that of the press.
struct HeldPresses: Sendable {
    /// For each button of the panel, how long it is held for the menu; nil = it does not open the menu.
    private let holds: [Duration?]
    /// The press that is down and not counted yet.
    private var held: ButtonEvent?

    init(_ panel: Panel) { holds = panel.holdTables.map(\.menuHold) }

    /// When the press that is down becomes the hold for the menu; nil while no such press is down.
    var menuTime: MonotonicTime? {
        held.flatMap { press in hold(of: press.button).map { press.time + $0 } }
    }

    /// Takes in an edge, and returns the presses that count now, the oldest first. A press that another one
    /// follows counts, too: its release was lost, or is still to come.
    mutating func take(_ edge: ButtonEvent) -> [ButtonEvent] {
        guard edge.isPressed else { return release(edge) }
        let before = [held].compactMap(\.self)
        held = hold(of: edge.button) == nil ? nil : edge
        return held == nil ? before + [edge] : before
    }

    /// The press that is down counts for nothing: the task was interrupted, as by the menu, or its game is over.
    mutating func drop() { held = nil }

    private mutating func release(_ edge: ButtonEvent) -> [ButtonEvent] {
        guard let press = held, press.button == edge.button else { return [] }
        defer { held = nil }
        if let menuTime, edge.time >= menuTime { return [] }
        return [press]
    }

    private func hold(of button: Int) -> Duration? { holds.indices.contains(button) ? holds[button] : nil }
}
