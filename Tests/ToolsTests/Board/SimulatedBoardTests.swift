// SPDX-License-Identifier: Apache-2.0
import Base
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
}
