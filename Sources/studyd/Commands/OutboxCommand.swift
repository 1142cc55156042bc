// SPDX-License-Identifier: Apache-2.0
import Agent
import ArgumentParser
import Store

/// `studyd outbox`: what somebody decides about an item that the server refused, or of which nobody knows whether it arrived.
struct OutboxCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "outbox", abstract: "Sends items again, or deletes them.",
        discussion: "'studyd status --uploads' shows the items with their ids.\nExample: studyd outbox resend 3fa9c2b1",
        subcommands: [Resend.self, Delete.self])

    struct Resend: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Sends a refused item again, or delivered answers whose receipt was none.",
            discussion: """
                The bytes of delivered answers are kept for a while ([upload] keep_answers in studyd.toml, 7d): where a network's log-in page or
                a server that lost its disk took them, they can be sent again. A server that has them stores them twice.

                Examples: studyd outbox resend 3fa9c2b1
                          studyd outbox resend --since 2026-11-21T08:00:00+01:00 --until 2026-11-21T12:00:00+01:00
                          studyd outbox resend --since 2h
                """)
        @OptionGroup var common: CommonOptions
        @Argument(help: "The id, or as much of its beginning as is unique.")
        var id: String?
        @Option(
            help: ArgumentHelp(
                "Every answer delivered from then on: RFC 3339, or how long ago, such as 2h.", valueName: "time"))
        var since: String?
        @Option(help: ArgumentHelp("Not those delivered from then on; left out: now.", valueName: "time"))
        var until: String?

        func validate() throws {
            guard (id == nil) != (since == nil) else { throw ValidationError("give an ID, or --since TIME") }
            guard since != nil || until == nil else { throw ValidationError("--until needs --since") }
        }

        func run() async throws {
            let order = since.map { OutboxOrder.resendDelivered(since: $0, until: until) } ?? .resend(id: id ?? "")
            Output.line(try await OutboxCommand.perform(order, common))
        }
    }

    struct Delete: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Deletes an item that is not to be sent; it is counted as deleted.",
            discussion: "Example: studyd outbox delete 3fa9c2b1")
        @OptionGroup var common: CommonOptions
        @Argument(help: "The id, or as much of its beginning as is unique.")
        var id: String

        func run() async throws { Output.line(try await OutboxCommand.perform(.delete(id: id), common)) }
    }

    private static func perform(_ order: OutboxOrder, _ common: CommonOptions) async throws -> String {
        if let text = try RunningAgent.ask(common, .outbox(order: order)) { return text }
        let store = try StoreAccess(common)
        return try await OutboxDecision(database: store.database, stamps: store.stamps).perform(order)
    }
}
