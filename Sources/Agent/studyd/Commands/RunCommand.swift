// SPDX-License-Identifier: Apache-2.0
import Agent
import ArgumentParser
import Base
import Glibc
import Logging
import SystemKit

/// `studyd run`: the agent, for systemd or a shell.
struct RunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Run the agent in the foreground.",
        discussion: "Example: studyd run --config /etc/studyd/studyd.toml")

    @OptionGroup var common: CommonOptions

    func run() async throws {
        let configuration = try common.configuration()
        let board = try common.board(of: configuration)
        var environment: [String: String] = [:]
        for name in ["NOTIFY_SOCKET", "WATCHDOG_USEC", "JOURNAL_STREAM", "RUNTIME_DIRECTORY"] {
            environment[name] = getenv(name).map { String(cString: $0) }
        }
        let isJournal = environment["JOURNAL_STREAM"] != nil
        let log = Logger(label: "studyd") { JournalLogHandler(label: $0, prefixed: isJournal) }
        var made = AgentRuntime.Options(trust: .system(vouched: configuration.trustsSystemClock), log: log)
        made.environment = environment
        if let thread = TaskThread.current { made.clock = thread.clock }
        let simulation = try SimulatedBoard(board, clock: made.clock)
        made.parts = simulation.parts
        let surroundings = made
        let runtime = try await AgentRuntime(configuration, board: board, surroundings)
        defer { simulation.stop() }
        let participant = try BoardParticipant(board, on: simulation)
        try await withThrowingTaskGroup(of: Void.self) { group in
            if let participant {
                group.addTask { await participant.play(runtime.view, clock: surroundings.clock, log) }
            }
            defer { group.cancelAll() }
            try await runtime.run()
        }
    }
}
