// SPDX-License-Identifier: Apache-2.0
import Agent
import ArgumentParser
import Commands
import Study

/// `studyd outbox`: what is waiting to be sent, and decisions about items that the server refused
/// or may have lost.
struct OutboxCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "outbox", abstract: "List, resend or delete items waiting to be sent.",
        discussion: "Example: studyd outbox\nExample: studyd outbox resend 3fa9c2b1",
        subcommands: [List.self, Resend.self, Delete.self], defaultSubcommand: List.self)

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the items with their ids, states and sizes.",
            discussion: """
                Refused items wait for you to resend or delete them. Those marked (kept) were delivered and can still be resent.
                Example: studyd outbox list --json
                """)
        @OptionGroup var common: CommonOptions
        @Flag(name: .long, help: "Print one JSON object per line.")
        var json = false

        func run() async throws {
            let items = OutboxList(try StoreAccess(common, isReading: true).database)
            let lines = json ? try await items.values().map(\.text) : try await items.lines()
            if lines.isEmpty { Output.remark("the outbox is empty") }
            lines.forEach(Output.line)
        }
    }

    struct Resend: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Resend what was refused, or what did not really arrive.",
            discussion: """
                Delivered answers are kept for a while ([upload] keep_answers in studyd.toml, default 7d), so that you can resend them if a
                network's login page swallowed them or the server lost its disk. A server that still has them stores them twice.
                Delivered recordings stay for seven days, while the disk has room; study-receiver stores none twice.

                Examples: studyd outbox resend 3fa9c2b1
                          studyd outbox resend --refused
                          studyd outbox resend --since 2026-11-21T08:00:00+01:00 --until 2026-11-21T12:00:00+01:00
                          studyd outbox resend --since 2h
                          studyd outbox resend --since 3d --recordings recordings
                """)
        @OptionGroup var common: CommonOptions
        @Argument(help: "The item's id, or enough of its beginning to be unique.")
        var id: String?
        @Flag(name: .long, help: "Resend everything that a server refused, once the reason is mended.")
        var refused = false
        @Option(
            help: ArgumentHelp(
                "Resend every answer delivered since then: an RFC 3339 time, or how long ago, e.g. 2h.",
                valueName: "time"))
        var since: String?
        @Option(help: ArgumentHelp("Resend only what was delivered before then (default: now).", valueName: "time"))
        var until: String?
        @Option(
            help: ArgumentHelp(
                "Resend to this destination the recordings whose files are still here, not answers; 'recordings' is the lab's receiver.",
                valueName: "destination"))
        var recordings: String?

        func validate() throws {
            guard [id != nil, since != nil, refused].count(where: \.self) == 1 else {
                throw ValidationError("give an ID, --refused or --since TIME")
            }
            guard since != nil || until == nil else { throw ValidationError("--until needs --since") }
            guard since != nil || recordings == nil else { throw ValidationError("--recordings needs --since") }
        }

        func run() async throws { try await OutboxCommand.perform(order, common) }

        private var order: OutboxOrder {
            switch (since, recordings) {
            case (nil, _): refused ? .resendRefused : .resend(id: id ?? "")
            case (let since?, nil): .resendDelivered(since: since, until: until)
            case (let since?, let destination?):
                .resendRecordings(destination: destination, since: since, until: until)
            }
        }
    }

    struct Delete: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Delete an item instead of sending it; it is counted as deleted.",
            discussion: "Example: studyd outbox delete 3fa9c2b1")
        @OptionGroup var common: CommonOptions
        @Argument(help: "The item's id, or enough of its beginning to be unique.")
        var id: String

        func run() async throws { try await OutboxCommand.perform(.delete(id: id), common) }
    }

    private static func perform(_ order: OutboxOrder, _ common: CommonOptions) async throws {
        try await StoreAccess.perform(.outbox(order: order), common) { store in
            try await OutboxDecision(database: store.database, stamps: store.stamps, isRunning: false).perform(order)
        }
    }
}
