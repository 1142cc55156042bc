// SPDX-License-Identifier: Apache-2.0
import Agent
import ArgumentParser
import Base
import Commands

/// `studyd-tools check`: as `studyd check`, on a board that may have simulated parts.
struct CheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Test a simulated board, and the clock, disk and server, as studyd check does.",
        discussion: "Example: studyd-tools check --board boards/simulated.toml --json")

    @OptionGroup var options: CheckOptions

    /// Simulates a device that lies still, with sound for as long as the test takes.
    func run() async throws {
        try await options.run { board, clock in
            let simulation = try SimulatedBoard(board, clock: clock, script: "still 60s", soundSeconds: 10)
            return (parts: simulation.parts, press: simulation.press(clock: clock), stop: simulation.stop)
        }
    }
}

extension SimulatedBoard {
    /// Presses a simulated key for a moment.
    func press(clock: any StudyClock) -> (@Sendable (UInt16) -> Void)? {
        guard let keys, let keyThread else { return nil }
        return { key in
            keys.press(key: key, at: clock.monotonic)
            keyThread.wake()
        }
    }
}
