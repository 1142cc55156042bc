// SPDX-License-Identifier: Apache-2.0
import Agent
import ArgumentParser
import Base
import Glibc
import SystemKit

/// `studyd check`: the self-test of hardware, clock, disk and server.
struct CheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Test the hardware, clock, disk and server, and say how to fix each failure.",
        discussion: """
            Takes at most ten seconds; on a terminal you are then asked to press each button, and whether you saw the lights and heard the sounds.
            While studyd is running it keeps the board's devices: its own measurements are shown and the rest is
            left alone. Lay the device down and keep it still. Exits with 0 if nothing failed (warnings are allowed).
            Example: studyd check
            Example: studyd check --board boards/simulated.toml --json
            """)

    @OptionGroup var common: CommonOptions
    @Option(name: .long, help: "Board file (default: the one in the configuration).")
    var board: String?
    @Flag(
        name: .long,
        help: "Print one JSON object per line: part, name, result (ok, warning, failed, skipped), detail, remedy.")
    var json = false

    func run() async throws {
        let configuration = try self.configuration()
        let board = try description(configuration)
        let folder = configuration?.state ?? common.state ?? "/tmp"
        let clock = await DisciplinedClock.carried(
            vouched: configuration?.trustsSystemClock ?? false, folder: folder)
        var setting = CheckSetting(board: board, clock: clock, trust: clock.vouching, folder: folder)
        setting.measures = configuration?.measures ?? []
        if let configuration { setting.servers = try await CheckServer.all(of: configuration) }
        if !isApart(board) { setting.agent = try AgentFacts.ask(folder: setting.folder) }
        let simulation = try setting.agent == nil ? Self.simulation(board, clock) : nil
        defer { simulation?.stop() }
        if let simulation, board.isSimulated {
            setting.parts = simulation.parts
            setting.press = simulation.press(clock: clock)
        } else {
            setting.person = CheckTerminal.person()
        }
        let findings = try await Self.findings(setting)
        show(findings)
        guard findings.isPassed else { throw ExitCode(1) }
    }

    /// Nil where none is named and none is installed: the board alone is tested.
    private func configuration() throws -> AgentConfiguration? {
        guard common.config != AgentConfiguration.defaultPath || access(common.config, F_OK) == 0 else {
            guard board != nil else {
                throw FileFault(
                    path: common.config, message: "not found",
                    remedy: "use --config, write one with 'studyd init', or name a board file with --board")
            }
            return nil
        }
        return try common.configuration()
    }

    private func description(_ configuration: AgentConfiguration?) throws -> BoardDescription {
        if board == nil, let configuration { return try common.board(of: configuration) }
        let path = board.map(Resource.named) ?? ""
        return try BoardDescription(parsing: try BoundedFile.text(path), file: path)
    }

    /// Simulated parts are made anew for each program: those of a board that was named are no
    /// running agent's.
    private func isApart(_ description: BoardDescription) -> Bool { board != nil && description.isSimulated }

    /// A device that lies still, with sound for as long as the test takes.
    private static func simulation(_ board: BoardDescription, _ clock: any StudyClock) throws -> SimulatedBoard {
        try SimulatedBoard(board, clock: clock, script: "still 60s", soundSeconds: 10)
    }

    private static func findings(_ setting: CheckSetting) async throws -> [CheckFinding] {
        try await onThread("studyd-selftest") {
            let findings = try SelfTest(setting).run { done, all in
                if Output.isTerminal { Output.part("\rtested \(done) of \(all) ") }
            }
            if Output.isTerminal { Output.part(CheckTerminal.clear) }
            return findings
        }
    }

    private func show(_ findings: [CheckFinding]) {
        if json {
            for finding in findings { Output.line(finding.json.text) }
        } else {
            for line in CheckTable(findings, isColoured: Output.takesColours).lines { Output.line(line) }
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

/// Whoever sits at the terminal; messages go to standard error.
enum CheckTerminal {
    private static let patience: Duration = .seconds(30)
    /// Takes the progress away that stands on the line.
    static let clear = "\r\u{1B}[K"

    /// Nil where nobody can be asked.
    static func person() -> CheckPerson? {
        guard isatty(STDIN_FILENO) == 1, Output.isTerminal else { return nil }
        return CheckPerson(tell: { Output.remark(clear + $0) }, ask: ask)
    }

    @Sendable private static func ask(_ question: String) -> Bool? {
        tcflush(STDIN_FILENO, TCIFLUSH)
        Output.part(clear + question + " [y/n] ")
        var waiting = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
        guard poll(&waiting, 1, CInt(patience.milliseconds)) > 0, let answer = readLine()?.first?.lowercased() else {
            Output.remark("")
            return nil
        }
        return ["y": true, "n": false][answer]
    }
}
