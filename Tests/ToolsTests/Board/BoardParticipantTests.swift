// SPDX-License-Identifier: Apache-2.0
import Base
import Simulation
import SystemKit
import Testing

@testable import Agent
@testable import studyd_tools

@Suite(.timeLimit(.minutes(10))) struct BoardParticipantTests {
    private static func board(_ world: String, in folder: String) throws -> BoardDescription {
        let text = try BoundedFile.text(MadeBoard.package + "/boards/simulated.toml")
        return try BoardDescription(
            parsing: text.replacing("[world]", with: "[world]\n\(world)"), file: folder + "/board.toml")
    }

    /// One who is cancelled waits no longer.
    @Test func aBoardsParticipantWaitsATenthOfASecondEachTime() async throws {
        let folder = try TemporaryFolder("participant")
        defer { folder.remove() }
        let script = #"{"latency":"0s","otherwise":"first"}"#
        try AtomicFile.write(Array(script.utf8), to: folder.path + "/participant.json")
        let clock = VirtualClock(now: .epoch)
        let board = try Self.board("participant = \"participant.json\"", in: folder.path)
        let simulation = try SimulatedBoard(board, clock: clock, soundSeconds: 1)
        defer { simulation.stop() }
        #expect(try BoardParticipant(Self.board("", in: folder.path), on: simulation) == nil)
        let participant = try #require(try BoardParticipant(board, on: simulation))
        let playing = Task { await participant.play(SharedState(), clock: clock, MadeBoard.log) }
        for look in 1...3 {
            await clock.whenSleeping(1)
            #expect(clock.nextDeadline == at(Double(look) / 10))
            clock.advance(to: at(Double(look) / 10))
        }
        playing.cancel()
        await playing.value
        #expect(clock.sleeping == 0)
    }
}
