// SPDX-License-Identifier: Apache-2.0
import Study

/// The presses of a scripted participant that are still to come; they are dropped where the panel
/// has moved on meanwhile.
struct PlannedPresses {
    /// Where presses mean what they were meant for.
    private enum Place: Equatable {
        /// At rest, with that prompt or none.
        case idle(String?)
        case run, other
    }

    private(set) var planner: PressPlanner
    private var edges: ArraySlice<ButtonEvent> = []
    /// What the panel showed when these presses were thought of.
    private var plannedAt = Place.idle(nil)

    init(_ planner: PressPlanner) { self.planner = planner }

    var next: ButtonEvent? { edges.first }

    /// Where the device is, as the participant means to answer.
    var place: DeviceNews {
        planner.intendedPosition.map { .position(latitude: $0.latitude, longitude: $0.longitude) } ?? .noPosition
    }

    mutating func takeNext() -> ButtonEvent? { edges.popFirst() }

    /// To be called after everything that happened.
    mutating func observe(_ core: StudyCore) {
        if let conductor = core.study?.conductor { planner.observe(conductor) }
    }

    /// Drops presses that were planned for another state of the panel, and plans the next ones.
    mutating func plan(on core: StudyCore, at now: Moment) throws {
        // A button that is down comes up again whatever happens.
        if edges.first?.isPressed == true, Self.place(on: core) != plannedAt { edges = [] }
        guard edges.isEmpty, let conductor = core.study?.conductor, let move = try planner.move(on: conductor, at: now)
        else { return }
        (edges, plannedAt) = (move.edges[...], Self.place(on: core))
    }

    /// The power fails: a finger finds nothing to press.
    mutating func forget() { edges = [] }

    private static func place(on core: StudyCore) -> Place {
        // Optional chaining borrows; a local would copy the session.
        if core.study?.conductor.session.isRunning == true { return .run }
        guard core.study?.conductor.session.isIdle == true else { return .other }
        return .idle(core.study?.conductor.session.currentPrompt?.id)
    }
}
