// SPDX-License-Identifier: Apache-2.0
import Base

/// Presses that count as they are, unless they become the hold for the menu. Pure.
///
/// Where a button opens no menu its press counts at once. For any other that is known only at the
/// release; what counts is the time of the press all the same.
struct HeldPresses: Sendable {
    /// Of each button: how long it is held for the menu; nil = it opens none.
    private let holds: [Duration?]
    private var held: ButtonEvent?

    init(_ panel: Panel) { holds = panel.holdTables.map(\.menuHold) }

    /// From then on the press that is down is the hold for the menu; nil while none may become it.
    var until: MonotonicTime? {
        held.flatMap { press in hold(of: press.button).map { press.time + $0 } }
    }

    /// The presses that count now, the oldest first. One that another press follows counts, too:
    /// its release was lost, or is still to come.
    mutating func take(_ edge: ButtonEvent) -> [ButtonEvent] {
        guard edge.isPressed else { return release(edge) }
        let before = [held].compactMap(\.self)
        held = hold(of: edge.button) == nil ? nil : edge
        return held == nil ? before + [edge] : before
    }

    /// The press that is down counts for nothing.
    mutating func drop() { held = nil }

    private mutating func release(_ edge: ButtonEvent) -> [ButtonEvent] {
        guard let press = held, press.button == edge.button else { return [] }
        defer { held = nil }
        return until.map { edge.time < $0 } ?? true ? [press] : []
    }

    private func hold(of button: Int) -> Duration? { holds.indices.contains(button) ? holds[button] : nil }
}
