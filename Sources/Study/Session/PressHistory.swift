// SPDX-License-Identifier: Apache-2.0
import Base

/// The participant's last press, for a run that is opened and answered by it, and the gestures that
/// presses make. Pure.
struct PressHistory: Sendable {
    var recogniser: GestureRecogniser
    /// When the last edge came, a marker's included.
    private(set) var last = MonotonicTime.zero
    /// The last press and the edges since.
    private(set) var edges: [ButtonEvent] = []
    /// The last press began before the first signal of the prompt that is current now.
    private(set) var isEarly = false

    init(_ panel: Panel) { recogniser = GestureRecogniser(panel) }

    var isHeld: Bool { recogniser.held != nil }

    /// Notes an edge before `recogniser` is given it.
    mutating func add(_ edge: ButtonEvent, isMarker: Bool, at now: MonotonicTime) {
        last = now
        guard !isMarker else { return }
        // Each press begins the list again, so that only releases are added; eight edges are
        // plenty.
        edges = edge.isPressed ? [edge] : edges.suffix(7) + [edge]
        if edge.isPressed, !isHeld { isEarly = false }
    }

    /// The first signal of a prompt was given.
    mutating func notePrompt() { isEarly = isHeld }
}
