// SPDX-License-Identifier: Apache-2.0
import Agent
import Base
import Commands
import Logging
import Study
import SystemKit

/// The participant that a simulated board's `[world]` names: looks at the running agent ten times a
/// second and presses the simulated buttons, as the demo's scripted participant does.
struct BoardParticipant: Sendable {
    private let participant: Participant
    private let panel: Panel
    private let buttons: DemoButtons
    /// What the participant does from rest, in turn: see `ScriptedParticipant`.
    private let wishes: [String]

    /// nil where the board names no participant file.
    init?(_ board: BoardDescription, on simulation: SimulatedBoard) throws {
        guard let world = board.world, let file = world.participant else { return nil }
        participant = try Participant(json: BoundedFile.read(Resource.path(file, namedIn: board.file)))
        panel = try Panel(board)
        buttons = DemoButtons(simulation, board: board)
        wishes = world.wishes
    }

    /// Plays until cancelled, or until the script names an answer that its question cannot have,
    /// which is logged.
    func play(_ view: SharedState, clock: any StudyClock, _ log: Logger) async {
        let player = ScriptedParticipant(participant, panel: panel, buttons: buttons, wishes: wishes)
        do {
            while !Task.isCancelled {
                try await clock.sleep(until: clock.monotonic + .milliseconds(100))
                _ = try player.play(view.now.conductor, at: Moment(instant: clock.now, monotonic: clock.monotonic))
            }
        } catch is CancellationError {
            return
        } catch {
            log.error("the board's participant stops", metadata: ["error": "\(error)"])
        }
    }
}
