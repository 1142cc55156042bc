// SPDX-License-Identifier: Apache-2.0
import Agent
import ArgumentParser
import Base
import Commands
import Study

/// `studyd verify-log`: the event log's hash chain.
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

    func run() async throws {
        let (fault, salvages): (ChainFault?, [SalvageRecord])
        if let file {
            (fault, salvages) = (try StudyDatabase.verifyLog(at: file), try StudyDatabase.salvages(at: file))
        } else {
            let database = try StoreAccess(common, isReading: true).database
            (fault, salvages) = (try await database.verifyLog(), try await database.salvages())
        }
        let lost = salvages.filter { $0.lostRows > 0 || $0.isEndUnknown }
        if json {
            var members: [JSONText.Member] = [.init("intact", .boolean(fault == nil && lost.isEmpty))]
            if let fault { members.append(.init("fault", .string("\(fault)"))) }
            Output.line(JSONText.object(members + [.init("salvages", .array(salvages.map { .string($0.words) }))]).text)
            if fault != nil || !lost.isEmpty { throw ExitCode(1) }
            return
        }
        if let fault {
            Output.remark("studyd: \(fault)")
            throw ExitCode(1)
        }
        guard lost.isEmpty else {
            for record in lost { Output.remark("studyd: \(record.words)") }
            Output.remark("studyd: the event log is intact except for the rows it reports as lost")
            throw ExitCode(1)
        }
        Output.line("event log intact")
    }
}
