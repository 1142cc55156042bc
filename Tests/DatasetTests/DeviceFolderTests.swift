// SPDX-License-Identifier: Apache-2.0
import Agent
import Base
import Database
import Device
import FoundationEssentials
import Glibc
import SystemKit
import Testing

@testable import Dataset
@testable import Study

/// A device's own state, written by the agent's store.
struct DeviceFolderTests {
    private static let start = Instant(seconds: 1_795_593_600)  // 2026-11-25T08:00:00Z

    private static func stamp(_ seconds: Int64, boot: String = "boot-1") -> EventStamp {
        EventStamp(
            wall: start + .seconds(seconds), monotonic: MonotonicTime(nanoseconds: max(seconds, 0) * 1_000_000_000),
            bootID: boot, zoneOffset: 3600, enrolment: "e1")
    }

    private static func occurrence(_ number: Int, isSignalled: Bool = true) -> Occurrence {
        let due = start + .seconds(number * 3600)
        return Occurrence(
            id: "moment/\(number)", task: "moment", taskIndex: 2, number: 100 + number,
            local: LocalDateTime(due, offset: 3600), due: due, expires: nil, resolution: .unique,
            isSignalled: isSignalled)
    }

    private static let answers: Answers = [
        "doing": .choices(["Walking"]), "company": .boolean(true), "rested": .number(7), "gone": .cleared,
        "bedtime": .dateTime(LocalDateTime(start, offset: 3600)), "several": .choices(["a", "b"]),
    ]
    /// The same as a dataset has them.
    private static let texts = [
        "doing": "Walking", "company": "true", "rested": "7", "gone": "", "bedtime": "2026-11-25T09:00:00",
        "several": #"["a","b"]"#,
    ]

    /// A state folder without a store.
    private static func newFolder() throws -> String {
        let folder = "/tmp/studyd-device-\(getpid())-\(UInt32.random(in: 0 ... .max))"
        try File.makeFolder(folder + "/recordings")
        return folder
    }

    /// One prompt that was answered, one that was not presented, two recordings, one of them gone.
    private func fill(
        _ folder: String, encryption: BodyEncryption? = nil, platform: String = "schema"
    ) async throws {
        let database = try StudyDatabase(.file(folder + "/studyd.sqlite"), encryption: encryption)
        let enrolment = Enrolment(
            id: "e1", studyID: "STUDYD1", participant: ParticipantID("P1"), condition: nil, instant: Self.start,
            local: LocalDateTime(Self.start, offset: 3600), seed: [UInt8](repeating: 1, count: 32))
        let record = EnrolmentRecord(
            enrolment, platform: PlatformName(rawValue: platform), source: "study.json", fileDigest: try Digest(of: []))
        try await database.append([.enrolled(enrolment: record)], at: Self.stamp(0))
        let submission = Submission(
            task: "moment", occurrence: Self.occurrence(1), order: [], answers: Self.answers, drawn: [],
            submitted: Self.start + .seconds(3670))
        let given = AnswerRecord(
            question: "doing", value: .choices(["Walking"]), presented: .zero, answered: MonotonicTime(nanoseconds: 5),
            presses: 3)
        for (seconds, event) in [
            (3600, .prompted(occurrence: OccurrenceRecord(Self.occurrence(1)))),
            (3602, .presented(occurrence: "moment/1")),
            (3630, .runOpened(task: "moment", opening: 1, occurrence: "moment/1")),
            (3640, .answered(task: "moment", opening: 1, answer: given)),
            (3670, .submitted(task: "moment", opening: 1, submission: SubmissionRecord(submission))),
            (3670, .concluded(occurrence: OccurrenceRecord(Self.occurrence(1)), outcome: .completed)),
            (7200, .concluded(occurrence: OccurrenceRecord(Self.occurrence(2)), outcome: .missed(.deviceOff))),
            (7300, .recordingSealed(recording: try recording("1", folder))),
            (7300, .recordingSealed(recording: try recording("2", folder))),
            (7400, .recordingRemoved(recording: "2", reason: .diskCap)),
        ] as [(Int64, StudyEvent)] {
            try await database.append([event], at: Self.stamp(seconds))
        }
    }

    private func recording(_ id: String, _ folder: String) throws -> RecordingRecord {
        let bytes = Array("samples \(id)".utf8)
        let name = "00000\(id)-magnetometer.csv"
        if id == "1" { try Data(bytes).write(to: URL(fileURLWithPath: "\(folder)/recordings/\(name)")) }
        return RecordingRecord(
            id: id, itemClass: .motion, measure: "magnetometer", path: name,
            descriptionPath: "00000\(id)-magnetometer.json", sha256: try Digest(of: bytes).description,
            bytes: Int64(bytes.count), start: Self.start, end: Self.start + .seconds(60), stored: 9, lost: [:])
    }

    @Test func aDevicesStateIsTheSameDataset() async throws {
        let folder = try Self.newFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await fill(folder)
        #expect(DeviceFolder.isThere(folder))
        let device = try DeviceFolder(folder, study: nil, studyFiles: [LabFixture.studyFile])
        #expect(device.study == "STUDYD1" && device.participants.map(\.id) == ["P1"])
        let record = try device.record(of: device.participants[0])
        #expect(record.prompts.map(\.outcome) == ["completed", "missed"] && record.prompts[1].reason == "device-off")
        let submission = try #require(record.submissions.first)
        #expect(submission.answered.local == "2026-11-25T10:01:10.000" && submission.prompt == "moment/1")
        #expect(
            submission.presented?.utc == "2026-11-25T09:00:02.000Z"
                && submission.opened?.utc == "2026-11-25T09:00:30.000Z")
        let values = Dictionary(uniqueKeysWithValues: submission.answers.map { ($0.item, $0.value) })
        #expect(values == Self.texts)
        #expect(submission.answers.first { $0.item == "doing" }?.presses == 3)
        #expect(record.recordings.map(\.name) == ["000001-magnetometer.csv"])
        #expect(record.missing.map(\.why) == ["disk-cap"] && record.holes.isEmpty)
    }

    /// Of the run that was opened first.
    @Test func aPromptSaysWhenItsRunWasLeft() async throws {
        let folder = try Self.newFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await fill(folder)
        let database = try StudyDatabase(.file(folder + "/studyd.sqlite"))
        for (seconds, event) in [
            (7500, .runOpened(task: "moment", opening: 2, occurrence: "moment/3")),
            (7560, .runLeft(task: "moment", opening: 2)),
            (7600, .runOpened(task: "moment", opening: 3, occurrence: "moment/3")),
            (7700, .runLeft(task: "moment", opening: 3)),
            (10_900, .concluded(occurrence: OccurrenceRecord(Self.occurrence(3)), outcome: .interrupted)),
        ] as [(Int64, StudyEvent)] {
            try await database.append([event], at: Self.stamp(seconds))
        }
        let device = try DeviceFolder(folder, study: nil)
        let prompts = try device.record(of: device.participants[0]).prompts
        #expect(prompts.map { $0.left?.instant } == [nil, nil, Self.start + .seconds(7560)])
    }

    /// A device keeps every file; its log says which it had when.
    @Test func aRunIsReadByTheFileThatTheDeviceHadThen() async throws {
        let folder = try Self.newFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let database = try StudyDatabase(.file(folder + "/studyd.sqlite"))
        func file(_ version: Int, _ sides: [String]) async throws -> Digest {
            let text = #"""
                {"id":7,"version":\#(version),"subVersion":0,"questionnaires":[{"internalId":71,"title":"Q","pages":[{"inputs":[
                {"name":"alone","responseType":"binary","text":"?","leftSideLabel":"\#(sides[0])","rightSideLabel":"\#(sides[1])"}]}]}]}
                """#
            return try await database.keepStudyFile(Array(text.utf8), source: "study.json", at: Self.start)
        }
        let (second, seventh) = (try await file(2, ["no", "yes"]), try await file(7, ["yes", "no"]))
        let enrolment = Enrolment(
            id: "e1", studyID: "7", participant: ParticipantID("P1"), condition: nil, instant: Self.start,
            local: LocalDateTime(Self.start, offset: 3600), seed: [UInt8](repeating: 1, count: 32))
        let record = EnrolmentRecord(
            enrolment, platform: PlatformName(rawValue: "esmira"), source: "study.json", fileDigest: second)
        func run(_ opening: Int) -> [StudyEvent] {
            let submission = Submission(
                task: "71", occurrence: Self.occurrence(opening), order: [], answers: ["alone": .number(1)], drawn: [],
                submitted: Self.start + .seconds(60 * opening))
            return [
                .runOpened(task: "71", opening: opening, occurrence: nil),
                .submitted(task: "71", opening: opening, submission: SubmissionRecord(submission)),
            ]
        }
        let update = StudyEvent.studyUpdated(fileDigest: seventh.description, version: "7")
        let events: [StudyEvent] = [.enrolled(enrolment: record)] + run(1) + [update] + run(2)
        try await database.append(events, at: Self.stamp(0))
        let device = try DeviceFolder(folder, study: nil)
        let submissions = try device.record(of: device.participants[0]).submissions
        #expect(submissions.map(\.studyVersion) == ["2.0", "7.0"])
        let index = CodebookIndex(device.codebook)
        let levels = submissions.map { index.item("alone", of: $0.task, in: $0.taskVersion)?.levels[1].words }
        #expect(levels == ["yes", "no"])
    }

    /// Three files that name no version, or all the same one; the log says which the device had, and the third is not
    /// here. A file that is given changes no label of which the log tells another file; it counts where the file is
    /// not here, and names no version.
    @Test(arguments: [nil, "2"] as [String?], [nil, 0, 1] as [Int?]) func whichFileWasAskedIsTheLogsWord(
        version: String?, given: Int?
    )
        async throws
    {
        let folder = try Self.newFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let database = try StudyDatabase(.file(folder + "/studyd.sqlite"))
        let texts = [["no", "yes"], ["yes", "no"], ["never", "always"]].map { sides -> String in
            version.map { version in
                #"""
                {"id":7,"version":\#(version),"subVersion":0,"questionnaires":[{"internalId":"m","pages":[{"inputs":[
                {"name":"q","responseType":"binary","leftSideLabel":"\#(sides[0])","rightSideLabel":"\#(sides[1])"}]}]}]}
                """#
            } ?? #"""
                {"properties":{"study_id":"7"},"modules":[{"uuid":"m","sections":[{"questions":[
                {"id":"q","type":"slider","min":0,"max":1,"hint_left":"\#(sides[0])","hint_right":"\#(sides[1])"}]}]}]}
                """#
        }
        var digests: [String] = []
        for text in texts {
            let bytes = Array(text.utf8)
            digests.append(try Digest(of: bytes).description)
            if digests.count < 3 { _ = try await database.keepStudyFile(bytes, source: "s", at: Self.start) }
        }
        let enrolment = Enrolment(
            id: "e1", studyID: "7", participant: ParticipantID("P1"), condition: nil, instant: Self.start,
            local: LocalDateTime(Self.start, offset: 3600), seed: [UInt8](repeating: 1, count: 32))
        let record = EnrolmentRecord(
            enrolment, platform: PlatformName(rawValue: "schema"), source: "s", fileDigest: try Digest(ofText: texts[0])
        )
        var events: [StudyEvent] = [.enrolled(enrolment: record)]
        for (place, digest) in digests.enumerated() {
            let submission = Submission(
                task: "m", occurrence: Self.occurrence(place), order: [], answers: ["q": .number(1)], drawn: [],
                submitted: Self.start + .seconds(60 * place))
            events.append(.studyUpdated(fileDigest: digest, version: "2"))
            events.append(.runOpened(task: "m", opening: place + 1, occurrence: nil))
            events.append(.submitted(task: "m", opening: place + 1, submission: SubmissionRecord(submission)))
        }
        try await database.append(events, at: Self.stamp(0))
        let file = folder + "/given.json"
        if let given { try AtomicFile.write(Array(texts[given].utf8), to: file) }
        let device = try DeviceFolder(folder, study: nil, studyFiles: given == nil ? [] : [file])
        let index = CodebookIndex(device.codebook)
        let submissions = try device.record(of: device.participants[0]).submissions
        let labels = submissions.map { run in run.answers.first.flatMap { index.label(of: $0, in: run) } }
        let last = version == nil ? given.map { ["yes", "no"][$0] } : nil
        #expect(labels == ["yes", "no", last])
    }

    /// A task that was only open is no prompt that was kept, nor one that was not; a notice is none at all.
    @Test(arguments: [Outcome.completed, .expired]) func whatWasOpenWithoutASignalDoesNotCount(outcome: Outcome)
        async throws
    {
        let folder = try Self.newFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await fill(folder)
        let database = try StudyDatabase(.file(folder + "/studyd.sqlite"))
        let offer = OccurrenceRecord(Self.occurrence(3, isSignalled: false))
        var notice = Self.occurrence(4)
        notice.purpose = .notice(StudyNotice(kind: "notification", text: "Welcome", record: nil))
        try await database.append(
            [
                .concluded(occurrence: offer, outcome: outcome),
                .concluded(occurrence: OccurrenceRecord(notice), outcome: outcome),
            ], at: Self.stamp(10_900))
        let device = try DeviceFolder(folder, study: nil)
        let prompts = try device.record(of: device.participants[0]).prompts
        #expect(prompts.map(\.reason) == [nil, "device-off", "not-signalled"])
        #expect(prompts.map(\.counts) == [true, true, false])
    }

    /// As `answers.json` of its archives and a lab's dataset call it.
    @Test(arguments: [("sage", "foods_choice1"), ("schema", "foods/choice1")])
    func sectionsOfSageResearchAreJoinedAsInALab(platform: String, item: String) async throws {
        let folder = try Self.newFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await fill(folder, platform: platform)
        let database = try StudyDatabase(.file(folder + "/studyd.sqlite"))
        let submission = Submission(
            task: "moment", occurrence: Self.occurrence(3), order: [], answers: ["foods/choice1": .boolean(true)],
            drawn: [], submitted: Self.start + .seconds(10_900))
        try await database.append(
            [
                .runOpened(task: "moment", opening: 2, occurrence: nil),
                .submitted(task: "moment", opening: 2, submission: SubmissionRecord(submission)),
            ], at: Self.stamp(10_900))
        let device = try DeviceFolder(folder, study: nil)
        let record = try device.record(of: device.participants[0])
        #expect(record.submissions.last?.answers.map(\.item) == [item])
        let items = try device.items()
        #expect(items.contains(item) && items.count == Self.answers.count + 1)
    }

    /// There and back. The row of the journey is written as the agent starts, where a board that keeps no time has
    /// not set its clock yet: that of an image, or of 1970.
    @Test(arguments: [10_850, 7000, -7200, -1_795_593_600] as [Int64]) func afterAJourneyTimesAreOfTheNewZone(
        started: Int64
    ) async throws {
        let folder = try Self.newFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await fill(folder)
        let database = try StudyDatabase(.file(folder + "/studyd.sqlite"))
        for (seconds, boot, event) in [
            (started, "boot-2", .zoneChanged(from: "Europe/Berlin", to: "Asia/Kathmandu")),
            (10_900, "boot-2", .concluded(occurrence: OccurrenceRecord(Self.occurrence(3)), outcome: .expired)),
            (14_500, "boot-3", .zoneChanged(from: "Asia/Kathmandu", to: "Europe/Berlin")),
            (18_100, "boot-3", .concluded(occurrence: OccurrenceRecord(Self.occurrence(4)), outcome: .expired)),
        ] as [(Int64, String, StudyEvent)] {
            try await database.append([event], at: Self.stamp(seconds, boot: boot))
        }
        let device = try DeviceFolder(folder, study: nil)
        let prompts = try device.record(of: device.participants[0]).prompts
        #expect(prompts.map { $0.ended?.offset } == [3_600, 3_600, 20_700, 3_600])
        #expect(prompts[2].ended?.local == "2026-11-25T16:46:40.000")
        #expect(device.participants[0].enrolments.map { $0.began?.offset } == [3_600])
        #expect(try device.record(of: device.participants[0]).lastZone == "Europe/Berlin")
    }

    /// What is known of the clock later in the boot dates the journey: by a clock of 1970 in two boots, and by one that
    /// was years ahead before.
    @Test(arguments: [-1_795_593_600, 300_000_000] as [Int64], [true, false]) func aJourneyIsDatedByItsBoot(
        wrong: Int64, isTrusted: Bool
    ) async throws {
        let folder = try Self.newFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await fill(folder)
        let database = try StudyDatabase(.file(folder + "/studyd.sqlite"))
        func stamp(_ seconds: Int64, monotonic: Int64, _ boot: String) -> EventStamp {
            EventStamp(
                wall: Self.start + .seconds(seconds), monotonic: MonotonicTime(nanoseconds: monotonic * 1_000_000_000),
                bootID: boot, zoneOffset: 3600, enrolment: "e1")
        }
        let anchor = ClockAnchor(
            monotonic: MonotonicTime(nanoseconds: 65_000_000_000), instant: Self.start + .seconds(10_860),
            source: isTrusted ? .kernel : .unknown, uncertainty: .milliseconds(5))
        let ended = StudyEvent.concluded(occurrence: OccurrenceRecord(Self.occurrence(3)), outcome: .expired)
        for (event, stamp) in [
            (.promptsSwitched(on: true), stamp(wrong, monotonic: 5, "boot-2")),
            (.zoneChanged(from: "Europe/Berlin", to: "Asia/Kathmandu"), stamp(wrong + 9, monotonic: 5, "boot-3")),
            (.anchored(anchor: AnchorRecord(anchor)), stamp(10_860, monotonic: 65, "boot-3")),
            (ended, stamp(10_900, monotonic: 105, "boot-3")),
        ] as [(StudyEvent, EventStamp)] {
            try await database.append([event], at: stamp)
        }
        let device = try DeviceFolder(folder, study: nil)
        let prompts = try device.record(of: device.participants[0]).prompts
        // Without an anchor it is at least not from before any row that was there.
        let isFollowed = isTrusted || wrong < 0
        #expect(prompts.map { $0.ended?.offset } == [3_600, 3_600, isFollowed ? 20_700 : 3_600])
    }

    /// A lab's key opens the rows of the log, the device's own what follows from them; without either the answers
    /// alone are missing.
    @Test(arguments: [("lab", true), ("device", true), ("other", false), (nil, false)] as [(String?, Bool)])
    func sealedAnswersAreThereForARecipient(holder: String?, opens: Bool) async throws {
        let folder = try Self.newFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        func identity(_ byte: UInt8) throws -> AgeIdentity {
            try #require(AgeIdentity(secret: [UInt8](repeating: byte, count: 32)))
        }
        let (lab, own) = (try identity(31), try identity(32))
        try await fill(folder, encryption: BodyEncryption(to: [lab.recipient], own: [own]))
        let known = ["lab": lab, "device": own, "other": try identity(33)]
        let keys = holder.flatMap { known[$0] }.map { [$0] } ?? []
        let device = try DeviceFolder(folder, study: nil, keys: keys)
        let record = try device.record(of: device.participants[0])
        let submission = try #require(record.submissions.first)
        #expect(submission.answered.local == "2026-11-25T10:01:10.000")
        let values = Dictionary(uniqueKeysWithValues: submission.answers.map { ($0.item, $0.value) })
        #expect(values == (opens ? Self.texts : [:]))
        let sealed = record.issues.filter { $0.kind == .encrypted }.map(\.text)
        #expect(sealed.count == (opens ? 0 : 1))
        #expect(sealed.allSatisfy { $0.hasPrefix("6 answers are sealed and left out") }, "\(sealed)")
    }

    /// A recording is there with its description or without; one that cannot be read is none.
    @Test(arguments: [(nil, false), ("{", false), ("", false), ("whole", true)] as [(String?, Bool)])
    func aRecordingHasItsDescriptionWhereThatCanBeRead(content: String?, isDescribed: Bool) async throws {
        let folder = try Self.newFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await fill(folder)
        let path = folder + "/recordings/000001-magnetometer.json"
        var note = RecordingDescription(
            fileName: "000001-magnetometer.csv", contentType: "text/csv", countedUnit: .samples)
        (note.number, note.kind, note.format, note.state) = (1, "magnetometer", "csv", .sealed)
        if let content {
            try AtomicFile.write(Array((isDescribed ? note.json.indentedText : content).utf8), to: path)
        }
        let device = try DeviceFolder(folder, study: nil)
        let record = try device.record(of: device.participants[0])
        #expect(record.recordings.map(\.name) == ["000001-magnetometer.csv"])
        #expect(record.recordings.map(\.descriptionSource) == [isDescribed ? path : nil])
        #expect(record.recordings.map { $0.description?.number } == [isDescribed ? 1 : nil])
        let missed = record.issues.filter { $0.kind == .noDescription }
        #expect(missed.map(\.text) == (isDescribed ? [] : ["000001-magnetometer.csv has no description"]))
        #expect(missed.allSatisfy { $0.participant == "P1" })
    }

    @Test func aFolderWithoutAStoreIsRefused() {
        #expect(throws: FileError.self) { try DeviceFolder("/tmp/none", study: nil) }
    }
}
