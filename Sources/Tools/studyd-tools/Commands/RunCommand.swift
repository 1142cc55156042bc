// SPDX-License-Identifier: Apache-2.0
import Agent
import ArgumentParser
import Commands

/// `studyd-tools run`: as `studyd run`, on a board that may have simulated parts.
struct RunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Run the agent in the foreground on a simulated board.",
        discussion: "Example: studyd-tools run --config studyd.toml")

    @OptionGroup var common: CommonOptions

    func run() async throws {
        let configuration = try common.configuration()
        let board = try common.board(of: configuration)
        var made = AgentRuntime.Options.foreground(configuration)
        let simulation = try SimulatedBoard(board, clock: made.clock)
        made.parts = simulation.parts
        let surroundings = made  // The task below may capture a constant only.
        let runtime = try await AgentRuntime(configuration, board: board, surroundings)
        defer { simulation.stop() }
        // The scripted participant that the board file names; nil where it names none.
        let participant = try BoardParticipant(board, on: simulation)
        try await withThrowingTaskGroup(of: Void.self) { group in
            if let participant {
                group.addTask { await participant.play(runtime.view, clock: surroundings.clock, surroundings.log) }
            }
            defer { group.cancelAll() }
            try await runtime.run()
        }
    }
}
