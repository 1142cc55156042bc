// SPDX-License-Identifier: Apache-2.0
import Agent
import ArgumentParser
import Base
import Commands
import Glibc
import Logging
import Study
import SystemKit

/// `studyd-tools demo`: the whole agent on the simulated board, with a person or a script as the participant.
struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo", abstract: "Run the whole agent on the simulated board; you are the participant.",
        discussion: """
            The board's wall clock begins shortly before the study's first prompt and jumps to the next one when nothing is open
            (key t, or by itself with --script). Ends with the ledger.
            Example: studyd-tools demo
            Example: studyd-tools demo study.json
            Example: studyd-tools demo study.json --task morning
            Example: studyd-tools demo --script studies/participant.json --for 60s
            """)

    @Argument(
        help: "Study file or folder (default: the example; studies/ has one with the active tasks).",
        completion: .file())
    var source: String?
    @Option(name: .long, help: "New or empty folder for the demo's files, which are kept (default: a temporary one).")
    var state: String?
    /// Every command takes it; a demo writes its own configuration.
    @Option(name: .long, help: .hidden)
    var config: String?
    @Option(name: .long, help: "Participant script to play instead of you.", completion: .file(extensions: ["json"]))
    var script: String?
    @Option(name: .long, help: "Begin with this task: its name or key, or a part of it.")
    var task: String?
    @Option(
        name: .long, help: "Rules beside the study: when sensors or chance prompt for its tasks.",
        completion: .file(extensions: ["toml"]))
    var rules: String?
    @Option(name: .customLong("for"), help: "Stop after this long, e.g. 90s.")
    var length: String?
    @Option(name: .long, help: "Address of a running study-receiver (default: start one).")
    var receiver: String?
    @Option(name: .long, help: "Board file, or the name of one that comes with studyd (default: simulated).")
    var board: String?
    @Option(name: .long, help: "Random seed.")
    var seed: UInt64 = 7
    @Flag(name: .long, help: "Keep the temporary folder with the event log and recordings.")
    var keep = false
    @Flag(name: .long, help: "Print lines as they come instead of drawing the board.")
    var plain = false

    func validate() throws {
        _ = try limit
        if let receiver, !JoinRequest(source: receiver).isAddress {
            throw ValidationError("--receiver \(receiver): use an address that begins with http:// or https://")
        }
        if let source, JoinRequest(source: source).isAddress, receiver == nil {
            throw ValidationError("\(source) is an address: name its server with --receiver, or give a file")
        }
    }

    /// Nil without --for; throws the error that `validate` reports.
    private var limit: Duration? {
        get throws {
            try length.map { text in
                guard let limit = try? Duration(parsing: text), limit >= .zero, limit <= .seconds(366 * 86_400) else {
                    throw ValidationError("--for \(text): use a duration up to 366 days, such as 90s")
                }
                return limit
            }
        }
    }

    func run() async throws {
        var demo = try await Demo(
            study: source.map(Resource.named) ?? Resource.path("studies/sleep-and-movement.json"), task: task,
            board: board.map { try Resource.board($0) } ?? Resource.path("boards/simulated.toml"), receiver: receiver,
            state: state, seed: seed,
            participant: script.map { try Participant(json: BoundedFile.read(Resource.named($0))) },
            rules: rules.map { try RulesFile(Resource.named($0)) }, isPlain: plain)
        // After a failure, too, --keep keeps the files.
        defer { demo.clean(keeping: keep) }
        let isInOrder = try await demo.play(for: limit ?? (script == nil ? .seconds(86_400) : .seconds(90)))
        guard isInOrder else { throw ExitCode(1) }
    }
}
