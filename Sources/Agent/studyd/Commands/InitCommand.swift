// SPDX-License-Identifier: Apache-2.0
import Agent
import ArgumentParser
import Base
import Commands
import Glibc
import SystemKit

/// `studyd init`: writes a configuration from options, and from questions on a terminal.
struct InitCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init", abstract: "Write a configuration file.",
        discussion: """
            On a terminal, asks for the board, the zone and the receiver where they are not given. A file that is there is only replaced if you say so, and kept as FILE.old.
            Example: studyd init
            Example: studyd init --board breadboard --zone Europe/Berlin --receiver http://lab.local:8080
            """)

    @Option(name: .long, help: "Configuration file to write.", completion: .file(extensions: ["toml"]))
    var config = AgentConfiguration.defaultPath
    @Option(
        name: .long, help: "Board file, or the name of one that comes with studyd.",
        completion: .file(extensions: ["toml"]))
    var board: String?
    @Option(name: .long, help: "State folder with the event log, recordings and cache (default: /var/lib/studyd).")
    var state: String?
    @Option(name: .long, help: "The participant's time zone, e.g. Europe/Berlin (default: the system's).")
    var zone: String?
    @Option(name: .long, help: "Address of the study-receiver for recordings (default: keep them on the device).")
    var receiver: String?
    @Flag(name: .long, help: "Replace an existing file, keeping the old one as FILE.old.")
    var replace = false

    func run() throws {
        let isTerminal = isatty(STDIN_FILENO) == 1 && Output.isTerminal
        try checkReplacing(isTerminal)
        let boards = Resource.boards
        func asked(_ question: String, _ usual: String) -> String? { isTerminal ? Self.ask(question, usual) : nil }
        let choice = BoardDescription.choice(of: boards, or: "a file")
        guard let known = board ?? asked("Board: \(choice)", "breadboard"), !known.isEmpty
        else { throw ValidationError("name a board with --board: \(choice)") }
        var draft = ConfigurationDraft(board: try Self.file(of: known))
        if let state {
            guard state.hasPrefix("/") else { throw ValidationError("--state: '\(state)' is no absolute path") }
            draft.state = state
        }
        draft.zone = (zone ?? asked("Time zone of the participant", "the system's")).flatMap(Self.unlessUsual)
        draft.receiver = (receiver ?? asked("Address of the study-receiver", "none")).flatMap(Self.unlessUsual)
        _ = try SystemZone.load(draft.zone)
        _ = try AgentConfiguration(parsing: draft.text, file: config)
        try write(draft.text)
    }

    /// Throws unless `--replace` or the person at the terminal allows an existing file to be replaced.
    private func checkReplacing(_ isTerminal: Bool) throws {
        guard access(config, F_OK) == 0, !replace else { return }
        if isTerminal,
            Self.ask("\(config) exists. Replace it, keeping the old one as \(config).old", "no")?.lowercased()
                .hasPrefix("y") == true
        {
            return
        }
        throw FileError(
            path: config, message: "already exists", remedy: "edit it, use --replace, or write another with --config")
    }

    private func write(_ text: String) throws {
        if let slash = config.lastIndex(of: "/"), slash > config.startIndex { mkdir(String(config[..<slash]), 0o755) }
        if access(config, F_OK) == 0 {
            try AtomicFile.write(BoundedFile.read(config, limit: 1 << 20), toNamed: config + ".old")
        }
        try AtomicFile.write(Array(text.utf8), toNamed: config)
        chmod(config, 0o644)
        let place = "--config \(config.shellWord)"
        let next =
            config == AgentConfiguration.defaultPath
            ? "studyd check, then systemctl enable --now studyd, then studyd enroll SOURCE"
            : "studyd check \(place), then studyd enroll SOURCE \(place), then studyd run \(place)"
        Output.remark("studyd: wrote \(config)\nNext: \(next)")
        if let state, state != AgentConfiguration.defaultState {
            Output.remark(
                """
                The service keeps its state in \(AgentConfiguration.defaultState), whatever the file says. For \(state), change --state \
                in its ExecStart and add the folder to its ReadWritePaths: sudo systemctl edit --full studyd
                """)
        }
    }

    /// The absolute path of a board file; throws where it cannot be read as one.
    private static func file(of board: String) throws -> String {
        let path = try Resource.board(board)
        _ = try BoardDescription(at: path)
        return Resource.absolute(path) ?? path
    }

    /// What was typed; the default where nothing was, nil at the end of the input.
    private static func ask(_ question: String, _ usual: String) -> String? {
        Output.errorText("\(question) [\(usual)]: ")
        guard let line = readLine() else { return nil }
        return line.isEmpty ? usual : line
    }

    /// Nil for the words that stand for the default.
    private static func unlessUsual(_ text: String) -> String? {
        ["", "none", "the system's"].contains(text) ? nil : text
    }
}
