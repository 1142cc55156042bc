// SPDX-License-Identifier: Apache-2.0
import Agent
import ArgumentParser
import Commands

/// `studyd withdraw`: leaves the study.
struct WithdrawCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "withdraw", abstract: "Leave the study and tell its server.",
        discussion: """
            Unsent data is sent first, for a few seconds. Whatever is left is kept, and studyd keeps sending it to the study you left,
            even when the device joins another one. If the study deletes its data, nothing more is sent, and the answers are
            erased from this device too; the log keeps the proof. What the lab's receiver, buckets and sticks have stays there.
            Before you give the device to somebody else, run 'studyd hand-over'.
            Example: studyd withdraw
            Example: studyd withdraw --delete-unsent
            """
    )

    @OptionGroup var common: CommonOptions
    @Flag(name: .long, help: "Delete unsent data, whatever the platform's rule.")
    var deleteUnsent = false
    @Flag(name: .long, help: "Keep and send unsent data, whatever the platform's rule.")
    var keepUnsent = false
    @Flag(
        name: .long,
        help: "If the study lets the participant choose: delete the answers, at the study and on this device.")
    var deleteData = false
    @Flag(name: .long, help: "If the study lets the participant choose: the study keeps the answers.")
    var keepData = false

    func validate() throws {
        guard !(deleteData && keepData) else { throw ValidationError("use --delete-data or --keep-data, not both") }
        guard !(deleteData && keepUnsent) else {
            throw ValidationError(
                "use --delete-data or --keep-unsent, not both: data to be deleted need not be sent first")
        }
        guard !(deleteUnsent && keepUnsent) else {
            throw ValidationError("use --delete-unsent or --keep-unsent, not both")
        }
    }

    func run() async throws {
        let unsent: Bool? = deleteUnsent ? true : keepUnsent ? false : nil
        let data: Bool? = deleteData ? true : keepData ? false : nil
        let request = ControlRequest.withdraw(deletesUnsent: unsent, deletesData: data)
        try await StoreAccess.perform(request, common, usesReserve: true) { store in
            let record = try await store.enroller().withdraw(deletesUnsent: unsent, deletesData: data)
            let delivery = WithdrawalDelivery(database: store.database, clock: store.stamps.clock)
            try await store.uploaders.deliver(within: WithdrawalDelivery.timeout) {
                try await delivery.isDelivered(record)
            }
            let rest = try await delivery.summary(of: record)
            return "withdrawn: \(record.participant) left study \(record.studyID); \(rest)"
        }
    }
}
