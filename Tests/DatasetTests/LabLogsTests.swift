// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import FoundationEssentials
import SystemKit
import Testing

@testable import Agent
@testable import Dataset
@testable import Study

/// Segments of a device's log in a lab's folder, as its store makes and signs them.
struct LabLogsTests {
    private static let start = Instant(seconds: 1_795_593_600)  // 2026-11-25T08:00:00Z
    private static let seed = [UInt8](repeating: 0x5A, count: 32)

    private static func stamp(_ minutes: Int64, _ enrolment: String = "e1") -> EventStamp {
        EventStamp(
            wall: start + .seconds(minutes * 60), monotonic: MonotonicTime(nanoseconds: minutes * 60_000_000_000),
            bootID: "boot-1", zoneOffset: 3600, enrolment: enrolment)
    }

    private static func decision(_ index: Int) -> DecisionRecord {
        let due = start + .seconds(index * 3600)
        return DecisionRecord(
            rule: "walk", index: index, task: "moment", due: due, at: due, local: LocalDateTime(due, offset: 3600),
            result: .control, available: true, reasons: [], state: [:], probability: 0.5, label: "rule walk/\(index)",
            draw: 0.9, budget: nil, outcome: nil, rules: "d")
    }

    /// Three segments: two decisions, two more, and the end of the enrolment.
    private static func segments() async throws -> [(name: String, bytes: [UInt8])] {
        let database = try StudyDatabase(.memory)
        let enrolment = Enrolment(
            id: "e1", studyID: LabFixture.study, participant: ParticipantID("P1"), condition: nil, instant: start,
            local: LocalDateTime(start, offset: 3600), seed: seed)
        var record = EnrolmentRecord(
            enrolment, platform: PlatformName(rawValue: "schema"), source: "s", fileDigest: try Digest(of: []))
        record.rules = try await database.keepStudyFile(
            Array("[rule.walk]\ntask = \"moment\"\nevery = \"1h\"\nprobability = 0.5\n".utf8), source: "r", at: start
        ).description
        let key = try #require(DeviceKey(seed: [UInt8](repeating: 7, count: 32))).signing
        try await database.append([.enrolled(enrolment: record)], at: stamp(0))
        var found: [(String, [UInt8])] = []
        for part in 0..<3 {
            let time = Int64(part) * 120 + 60
            if part < 2 {
                for index in [2 * part + 1, 2 * part + 2] {
                    try await database.append([.decided(decision: decision(index))], at: stamp(time))
                }
            } else {
                _ = try await database.withdraw(
                    deletesUnsent: false, erasesAnswers: false, sending: [], at: stamp(time))
            }
            let (draft, _) = try #require(
                try await database.logSegment(upTo: record, to: "recordings", zone: .utc, signedBy: key))
            guard case .request(let request) = draft.content else { continue }
            found.append((draft.origin, request.body))
            try await database.append([], sending: [draft], at: stamp(time))
        }
        return found
    }

    private static func trial(_ segments: [(name: String, bytes: [UInt8])]) async throws -> (
        trial: StudyTrial?, participant: Dataset.Participant?, issues: [String]
    ) {
        let lab = try LabFixture()
        try await lab.post()
        try File.makeFolder(lab.directory + "/logs")
        for (name, bytes) in segments { try AtomicFile.write(bytes, to: "\(lab.directory)/logs/e1-\(name)") }
        let folder = try LabFolder(lab.directory, study: nil)
        return (try folder.trial(), folder.participants.first, folder.issues.map(\.description))
    }

    @Test func segmentsAreTheDevicesDecisionsAndTheSeedComesWithTheLast() async throws {
        let segments = try await Self.segments()
        let (whole, participant, issues) = try await Self.trial(segments)
        let (trial, person) = (try #require(whole), try #require(participant))
        #expect(try trial.decisions(person).map(\.index) == [1, 2, 3, 4])
        #expect(trial.seeds(person).map(\.seed) == [Self.seed.hexadecimal] && trial.rules.count == 1)
        #expect(!issues.contains { $0.contains("log") }, "\(issues)")
        let log = try #require(trial.logs(person).first)
        #expect(log.enrolment == "e1" && !log.text.contains(Self.seed.hexadecimal))
        // Before the end it is in no segment, packed or not.
        let (before, _, _) = try await Self.trial(Array(segments.prefix(2)))
        #expect(try #require(before).seeds(person).map(\.seed) == [nil])
        for (_, bytes) in segments.prefix(2) {
            let file = "/tmp/studyd-segment-\(UInt64.random(in: 0 ... .max)).jsonl.gz"
            defer { try? FileManager.default.removeItem(atPath: file) }
            try AtomicFile.write(bytes, to: file)
            let text = String(decoding: try GzipFile.contents(File(file, .read), limit: 1 << 20), as: UTF8.self)
            #expect(text.contains("decided") && !text.contains(Self.seed.hexadecimal))
        }
    }

    /// A participant of another study without rules had the device before: what the device knew of its clock then
    /// is taken from their segments, and nothing else is.
    @Test func aTrialAfterAnotherStudyIsWholeAndHasTheStartOfTheAgent() async throws {
        let database = try StudyDatabase(.memory)
        func enrol(_ id: String, _ study: String, _ minutes: Int64, rules: String?) async throws -> EnrolmentRecord {
            let enrolment = Enrolment(
                id: id, studyID: study, participant: ParticipantID(id == "e1" ? "P1" : "P0"), condition: nil,
                instant: Self.start,
                local: LocalDateTime(Self.start, offset: 3600), seed: Self.seed)
            var record = EnrolmentRecord(
                enrolment, platform: PlatformName(rawValue: "schema"), source: "s", fileDigest: try Digest(of: []))
            if let rules {
                record.rules = try await database.keepStudyFile(Array(rules.utf8), source: "r", at: Self.start)
                    .description
            }
            try await database.append([.enrolled(enrolment: record)], at: Self.stamp(minutes, id))
            return record
        }
        _ = try await enrol("before", "another study", 0, rules: nil)
        let started = StudyEvent.agentStarted(version: "1")
        try await database.append([started], at: Self.stamp(1, "before"))
        _ = try await database.withdraw(
            deletesUnsent: false, erasesAnswers: false, sending: [], at: Self.stamp(2, "before"))
        let record = try await enrol(
            "e1", LabFixture.study, 3, rules: "[rule.walk]\ntask = \"moment\"\nevery = \"1h\"\nprobability = 0.5\n")
        try await database.append([.decided(decision: Self.decision(1))], at: Self.stamp(60))
        var segments: [(name: String, bytes: [UInt8])] = []
        while let (draft, enrolment) = try await database.logSegment(
            upTo: record, to: "recordings", zone: .utc, signedBy: nil), segments.count < 2
        {
            guard case .request(let request) = draft.content else { continue }
            segments.append((draft.origin, request.body))
            try await database.append([], sending: [draft], at: Self.stamp(60, enrolment))
        }
        let (whole, participant, issues) = try await Self.trial(segments)
        let (trial, person) = (try #require(whole), try #require(participant))
        #expect(try trial.decisions(person).map(\.index) == [1])
        #expect(!issues.contains { $0.contains("not here") }, "\(issues)")
        let log = try #require(trial.logs(person).first)
        #expect(log.text.contains("agentStarted") && !log.text.contains("withdrawn"))
    }

    @Test func aSegmentThatIsMissingOrChangedIsNamed() async throws {
        let segments = try await Self.segments()
        let gap = try await Self.trial([segments[0], segments[2]])
        #expect(gap.issues.contains { $0.contains("P1") && $0.contains("of its log are not here") }, "\(gap.issues)")
        var changed = segments
        changed[1].bytes[changed[1].bytes.count / 2] ^= 1
        let damaged = try await Self.trial(changed)
        #expect(damaged.issues.contains { $0.contains(segments[1].name) }, "\(damaged.issues)")
        #expect(damaged.issues.contains { $0.contains("of its log are not here") })
    }
}
