// SPDX-License-Identifier: Apache-2.0
import Agent
import ArgumentParser
import Store

/// `studyd outbox`: what somebody decides about an item that the server refused, or of which nobody knows whether it arrived.
struct OutboxCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "outbox", abstract: "Sends a refused item again, or deletes it.",
        discussion: "'studyd status --uploads' shows the items with their ids.\nExample: studyd outbox resend 3fa9c2b1",
        subcommands: [Resend.self, Delete.self])

    struct Resend: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Sends a refused item again.", discussion: "Example: studyd outbox resend 3fa9c2b1")
        @OptionGroup var common: CommonOptions
        @Argument(help: "The id, or as much of its beginning as is unique.")
        var id: String

        func run() async throws { Output.line(try await OutboxCommand.act(common, "resend", id)) }
    }

    struct Delete: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Deletes an item that is not to be sent; it is counted as deleted.",
            discussion: "Example: studyd outbox delete 3fa9c2b1")
        @OptionGroup var common: CommonOptions
        @Argument(help: "The id, or as much of its beginning as is unique.")
        var id: String

        func run() async throws { Output.line(try await OutboxCommand.act(common, "delete", id)) }
    }

    private static func act(_ common: CommonOptions, _ act: String, _ id: String) async throws -> String {
        if let text = try RunningAgent.ask(common, "outbox", ["act": act, "id": id]) { return text }
        let store = try StoreAccess(common)
        return try await OutboxDecision(database: store.database, stamps: store.stamps).perform(act, on: id)
    }
}
