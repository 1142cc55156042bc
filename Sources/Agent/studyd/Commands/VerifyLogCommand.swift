// SPDX-License-Identifier: Apache-2.0
import Agent
import ArgumentParser
import Base
import Commands
import Glibc
import Study
import SystemKit

/// `studyd verify-log`: checks the event log's hash chain.
struct VerifyLogCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify-log", abstract: "Verify the event log (or a closed one) against its hash chain.",
        discussion: """
            Example: studyd verify-log
            Example: studyd verify-log /var/lib/studyd/closed/9f2c4d5e6a7b.sqlite
            """)

    @OptionGroup var common: CommonOptions
    @Argument(
        help: "A log closed by 'studyd hand-over', or a copy of one (default: this device's log).",
        completion: .file())
    var file: String?
    @Flag(name: .long, help: "Print one JSON object.")
    var json = false

    @Option(
        help: ArgumentHelp(
            "Require a row that this receiver has confirmed: its key, of 'study-receiver devices key'.",
            valueName: "key"
        ))
    var receiverKey: String?

    func validate() throws {
        guard let receiverKey, receiverKey.utf8.count != 64 || !receiverKey.allSatisfy(\.isHexDigit) else { return }
        throw ValidationError(
            "--receiver-key: '\(receiverKey)' is no key of 64 hexadecimal digits, as 'study-receiver devices key' prints it"
        )
    }

    func run() async throws {
        let (fault, salvages, confirmed) = try await readLog()
        let lost = salvages.filter { $0.lostRows > 0 || $0.isEndUnknown }
        let confirmations = confirmed.confirmations.filter {
            receiverKey == nil || $0.receiver == receiverKey?.lowercased()
        }
        let faults = [fault].compactMap(\.self) + confirmed.faults.prefix(10)
        var problems = faults.map(\.description) + lost.map(\.words)
        if let receiverKey, confirmations.isEmpty {
            problems.append(
                "no row was confirmed by the receiver \(receiverKey): the log was made again, or nothing was delivered there"
            )
        }
        if json {
            Output.line(text(problems, salvages, confirmations))
        } else {
            for problem in problems { Output.remark("studyd: \(problem)") }
            if fault == nil, !lost.isEmpty {
                Output.remark("studyd: the event log is intact except for the rows it reports as lost")
            }
            if problems.isEmpty { Output.line("event log intact") }
            for one in confirmations {
                Output.line(
                    "rows 1 to \(one.sequence) confirmed by receiver \(one.receiver) at \(one.time.rfc3339Zulu())")
            }
        }
        if !problems.isEmpty { throw ExitCode(1) }
    }

    /// Verifies the named log or the device's: the first fault of its chain, what salvage lost, and which
    /// rows receivers have confirmed.
    private func readLog() async throws -> (ChainFault?, [SalvageRecord], ConfirmedRows) {
        if let file {
            guard access(file, R_OK) == 0 else { throw FileError.lastReading(file) }
            do {
                let log = try ReadOnlyLog(file)
                return (try log.verify(), try log.salvages(), try log.confirmedRows())
            } catch {
                throw FileError(
                    path: file, message: "cannot be read as an event log: \(Explanation(error).finding)",
                    remedy: "name a closed log, or a copy of studyd.sqlite")
            }
        }
        let database = try StoreAccess(common, isReading: true).database
        return (try await database.verifyLog(), try await database.salvages(), try await database.confirmedRows())
    }

    private func text(
        _ problems: [String], _ salvages: [SalvageRecord], _ confirmations: [ConfirmedRows.Confirmation]
    ) -> String {
        let confirmed = confirmations.map { one in
            JSONText.object([
                .init("receiver", .string(one.receiver)), .init("row", .integer(one.sequence)),
                .init("at", .string(one.time.rfc3339Zulu())),
            ])
        }
        return JSONText.object([
            "intact": .boolean(problems.isEmpty), "fault": problems.first.map { .string($0) },
            "problems": .array(problems.map { .string($0) }), "salvages": .array(salvages.map { .string($0.words) }),
            "confirmed": .array(confirmed),
        ]).text
    }
}
