// SPDX-License-Identifier: Apache-2.0
import Agent
import ArgumentParser
import Base
import Glibc
import SystemKit

/// The self-test of hardware, clock, disk and server, as the options of `studyd check` and
/// `studyd-tools check`; `studyd support` puts its `report` into the bundle.
package struct CheckOptions: ParsableArguments {
    @OptionGroup var common: CommonOptions
    @Option(
        name: .long,
        help: "Board file, or the name of one that comes with studyd (default: the one in the configuration).")
    var board: String?
    @Flag(
        name: .long,
        help: "Print one JSON object per line: part, name, result (ok, warning, failed, skipped), detail, remedy.")
    var json = false

    package init() {}

    /// What takes the place of a board's parts while it is tested. `press` presses the key of that code for a
    /// moment.
    package typealias SimulatedBoardParts = (
        parts: SimulatedParts, press: (@Sendable (UInt16) -> Void)?, stop: () -> Void
    )

    /// The table of a check of the configured board. Throws for a simulated board unless its agent runs,
    /// which alone has the parts.
    package static func report(_ common: CommonOptions) async throws -> String {
        let state = common.state.map { ["--state", $0] } ?? []
        let setting = try await CheckOptions.parse(["--config", common.config] + state).setting()
        guard setting.agent != nil || !setting.board.isSimulated else {
            throw OtherProgram(simulated: setting.board.name)
        }
        return CheckTable(try await findings(setting), isColoured: false).lines.joined(separator: "\n") + "\n"
    }

    /// Tests, and prints what was found. `simulated` makes the parts where the board is simulated and no
    /// running agent has it.
    package func run(_ simulated: (BoardDescription, any StudyClock) throws -> SimulatedBoardParts) async throws {
        var setting = try await setting()
        let isSimulated = setting.agent == nil && setting.board.isSimulated
        let simulation = try isSimulated ? simulated(setting.board, setting.clock) : nil
        defer { simulation?.stop() }
        if let simulation {
            setting.parts = simulation.parts
            setting.press = simulation.press
        } else {
            setting.person = CheckTerminal.person()
        }
        let findings = try await Self.findings(setting)
        show(findings)
        guard findings.isPassed else { throw ExitCode(1) }
    }

    private func setting() async throws -> CheckSetting {
        let configuration = try self.configuration()
        let board = try description(configuration)
        let folder = configuration?.state ?? common.state ?? "/tmp"
        let clock = DisciplinedClock.resumed(vouched: configuration?.trustsSystemClock ?? false, folder: folder)
        var setting = CheckSetting(board: board, clock: clock, trust: clock.trust, folder: folder)
        setting.measures = configuration?.measures ?? []
        let places = TakeoverPlaces(configuration: common.config, state: folder)
        setting.cloudInit = places.cloudInit(boot: places.boot)
        if let configuration {
            setting.servers = try await CheckServer.all(of: configuration)
            setting.broker = configuration.mqtt
            setting.study = try await .enrolled(in: folder)
        }
        if !isApart(board) { setting.agent = try AgentFacts.ask(folder: setting.folder) }
        return setting
    }

    /// Nil where none is named and none is installed: the board alone is tested.
    private func configuration() throws -> AgentConfiguration? {
        guard common.config != AgentConfiguration.defaultPath || access(common.config, F_OK) == 0 else {
            guard board != nil else {
                throw FileError(
                    path: common.config, message: "not found",
                    remedy: "use --config, write one with 'studyd init', or name a board file with --board")
            }
            return nil
        }
        return try common.configuration()
    }

    private func description(_ configuration: AgentConfiguration?) throws -> BoardDescription {
        if board == nil, let configuration { return try common.board(of: configuration) }
        return try BoardDescription(at: Resource.board(board ?? ""))
    }

    /// A simulated board named by --board is tested apart from a running agent: each program makes its own
    /// simulated parts.
    private func isApart(_ description: BoardDescription) -> Bool { board != nil && description.isSimulated }

    private static func findings(_ setting: CheckSetting) async throws -> [CheckFinding] {
        try await onThread("studyd-selftest") {
            let findings = try SelfTest(setting).run { done, all in
                if Output.isTerminal { Output.errorText("\rtested \(done) of \(all) ") }
            }
            if Output.isTerminal { Output.errorText(CheckTerminal.clear) }
            return findings
        }
    }

    private func show(_ findings: [CheckFinding]) {
        if json {
            for finding in findings { Output.line(finding.json.text) }
        } else {
            for line in CheckTable(findings, isColoured: Output.takesColours).lines { Output.text(line + "\n") }
        }
    }
}
