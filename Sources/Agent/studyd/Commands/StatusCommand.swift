// SPDX-License-Identifier: Apache-2.0
import Agent
import ArgumentParser
import Commands

/// `studyd status`: what runs, and the ledger (which prompts, samples and uploads were due, and what became of
/// them).
struct StatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show what is running, what was recorded and sent, and the ledger.",
        discussion: "Example: studyd status --uploads")

    @OptionGroup var common: CommonOptions
    @Flag(name: .long, help: "List what is waiting to be sent or was refused, as 'studyd outbox' does.")
    var uploads = false
    @Flag(name: .long, help: "Print one JSON object.")
    var json = false
    @Flag(name: .long, help: "Show nothing but what rules decided, with who was treated.")
    var unblind = false

    func run() async throws {
        if unblind { return try await printDecisions() }
        if let text = try RunningAgent.ask(common, .status(json: json, uploads: uploads), isReading: true) {
            return print(text)
        }
        let store = try StoreAccess(common, isReading: true)
        let reader = StatusReader(
            database: store.database, view: nil, stamps: store.stamps, folder: store.configuration.state)
        print(try await reader.text(json: json, uploads: uploads))
    }

    private func printDecisions() async throws {
        let store = try StoreAccess(common, isReading: true)
        let counts = try await store.database.decisionCounts(of: try await store.enrolment().id)
        print(json ? counts.json.text : counts.text)
    }

    private func print(_ text: String) { Output.line(text.hasSuffix("\n") ? String(text.dropLast()) : text) }
}
