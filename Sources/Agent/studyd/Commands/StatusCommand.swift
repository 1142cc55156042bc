// SPDX-License-Identifier: Apache-2.0
import Agent
import ArgumentParser
import Commands

/// `studyd status`: what runs, and the ledger.
struct StatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show what is running, what was recorded and sent, and the ledger.",
        discussion: "Example: studyd status --uploads")

    @OptionGroup var common: CommonOptions
    @Flag(name: .long, help: "List what is waiting to be sent or was refused, as 'studyd outbox' does.")
    var uploads = false
    @Flag(name: .long, help: "Print one JSON object.")
    var json = false

    func run() async throws {
        if let text = try RunningAgent.ask(common, .status(json: json, uploads: uploads), isReading: true) {
            return print(text)
        }
        let store = try StoreAccess(common, isReading: true)
        let reader = StatusReader(
            database: store.database, view: nil, stamps: store.stamps, folder: store.configuration.state)
        print(try await reader.text(json: json, uploads: uploads))
    }

    private func print(_ text: String) { Output.text(text.hasSuffix("\n") ? text : text + "\n") }
}
