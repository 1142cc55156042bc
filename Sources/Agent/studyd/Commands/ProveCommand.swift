// SPDX-License-Identifier: Apache-2.0
import Agent
import ArgumentParser
import Base
import Commands
import Study
import SystemKit

/// `studyd prove`: computes the decisions of rules again and compares them with the log.
struct ProveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "prove", abstract: "Compute every decision of the rules once more and compare it with the log.",
        discussion: """
            From the recordings, the rules and the seed of the draws: in the state folder of a device, or in a dataset that was exported \
            with --unblind. Prints how many decisions agree with the log, or the first that does not, and then exits with 1. docs/prove.md
            Example: studyd prove mood
            """)

    @OptionGroup var common: CommonOptions
    @Argument(help: "State folder (default: the one in the configuration), or dataset.", completion: .directory)
    var folder: String?
    @Flag(name: .long, help: "Print each enrolment's seed instead: anyone who has it knows the draws to come.")
    var seeds = false

    func run() async throws {
        if let folder, DatasetProof.isThere(folder) { return try proveDataset(folder) }
        var common = common
        common.state = folder ?? common.state
        let store = try StoreAccess(common, isReading: true)
        let records = try await store.database.events(kind: "enrolled").compactMap { logged -> EnrolmentRecord? in
            if case .enrolled(let record) = logged.event, record.rules != nil { record } else { nil }
        }
        guard !records.isEmpty else {
            throw FileError(
                path: store.configuration.state, message: "no enrolment has rules", remedy: "enroll with --rules FILE")
        }
        var agree = true
        for record in records {
            if seeds {
                Output.line("\(record.id) \(record.seed)")
            } else if try await !agrees(record, store) {
                agree = false
            }
        }
        if !agree { throw ExitCode(1) }
    }

    private func proveDataset(_ folder: String) throws {
        do {
            try DatasetProof(folder).prove { Output.line($0) }
        } catch let difference as ProofDifference {
            Output.remark("studyd: \(difference)")
            throw ExitCode(1)
        }
    }

    /// Prints the verdict on an enrolment; false where a decision differs, or cannot be computed.
    private func agrees(_ record: EnrolmentRecord, _ store: StoreAccess) async throws -> Bool {
        let zone = try record.zone.map { try Zone.load($0) } ?? store.stamps.zone
        guard let rules = try await store.database.loadedStudy(record)?.study.rules,
            let enrolment = record.enrolment(in: zone)
        else {
            let missing = FileError(path: store.configuration.state, message: "\(record.id): its rules are not here")
            Output.remark("studyd: \(missing)")
            return false
        }
        let context = ScheduleContext(
            enrolment: enrolment, zone: zone, chance: Chance(enrolmentSeed: enrolment.seed),
            facts: try await store.database.facts(of: record.id))
        let runs = try RecordedRuns(in: store.folder.recordings)
        for row in try await store.database.events(kind: "recordingSealed", limit: -1) {
            if case .recordingSealed(let recording) = row.event { try runs.check(recording) }
        }
        var walk = ProofWalk(rules, context, runs)
        do {
            var next: Int64 = 1
            while let last = try await feedPage(from: next, store, to: &walk) { next = last + 1 }
        } catch let difference as RuleProof.Difference {
            Output.remark("studyd: \(record.participant): \(difference)")
            return false
        }
        Output.line("\(record.participant): \(walk.verdict)")
        return true
    }

    /// Gives the next rows of the log to `walk`; returns the number of the last, nil behind the end.
    private func feedPage(
        from first: Int64, _ store: StoreAccess, to walk: inout ProofWalk
    ) async throws -> Int64? {
        let rows = try await store.database.events(from: first)
        for row in rows { try walk.take(row) }
        return rows.last?.sequence
    }
}
