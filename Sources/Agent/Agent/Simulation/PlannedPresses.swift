// SPDX-License-Identifier: Apache-2.0
import Study

/// The presses of a scripted participant that are still to come. `StudySimulation` and `PlayedDevice` call `plan` and
/// `takeNext` in turn, and `observe` after each event. Presses are dropped where the panel has changed meanwhile.
struct PlannedPresses {
    /// As long as the panel stays in one of these states, planned presses keep their meaning.
    private enum PanelState: Equatable {
        /// At rest, with that prompt or none.
        case idle(String?)
        case run, other
    }

    private(set) var planner: PressPlanner
    private var edges: ArraySlice<ButtonEvent> = []
    /// The state of the panel for which `edges` were planned.
    private var plannedAt = PanelState.idle(nil)

    init(_ planner: PressPlanner) { self.planner = planner }

    var next: ButtonEvent? { edges.first }

    /// Where the device is, as the participant means to answer.
    var place: DeviceNews {
        planner.intendedPosition.map { .position(latitude: $0.latitude, longitude: $0.longitude) } ?? .noPosition
    }

    mutating func takeNext() -> ButtonEvent? { edges.popFirst() }

    /// To be called after every event of the core.
    mutating func observe(_ core: StudyCore) {
        if let conductor = core.study?.conductor { planner.observe(conductor) }
    }

    /// Drops presses that were planned for another state of the panel, and plans the next ones.
    mutating func plan(on core: StudyCore, at now: Moment) throws {
        // If the next edge is a release, it is kept: a button that is down has to come up.
        if edges.first?.isPressed == true, Self.panelState(on: core) != plannedAt { edges = [] }
        guard edges.isEmpty, let conductor = core.study?.conductor, let move = try planner.move(on: conductor, at: now)
        else { return }
        (edges, plannedAt) = (move.edges[...], Self.panelState(on: core))
    }

    mutating func forget() { edges = [] }

    private static func panelState(on core: StudyCore) -> PanelState {
        // Optional chaining borrows; a local would copy the session.
        if core.study?.conductor.session.isRunning == true { return .run }
        guard core.study?.conductor.session.isIdle == true else { return .other }
        return .idle(core.study?.conductor.session.currentPrompt?.id)
    }
}
