// SPDX-License-Identifier: Apache-2.0
import Agent
import ArgumentParser
import Commands

/// `studyd run`: the agent, for systemd or a shell.
struct RunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Run the agent in the foreground.",
        discussion: "Example: studyd run --config /etc/studyd/studyd.toml")

    @OptionGroup var common: CommonOptions

    func run() async throws {
        let configuration = try common.configuration()
        let board = try common.board(of: configuration)
        guard !board.isSimulated else { throw OtherProgram(simulated: board.name) }
        try await AgentRuntime(configuration, board: board, .foreground(configuration)).run()
    }
}
