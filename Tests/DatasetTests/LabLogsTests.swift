// SPDX-License-Identifier: Apache-2.0
import Base
import Database
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

    private static func begin(_ database: StudyDatabase) async throws -> EnrolmentRecord {
        let enrolment = Enrolment(
            id: "e1", studyID: LabFixture.study, participant: ParticipantID("P1"), condition: nil, instant: start,
            local: LocalDateTime(start, offset: 3600), seed: seed)
        var record = EnrolmentRecord(
            enrolment, platform: PlatformName(rawValue: "schema"), source: "s", fileDigest: try Digest(of: []))
        record.rules = try await database.keepStudyFile(
            Array("[rule.walk]\ntask = \"moment\"\nevery = \"1h\"\nprobability = 0.5\n".utf8), source: "r", at: start
        ).description
        try await database.append([.enrolled(enrolment: record)], at: stamp(0))
        return record
    }

    /// What is not sent there yet, which is queued now.
    private static func segment(
        _ database: StudyDatabase, _ record: EnrolmentRecord, to destination: String, at minutes: Int64,
        signedBy device: UInt8? = 7
    ) async throws -> (name: String, bytes: [UInt8]) {
        let key = try device.map { try #require(DeviceKey(seed: [UInt8](repeating: $0, count: 32))).signing }
        let (draft, _) = try #require(
            try await database.logSegment(upTo: record, to: destination, zone: .utc, signedBy: key))
        guard case .request(let request) = draft.content else { throw FileError(path: draft.origin, message: "a file") }
        try await database.append([], sending: [draft], at: stamp(minutes))
        return ("\(destination)-\(draft.origin)", request.body)
    }

    /// Segments after two decisions, after two more, and after the end of the enrolment, to each of these places.
    private static func segments(
        to places: [[String]] = [["recordings"], ["recordings"], ["recordings"]]
    ) async throws -> [(name: String, bytes: [UInt8])] {
        let database = try StudyDatabase(.memory)
        let record = try await begin(database)
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
            for place in places[part] { found.append(try await segment(database, record, to: place, at: time)) }
        }
        return found
    }

    /// `keys` are those that the receiver has in P1's name, each with what it is good for.
    private static func trial(
        _ segments: [(name: String, bytes: [UInt8])], keys: [(key: String, state: String)] = []
    ) async throws -> (trial: StudyTrial?, participant: Dataset.Participant?, issues: [String]) {
        let lab = try LabFixture()
        try await lab.post()
        if !keys.isEmpty {
            let devices = try Connection(.file(lab.directory + "/devices.sqlite"))
            try devices.execute(
                "CREATE TABLE IF NOT EXISTS key (user TEXT, key TEXT, state TEXT, first INTEGER, last INTEGER)")
            for (key, state) in keys { try devices.run("INSERT INTO key VALUES ('P1', ?, ?, 0, 0)", key, state) }
        }
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

    /// As in a device's own folder.
    @Test func afterAJourneyDecisionsAreOfTheNewZone() async throws {
        let database = try StudyDatabase(.memory)
        let record = try await Self.begin(database)
        for (minutes, event) in [
            (60, .decided(decision: Self.decision(1))),
            (90, .zoneChanged(from: "Europe/Berlin", to: "Asia/Kathmandu")),
            (120, .decided(decision: Self.decision(2))),
        ] as [(Int64, StudyEvent)] {
            try await database.append([event], at: Self.stamp(minutes))
        }
        let segment = try await Self.segment(database, record, to: "recordings", at: 121)
        let (whole, participant, _) = try await Self.trial([segment])
        let (trial, person) = (try #require(whole), try #require(participant))
        #expect(try trial.decisions(person).map(\.due.offset) == [3_600, 20_700])
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

    /// A bucket and the lab's receiver get the same log, each cut at other rows; in the second case the seed is in
    /// a segment that ends with the last row, and another that began later has none.
    @Test(arguments: [
        [["bucket"], ["bucket", "lab"], ["lab", "bucket"]], [["bucket", "lab"], ["lab"], ["bucket"]],
    ]) func aLogThatCameTwoWaysIsCountedOnce(places: [[String]]) async throws {
        let (whole, participant, issues) = try await Self.trial(try await Self.segments(to: places))
        let (trial, person) = (try #require(whole), try #require(participant))
        #expect(try trial.decisions(person).map(\.index) == [1, 2, 3, 4])
        #expect(!issues.contains { $0.contains("log") }, "\(issues)")
        #expect(trial.seeds(person).map(\.seed) == [Self.seed.hexadecimal])
        let lines = try #require(trial.logs(person).first).text.split(separator: "\n").dropFirst()
        let rows = lines.compactMap { $0.split(separator: "\"row\":").last?.prefix { $0.isNumber } }.map {
            Int($0) ?? 0
        }
        #expect(rows.count == 5 && zip(rows, rows.dropFirst()).allSatisfy { $0 < $1 }, "\(lines)")
    }

    /// A card was copied, and both copies went on.
    @Test func aLogThatPartsFromItselfWithinASegmentIsNamed() async throws {
        let folder = "/tmp/studyd-copied-\(UInt64.random(in: 0 ... .max))"
        try File.makeFolder(folder + "/one")
        defer { try? FileManager.default.removeItem(atPath: folder) }
        func open(_ name: String) throws -> StudyDatabase {
            try StudyDatabase(.file("\(folder)/\(name)/studyd.sqlite"))
        }
        func decide(_ index: Int, _ database: StudyDatabase) async throws {
            try await database.append([.decided(decision: Self.decision(index))], at: Self.stamp(60))
        }
        let one = try open("one")
        let record = try await Self.begin(one)
        try await decide(1, one)
        try FileManager.default.copyItem(atPath: folder + "/one", toPath: folder + "/other")
        let other = try open("other")
        for index in [2, 3] { try await decide(index, one) }
        for index in [2, 4, 5] { try await decide(index, other) }
        let segments = [
            try await Self.segment(one, record, to: "bucket", at: 61),
            try await Self.segment(other, record, to: "lab", at: 61),
        ]
        let (_, _, issues) = try await Self.trial(segments)
        #expect(issues.contains { $0.contains("P1") && $0.contains("of its log follows another row") }, "\(issues)")
    }

    /// A log that says that it is another participant's, or of another study, than its upload says decides nothing.
    @Test(
        arguments: [
            ("P1", LabFixture.study, true), ("P1", nil, true), ("P2", LabFixture.study, false), ("P1", "other", false),
        ] as [(String, String?, Bool)])
    func whereRulesDecideIsSaidByLogsOfThatStudy(user: String, study: String?, isRuled: Bool) async throws {
        let lab = try LabFixture()
        let blinding = LabBlinding(lab.directory)
        #expect(try await !blinding.hasRules())
        for (name, bytes) in try await Self.segments() {
            try await lab.upload(String(name.dropFirst("recordings-".count)), bytes, of: user, study: study)
        }
        #expect(try await blinding.hasRules() == isRuled)
        #expect(try await blinding.ruled(["P1", "P2"]) == (isRuled ? ["P1"] : []))
        #expect(try await blinding.tasks(of: user) == (isRuled ? ["moment"] : []))
    }

    @Test func aSegmentThatIsNotWholeOrCannotBeReadIsReadLater() async throws {
        let lab = try LabFixture()
        let blinding = LabBlinding(lab.directory)
        let segment = try #require(try await Self.segments().first)
        try await lab.upload(String(segment.name.dropFirst("recordings-".count)), segment.bytes)
        let archive = try Connection(.file(lab.directory + "/receiver.sqlite"))
        try archive.run("UPDATE upload SET sha256 = NULL")
        #expect(try await !blinding.hasRules())
        try archive.run("UPDATE upload SET sha256 = 'x'")
        let (files, away) = (lab.directory + "/files", lab.directory + "/away")
        try FileManager.default.moveItem(atPath: files, toPath: away)
        #expect(try await !blinding.hasRules())
        try FileManager.default.moveItem(atPath: away, toPath: files)
        #expect(try await blinding.hasRules())
    }

    /// A fleet of ten thousand sends that many in ten days.
    @Test func theNewestOfAHundredThousandSegmentsIsRead() async throws {
        let lab = try LabFixture()
        try await lab.post()
        try Connection(.file(lab.directory + "/receiver.sqlite")).execute(
            """
            WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000)
            INSERT INTO upload (id, user, kind, name, metadata, length, offset, created, changed, sha256, file, mismatches)
            SELECT 'x' || i, 'P9', '', 'log-' || i || '.jsonl.gz', '{}', 1, 1, 0, 0, 'x', 'gone', 0 FROM n
            """)
        for (name, bytes) in try await Self.segments() {
            try await lab.upload(String(name.dropFirst("recordings-".count)), bytes, recording: nil)
        }
        let folder = try LabFolder(lab.directory, study: nil)
        let trial = try #require(try folder.trial())
        let person = try #require(folder.participants.first { $0.id == "P1" })
        #expect(try trial.decisions(person).map(\.index) == [1, 2, 3, 4])
    }

    /// Made whole elsewhere, a chain holds; its signature is of another key.
    @Test(arguments: [
        (["own": "approved"], false), (["own": "revoked", "other": "approved"], false), (["other": "pinned"], true),
        (["own": "waiting", "other": "pinned"], true), (["own": "waiting"], false),
    ]) func aLogOfAnotherKeyThanTheParticipantsIsNamed(known: [String: String], isNamed: Bool) async throws {
        let own = try #require(DeviceKey(seed: [UInt8](repeating: 7, count: 32))).publicText
        let other = try #require(DeviceKey(seed: [UInt8](repeating: 8, count: 32))).publicText
        let found = try await Self.trial(
            try await Self.segments(), keys: known.map { (key: $0.key == "own" ? own : other, state: $0.value) })
        #expect(
            found.issues.contains { $0.contains("P1") && $0.contains("does not know as theirs") } == isNamed,
            "\(found.issues)")
    }

    /// The enrolment alone, then a decision each; signed by one device, by two, by none, and by one in part.
    @Test(
        arguments: [([7, 7, 7], false), ([7, 7, 9], true), ([nil, nil, nil], true), ([7, 7, nil], true)]
            as [([UInt8?], Bool)])
    func everySegmentOfALogIsSignedByItsDevice(devices: [UInt8?], isNamed: Bool) async throws {
        let database = try StudyDatabase(.memory)
        let record = try await Self.begin(database)
        var segments: [(name: String, bytes: [UInt8])] = []
        for (index, device) in devices.enumerated() {
            if index > 0 {
                try await database.append([.decided(decision: Self.decision(index))], at: Self.stamp(Int64(index) * 60))
            }
            segments.append(
                try await Self.segment(
                    database, record, to: "recordings", at: Int64(index) * 60, signedBy: device))
        }
        let (whole, participant, issues) = try await Self.trial(segments)
        let (trial, person) = (try #require(whole), try #require(participant))
        // A segment of one row is no less than one of many.
        #expect(try trial.decisions(person).map(\.index) == [1, 2])
        let named = issues.filter { $0.contains("its log") }
        #expect(named.count == (isNamed ? 1 : 0), "\(issues)")
        #expect(named.allSatisfy { $0.contains("is not signed, or by more than one device") && $0.contains("P1") })
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
