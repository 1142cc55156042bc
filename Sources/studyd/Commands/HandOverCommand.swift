// SPDX-License-Identifier: Apache-2.0
import Agent
import ArgumentParser

/// `studyd hand-over`: makes the device ready for another person.
struct HandOverCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "hand-over", abstract: "Prepare the device for the next participant.",
        discussion: """
            Sends what is left of the last participant, then deletes all of it from this device and closes the log: participant, draws and keys
            of the next are new, also in a study that takes nobody twice. Nothing is deleted not on any server, unless you say so. An enrolment in
            force ends here without a word to its server; 'studyd withdraw' comes first where somebody leaves. The agent must be stopped.
            Example: systemctl stop studyd && studyd hand-over
            """)

    @OptionGroup var common: CommonOptions
    @Flag(name: .long, help: "Also delete what has not been delivered.")
    var deleteUndelivered = false

    func run() async throws {
        guard try RunningAgent.ask(common, .status(json: false, uploads: false)) == nil else {
            throw AgentRefusal(text: "studyd is running: stop it first (systemctl stop studyd), then try again")
        }
        let store = try StoreAccess(common)
        let handOver = HandOver(store.folder, stamps: store.stamps)
        if !deleteUndelivered {
            try await store.uploaders.deliver(within: WithdrawalSummary.patience * 6) {
                try await store.database.undelivered().items == 0
            }
            try await handOver.refuseLoss(in: store.database)
        }
        defer { store.handOver() }
        let closed = try await handOver.close(store.database)
        Output.line(
            "ready for the next participant" + (closed.map { "; the closed log (without answers) is \($0)" } ?? "")
                + "; enrol with 'studyd enroll'")
    }
}
