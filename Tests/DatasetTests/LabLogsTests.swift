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

    private static func stamp(_ minutes: Int64) -> EventStamp {
        EventStamp(
            wall: start + .seconds(minutes * 60), monotonic: MonotonicTime(nanoseconds: minutes * 60_000_000_000),
            bootID: "boot-1", zoneOffset: 3600, enrolment: "e1")
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
            let draft = try #require(
                try await database.logSegment(of: record, to: "recordings", zone: .utc, signedBy: key))
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
