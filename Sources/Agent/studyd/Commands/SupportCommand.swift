// SPDX-License-Identifier: Apache-2.0
import Agent
import ArgumentParser
import Base
import Commands
import Glibc
import SystemKit

/// `studyd support`: a zip with status, check, journal and configuration, for those who look after the device
/// from far away.
struct SupportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "support",
        abstract: "Write a bundle for support: status, check, versions, configuration, journal, machine.",
        discussion: """
            It holds no answers, no positions, no names and no secrets. Run it as root, so that it can read the journal. Look through it
            before you pass it on.
            Example: studyd support
            Example: studyd support -o /tmp/device.zip
            """)

    @OptionGroup var common: CommonOptions
    @Option(name: .shortAndLong, help: "The archive to write.", completion: .file(extensions: ["zip"]))
    var output = "studyd-support.zip"

    func run() async throws {
        let settings = try common.readingConfiguration()
        let text = (try? BoundedFile.text(common.config)) ?? ""
        let zone = try SystemZone.load(settings.zone)
        let known = try await readStore()
        let check = try? await CheckOptions.report(common)
        let bundle = SupportBundle(
            configuration: text, folder: settings.state,
            names: (known.names ?? []) + SupportSecrets.all(in: settings, text), isStoreRead: known.names != nil)
        let status = known.status
        let archive = try await onThread("studyd-support") {
            try bundle.archive(status: status, check: check, at: SystemClock().now, in: zone)
        }
        try AtomicFile.write(archive, toNamed: output)
        if known.names == nil { Output.errorText("studyd: " + SupportBundle.doubt) }
        Output.line("wrote \(output); look through it before you pass it on")
    }

    /// The status as JSON, and the private texts to be removed from the bundle; nil where they cannot be
    /// read.
    private func readStore() async throws -> (status: String?, names: [String]?) {
        let running = try? RunningAgent.ask(common, .status(json: true, uploads: false), isReading: true)
        guard let store = try? StoreAccess(common, isReading: true) else { return (running, nil) }
        let names = try? await store.database.privateTexts()
        try? await store.remarkUnreadableAnswers()
        if let running { return (running, names) }
        let reader = StatusReader(
            database: store.database, view: nil, stamps: store.stamps, folder: store.configuration.state)
        return (try? await reader.text(json: true, uploads: false), names)
    }
}
