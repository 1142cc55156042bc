// SPDX-License-Identifier: Apache-2.0
import Base

/// The gestures that presses make, and the last press itself: where one press opens a prompt's run and answers
/// it, the run is given that press once it is open. `PanelSession` keeps them. Pure.
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

    /// Call it before `recogniser` is given the edge: `isHeld` is still that of before.
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
