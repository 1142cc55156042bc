// SPDX-License-Identifier: Apache-2.0
import Agent
import ArgumentParser
import Glibc
import Logging
import StudyEngine
import Times

/// `studyd demo`: the whole agent on the simulated board, in real time.
struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo", abstract: "Runs the whole agent on the simulated board; the participant is you.",
        discussion: """
            The board's wall clock begins shortly before the study's first prompt and jumps to the next one when nothing is open
            (key t, or by itself with --script). Ends with the ledger.
            Example: studyd demo
            Example: studyd demo --script studies/participant.json --for 60s
            """)

    @OptionGroup var common: CommonOptions
    @Option(name: .long, help: "A scripted participant instead of you.")
    var script: String?
    @Option(name: .customLong("for"), help: "Ends after so long: 90s, 5m.")
    var length: String?
    @Option(name: .long, help: "The address of a study-receiver, instead of starting one.")
    var receiver: String?
    @Option(
        name: .long, help: "A study's file or folder instead of the example; studies/ has one with the active tasks.")
    var study: String?
    @Option(name: .long, help: "A board file instead of boards/simulated.toml.")
    var board: String?
    @Option(name: .long, help: "Number from which the draws follow.")
    var seed: UInt64 = 7
    @Flag(name: .long, help: "Keeps the folder with store and recordings.")
    var keep = false

    func run() async throws {
        let limit = try length.map { try Duration(parsing: $0) }
        var demo = try await Demo(
            study: study ?? Resource.path("studies/sleep-and-movement.json"),
            board: board ?? Resource.path("boards/simulated.toml"), receiver: receiver, state: common.state, seed: seed,
            participant: script.map { try Participant(json: BoundedFile.read($0)) })
        let isBalanced = try await demo.play(for: limit ?? (script == nil ? .seconds(86_400) : .seconds(90)))
        try demo.clean(keeping: keep)
        guard isBalanced else {
            Output.note("studyd: the ledger does not balance")
            throw ExitCode(1)
        }
    }
}
