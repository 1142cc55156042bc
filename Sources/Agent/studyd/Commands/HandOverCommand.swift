// SPDX-License-Identifier: Apache-2.0
import Agent
import ArgumentParser
import Base
import Commands
import SystemKit

/// `studyd hand-over`: makes the device ready for another person.
struct HandOverCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "hand-over", abstract: "Prepare the device for the next participant.",
        discussion: """
            Sends the last participant's remaining data, then deletes all of their data from this device and closes the log. The next
            participant gets a new id, new random draws and new keys. Data that has not reached a server is deleted only if you say so.
            A running enrolment ends without telling its server: if the participant leaves the study, run 'studyd withdraw' first.
            Stop the agent before.
            Example: systemctl stop studyd && studyd hand-over
            """)

    @OptionGroup var common: CommonOptions
    @Flag(name: .long, help: "Also delete what has not been delivered.")
    var deleteUndelivered = false

    func run() async throws {
        guard try RunningAgent.ask(common, .status(json: false, uploads: false)) == nil else {
            throw AgentRefusal(text: "studyd is running: stop it first (systemctl stop studyd), then try again")
        }
        let store = try StoreAccess(common, usesReserve: true)
        defer { store.restoreOwner() }
        // An agent that is starting does not answer yet.
        let lock = try FolderLock(
            store.folder.lock, of: store.folder.path, taken: "studyd is running with this state folder",
            remedy: "stop it first (systemctl stop studyd), then try again")
        defer { lock.release() }
        let handOver = HandOver(store.folder, stamps: store.stamps)
        if !deleteUndelivered {
            let (limit, left) = (WithdrawalDelivery.timeout * 6, try await store.database.undelivered().items)
            if left > 0 {
                Output.remark("studyd: sending \(Plural.of(left, "item")) first, for \(limit.text) at most")
            }
            try await store.uploaders.deliver(within: limit) {
                try await store.database.undelivered().items == 0
            }
            try await handOver.refuseLoss(in: store.database)
        }
        let closed = try await handOver.complete(store.database, deletesUnsent: deleteUndelivered) {
            try await store.lastReport.send(from: store.database, deletesUnsent: deleteUndelivered)
        }
        Output.line(
            "ready for the next participant" + (closed.map { "; the closed log (without answers) is \($0)" } ?? "")
                + "; enrol with 'studyd enroll'")
    }
}
