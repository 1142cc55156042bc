// SPDX-License-Identifier: Apache-2.0
import Agent
import ArgumentParser
import Base
import Commands
import Device
import Glibc
import Study
import SystemKit

/// `studyd prove`: the decisions of rules, computed once more.
struct ProveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "prove", abstract: "Compute every decision of the rules once more and compare it with the log.",
        discussion: """
            From the recordings, the rules and the seed of the draws. Prints how many of how many are as the log has them, or the first \
            that is not, and ends with 1. docs/prove.md
            Example: studyd prove /var/lib/studyd
            """)

    @OptionGroup var common: CommonOptions
    @Argument(help: "State folder (default: the one in the configuration).", completion: .directory)
    var folder: String?

    func run() async throws {
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
        for record in records { try await prove(record, store) }
    }

    private func prove(_ record: EnrolmentRecord, _ store: StoreAccess) async throws {
        let zone = try record.zone.map { try Zone.load($0) } ?? store.stamps.zone
        guard let rules = try await store.database.loadedStudy(record)?.study.rules,
            let enrolment = record.enrolment(in: zone)
        else { throw FileError(path: store.configuration.state, message: "\(record.id): its rules are not here") }
        let context = ScheduleContext(
            enrolment: enrolment, zone: zone, chance: Chance(enrolmentSeed: enrolment.seed),
            facts: try await store.database.facts(of: record.id))
        var walk = ProofWalk(rules, context, try RecordedRuns(in: store.folder.recordings))
        do {
            var next: Int64 = 1
            while let last = try await page(from: next, record, store, &walk) { next = last + 1 }
        } catch let difference as RuleProof.Difference {
            Output.remark("studyd: \(record.participant): \(difference)")
            throw ExitCode(1)
        }
        Output.line("\(record.participant): \(walk.verdict)")
    }

    /// The number of its last row; nil behind the end.
    private func page(
        from first: Int64, _ record: EnrolmentRecord, _ store: StoreAccess, _ walk: inout ProofWalk
    ) async throws -> Int64? {
        let rows = try await store.database.events(from: first)
        for row in rows { try walk.take(row, of: record.id) }
        return rows.last?.sequence
    }
}

/// A log and the recordings beside it, row by row.
private struct ProofWalk {
    private var proof: RuleProof
    private let rules: StudyRules
    private let runs: RecordedRuns
    /// What sensors say, as far as it is to come.
    private var world: ArraySlice<FeatureWorld.Entry> = []

    init(_ rules: StudyRules, _ context: ScheduleContext, _ runs: RecordedRuns) {
        (self.rules, self.runs) = (rules, runs)
        proof = RuleProof(rules, context: context)
    }

    var verdict: String {
        let taken = proof.taken.sorted { $0.key < $1.key }.map { "; \($0.key), taken as logged: \($0.value)" }
        return "\(proof.decisions) of \(Plural.of(proof.decisions, "decision")), "
            + "\(Plural.of(proof.outcomes, "outcome")), \(Plural.of(proof.values, "value")) of features are what the "
            + "recordings, the rules and the seed say" + taken.joined()
    }

    mutating func take(_ row: LoggedEvent, of enrolment: String) throws {
        let now = Moment(instant: row.stamp.wall, monotonic: row.stamp.monotonic)
        if case .agentStarted = row.event {
            world = try runs.world(from: row.stamp, rules)
            proof.restart(at: now)
        }
        guard row.stamp.enrolment == enrolment else { return }
        switch row.event {
        case .decided(let decision):
            feed(until: decision.at, now)
            let numbers = decision.state?.values.flatMap { $0.recordings ?? [] } ?? []
            try proof.check(decision, at: now, isMeasured: runs.hold(numbers))
        case .outcomeMeasured(let outcome):
            feed(until: outcome.at, now)
            try proof.check(outcome, isMeasured: runs.hold(outcome.recordings ?? []))
        default: proof.note(row.event, at: now)
        }
    }

    private mutating func feed(until time: Instant, _ now: Moment) {
        while let entry = world.first, entry.at <= time {
            switch entry.news {
            case .epoch(let epoch): proof.add(epoch, at: now)
            case .notWorn(let since): proof.notWorn(since: since, at: now)
            }
            world = world.dropFirst()
        }
    }
}

/// Recordings of acceleration, by the run of the agent that made them.
private struct RecordedRuns {
    private struct File {
        let path: String
        let number: Int
        let boot: String
        let start: Double
    }
    private let files: [File]

    init(in folder: String) throws {
        files = try FolderListing.names(in: folder, most: 100_000).sorted().compactMap { name in
            guard name.hasSuffix("-accelerometer.cwa"), let number = Int(name.prefix { $0.isNumber }),
                let description = try RecordedFile("\(folder)/\(name)").description, description.task == nil
            else { return nil }
            return File(
                path: "\(folder)/\(name)", number: number, boot: description.bootID, start: description.startUptime)
        }
    }

    func hold(_ numbers: [Int]) -> Bool { numbers.allSatisfy { number in files.contains { $0.number == number } } }

    /// What a run that began then knew.
    func world(from begin: EventStamp, _ rules: StudyRules) throws -> ArraySlice<FeatureWorld.Entry> {
        let start = Double(begin.monotonic.nanoseconds) / 1e9
        let own = files.filter { $0.boot == begin.bootID && $0.start >= start }
        guard !own.isEmpty else { return [] }
        let wear = rules.rules.contains { $0.needs.contains(.worn) }
        return try FeatureWorld(replaying: own.map(\.path), rules.features, wear: wear).entries[...]
    }
}
