// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Commands

/// `studyd check`: the self-test of hardware, clock, disk and server.
struct CheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Test the hardware, clock, disk and server, and say how to fix each failure.",
        discussion: """
            Takes at most ten seconds; on a terminal you are then asked to press each button, and whether you saw the lights and heard the sounds.
            While studyd is running it keeps the board's devices: its own measurements are shown and the rest is
            left alone. Lay the device down and keep it still. Exits with 0 if nothing failed (warnings are allowed).
            Example: studyd check
            Example: studyd check --board boards/breadboard.toml --json
            """)

    @OptionGroup var options: CheckOptions

    func run() async throws {
        // A simulated board needs `studyd-tools check`.
        try await options.run { board, _ in throw OtherProgram(simulated: board.name) }
    }
}
