// SPDX-License-Identifier: Apache-2.0
import Base
import Glibc
import SimulatedWorld
import Simulation
import SystemKit
import Testing

@testable import Agent
@testable import studyd_tools

@Suite struct SimulatedBoardTests {
    private static func board(motion: String, in folder: String) throws -> BoardDescription {
        let text = try BoundedFile.text(MadeBoard.package + "/boards/simulated.toml")
        return try BoardDescription(
            parsing: text.replacing("[world]", with: "[world]\nmotion = \"\(motion)\""), file: folder + "/board.toml")
    }

    /// A recording that ended before its first block is its header of 1024 bytes alone.
    @Test func aMotionWithoutSamplesIsRefusedByItsName() throws {
        let folder = try TemporaryFolder("motion")
        defer { folder.remove() }
        let motion = try BoundedFile.read(ExportCommandTests.record(into: folder.path), limit: 1 << 20)
        try AtomicFile.write(motion, to: folder.path + "/walk.cwa")
        try AtomicFile.write(Array(motion.prefix(1024)), to: folder.path + "/empty.cwa")
        let clock = VirtualClock(now: .epoch)
        let walk = try SimulatedBoard(Self.board(motion: "walk.cwa", in: folder.path), clock: clock, soundSeconds: 1)
        walk.stop()
        let empty = try Self.board(motion: "empty.cwa", in: folder.path)
        #expect { try SimulatedBoard(empty, clock: clock, soundSeconds: 1) } throws: {
            ($0 as? ConfigError)?.path == "world.motion" && "\($0)".contains("empty.cwa holds no samples")
        }
    }

    /// For 6 seconds, the length of the recording, and on; `replay` in the script says when.
    @Test(arguments: [
        ("", WorldActivity.replay, WorldActivity.replay), ("script = \"walk 60s\"", .replay, .replay),
        ("script = \"replay; talk 60s\"", .replay, .talk),
    ])
    func aMotionIsPlayedInsteadOfTheScript(line: String, early: WorldActivity, late: WorldActivity) throws {
        let folder = try TemporaryFolder("motion")
        defer { folder.remove() }
        let motion = "motion = \"\(try ExportCommandTests.record(into: folder.path))\""
        let text = try BoundedFile.text(MadeBoard.package + "/boards/simulated.toml")
            .replacing("script = \"walk 60s; rest 60s; still 60s\"", with: line + "\n" + motion)
        let board = try BoardDescription(parsing: text, file: folder.path + "/board.toml")
        let description = try #require(board.world)
        #expect(description.motion != nil)
        let world = try SimulatedBoard.world(description, of: board.file, start: .zero, script: nil)
        let activities = [1, 10].map { world.scene(at: MonotonicTime.zero + .seconds($0)).activity }
        #expect(activities == [early, late])
        let other = try SimulatedBoard.world(description, of: board.file, start: .zero, script: "rest 60s")
        #expect(other.scene(at: .zero).activity == .rest)
    }

    /// Every part that is called simulated has one of its own, and none has one that is not there.
    @Test func theAgentOpensASimulatedPartForEachOfTheBoard() throws {
        let text = try BoundedFile.text(MadeBoard.package + "/boards/simulated.toml")
        let lamp = "[[light]]\nname = \"lamp\"\ndevice = \"simulated\"\n\n[buzzer]"
        let boards = try [
            text, text.replacing("[world]", with: "[vibration]\ndevice = \"simulated\"\n\n[world]"),
            text.replacing("[buzzer]", with: lamp),
        ].map { try BoardDescription(parsing: $0, file: MadeBoard.package + "/boards/board.toml") }
        for (place, board) in boards.enumerated() {
            let simulation = try SimulatedBoard(board, clock: VirtualClock(now: .epoch), soundSeconds: 1)
            let parts = simulation.parts
            #expect(Set(parts.lights.keys) == (place == 2 ? ["status", "lamp"] : ["status"]))
            #expect(
                Set(parts.lights.values).count == parts.lights.count && simulation.panels.count == parts.lights.count)
            #expect((parts.vibration != nil) == (place == 1) && parts.buzzer != nil && parts.vibration != parts.buzzer)
            #expect(Array(parts.buses.keys) == ["motion"] && parts.position != nil)
            #expect(parts.microphone?.rate == 16_000 && parts.loudspeaker == nil)
            let keys = try #require(parts.keys)
            #expect(access(keys, F_OK) == 0 && simulation.keys?.path == keys && simulation.keyThread != nil)
            for _ in 0..<2 {
                simulation.stop()
                #expect(access(keys, F_OK) != 0 && simulation.keys == nil && simulation.keyThread == nil)
                #expect(simulation.panels.isEmpty)
            }
        }
    }
}
