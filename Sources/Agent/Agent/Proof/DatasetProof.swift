// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import FoundationEssentials
import Glibc
import Study
import SystemKit

/// `studyd prove` for a dataset that was exported with `--unblind`: recomputes its decisions from the log, the rules,
/// the seeds and the recordings in it.
package struct DatasetProof {
    private let folder: String
    private let seeds: SeparatedTable
    private let decisions: DecisionTableCheck
    private static let (largestTable, largestLog) = (512 << 20, 2 << 30)

    /// True for a folder with such a dataset.
    package static func isThere(_ folder: String) -> Bool { access(folder + "/decisions.csv", F_OK) == 0 }

    package init(_ folder: String) throws {
        self.folder = folder
        guard access(folder + "/seeds.csv", F_OK) == 0 else {
            throw FileError(
                path: folder, message: "has no seeds.csv", remedy: "export it with 'study-receiver export --unblind'")
        }
        seeds = try Self.table(folder + "/seeds.csv")
        decisions = DecisionTableCheck(try Self.table(folder + "/decisions.csv"))
    }

    /// Gives `tell` the verdict on each enrolment, in the order of seeds.csv. Throws the first difference.
    package func prove(_ tell: (String) -> Void) throws {
        var known: Set<DecisionTableCheck.Key> = []
        for row in seeds.rows {
            func cell(_ name: String) -> String { seeds.value(name, in: row) ?? "" }
            let (verdict, decided) = try prove(cell("id"), cell("enrolment"), seed: cell("seed"), rules: cell("rules"))
            known.formUnion(decided)
            tell("\(cell("id")): \(verdict)")
        }
        try decisions.checkNoMore(than: known)
    }

    private static func table(_ path: String) throws -> SeparatedTable {
        try SeparatedTable(
            parsing: try BoundedFile.read(path, limit: largestTable), file: path, limit: largestTable)
    }

    private func prove(
        _ participant: String, _ enrolment: String, seed: String, rules digest: String
    ) throws -> (verdict: String, decided: Set<DecisionTableCheck.Key>) {
        guard [UInt8](hexadecimal: seed)?.count == 32 else {
            throw FileError(
                path: folder + "/seeds.csv", message: "has no seed of \(participant), \(enrolment)",
                remedy: "the device sends it when the enrolment is over; before, use 'studyd prove --seeds' there and "
                    + "'study-receiver export --seed-file'")
        }
        let rules = try rules(digest)
        let (logged, rows) = try log(enrolment)
        let other = [
            logged.rules == digest ? nil : "rules", logged.participant == participant ? nil : "participant",
            logged.id == enrolment ? nil : "enrolment",
        ].compactMap(\.self)
        guard other.isEmpty else {
            throw FileError(
                path: folder,
                message: "\(participant): trial/ has another \(other.joined(separator: ", ")) than seeds.csv")
        }
        let context = try logged.context(seed: [UInt8](hexadecimal: seed) ?? [])
        let runs = try RecordedRuns(
            in: "\(folder)/recordings/\(PathName.safe(participant))/\(PathName.safe(enrolment))")
        for row in rows { if case .recordingSealed(let recording) = row.event { try runs.check(recording) } }
        var walk = ProofWalk(rules, context, runs)
        do { for row in rows { try walk.take(row) } } catch let difference as RuleProof.Difference {
            throw ProofDifference(description: "\(participant): \(difference)")
        }
        let (decided, added) = try decisions.check(rows, of: context.enrolment)
        let more = added.isEmpty ? "" : "; not compared in decisions.csv: \(added.joined(separator: ", "))"
        return (walk.verdict + more, decided)
    }

    private func rules(_ digest: String) throws -> StudyRules {
        let path = "\(folder)/rules/\(PathName.safe(digest)).toml"
        guard access(path, F_OK) == 0 else {
            throw FileError(
                path: path, message: "is not here: the rules that seeds.csv names",
                remedy: "export it again with 'study-receiver export --unblind'")
        }
        let bytes = try BoundedFile.read(path, limit: TOMLTable.maximumSize)
        guard try Digest(of: bytes).description == digest else {
            throw FileError(
                path: path, message: "is not the file that was enrolled with: its SHA-256 is another",
                remedy: "export it again with 'study-receiver export --unblind'")
        }
        return try StudyRules.kept(bytes)
    }

    /// The enrolment as the log's file has it, and its rows.
    private func log(_ enrolment: String) throws -> (TrialHead.Enrolled, [LoggedEvent]) {
        let path = "\(folder)/trial/\(PathName.safe(enrolment)).jsonl"
        guard access(path, F_OK) == 0 else {
            throw FileError(
                path: path, message: "is not here",
                remedy: "export it with --unblind, and without --from and --until, which leave out points")
        }
        let lines = try BoundedFile.read(path, limit: Self.largestLog).split(separator: 0x0A)
        func failure(_ line: Int) -> FileError { .format(path: path, problem: "line \(line) is no row of a log") }
        guard let first = lines.first, let head = try? JSONDecoder().decode(TrialHead.self, from: Data(first)) else {
            throw failure(1)
        }
        let rows = try lines.dropFirst().enumerated().map { place, line in
            guard let row = try? JSONDecoder().decode(TrialLine.self, from: Data(line)).logged else {
                throw failure(place + 2)
            }
            return row
        }
        return (head.enrolled, rows)
    }
}

/// The first line of an enrolment's log in a dataset.
private struct TrialHead: Decodable {
    struct Enrolled: Decodable {
        let id: String
        let studyID: String
        let participant: String
        let instant: Instant
        let local: LocalDateTime
        let zone: String?
        let rules: String
    }
    let enrolled: Enrolled
}

extension TrialHead.Enrolled {
    func context(seed: [UInt8]) throws -> ScheduleContext {
        let named = try zone.map { try Zone.load($0) }
        let enrolment = Enrolment(
            id: id, studyID: studyID, participant: ParticipantID(participant), condition: nil, instant: instant,
            local: local, zone: named, seed: seed)
        return ScheduleContext(
            enrolment: enrolment, zone: enrolment.zone, chance: Chance(enrolmentSeed: seed), facts: StudyFacts())
    }
}

/// Any further line: a row of the log.
private struct TrialLine: Decodable {
    let row: Int64
    let enrolment: String
    let wall: Instant
    let monotonic: MonotonicTime
    let boot: String
    let kind: String
    let body: String

    var logged: LoggedEvent {
        get throws {
            LoggedEvent(
                sequence: row,
                stamp: EventStamp(wall: wall, monotonic: monotonic, bootID: boot, zoneOffset: 0, enrolment: enrolment),
                event: try StudyEvent(kind: kind, body: body))
        }
    }
}
