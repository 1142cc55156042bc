// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import FoundationEssentials
import Glibc
import Lab
import SystemKit
import Testing

@testable import Dataset

struct DatasetExportTests {
    @Test func answersHaveTheTimesOfTheirPromptAndTheClocksError() async throws {
        let rows = try Written(try await LabFixture.filled()).rows("answers")
        #expect(rows.map { $0["participant"] } == ["P1", "P1", "P2", "P2"])
        let first = try #require(rows.first)
        let expected = [
            "task": "moment", "task_name": "Right now", "prompt": "moment/1", "enrolment": "e1",
            "due_utc": "2026-11-25T08:00:00.000Z", "due_local": "2026-11-25T09:00:00.000",
            "presented_local": "2026-11-25T09:00:02.000", "opened_local": "2026-11-25T09:00:30.000",
            "answered_utc": "2026-11-25T08:01:10.123Z", "answered_local": "2026-11-25T09:01:10.123",
            "utc_offset": "+01:00", "clock_error_s": "0.25", "presses": "4", "doing": "Walking", "company": "Yes",
            "slept-well": "",
        ]
        for (column, value) in expected { #expect(first[column] == value, "\(column)") }
        #expect(rows[1]["rested"] == "7" && rows[1]["prompt"] == "morning/1")
    }

    /// momenTUM's app sends it as `[]`, schema's as `""`.
    @Test func aListWithoutATickIsNoAnswer() async throws {
        let lab = try await LabFixture.filled()
        try await lab.post(
            responses: #"{"place":"here","ticked":[],"said":[1]}"#, due: "2026-11-25T13:00:00+01:00",
            answered: "2026-11-25T13:01:10+01:00")
        let row = try #require(try Written(lab).rows("answers").first { $0["place"] == "here" })
        #expect(row["ticked"] == "" && row["said"] == "[1]")
    }

    @Test func everyPromptHasItsOutcomeAndReason() async throws {
        let written = try Written(try await LabFixture.filled())
        let rows = try written.rows("prompts").filter { $0["participant"] == "P1" }
        #expect(
            rows.map { "\($0["outcome"] ?? "") \($0["reason"] ?? "")" } == [
                "completed ", "expired ", "missed device-off", "missed locked", "completed ",
            ])
        let days = try written.rows("compliance").filter { $0["participant"] == "P1" }
        #expect(days.map { $0["date"] } == ["2026-11-25", "2026-11-26"])
        #expect(days.map { $0["due"] } == ["4", "1"] && days.map { $0["completed"] } == ["1", "1"])
        #expect(days.map { $0["compliance"] } == ["0.25", "1"])
    }

    /// Four digits, as the lab's own tables round a share; nothing where nothing was due.
    @Test(arguments: [
        (1, 3, "0.3333"), (2, 3, "0.6667"), (1, 16, "0.0625"), (1, 32, "0.0313"), (0, 3, "0"), (3, 3, "1"),
    ]) func complianceHasFourDigits(completed: Int, due: Int, share: String) async throws {
        let lab = try LabFixture()
        try await lab.post()
        try await lab.report(
            (1...due).map { LabFixture.prompt("moment/\($0)", outcome: $0 <= completed ? "completed" : "expired") }
                .joined(separator: ","))
        let days = try Written(lab).rows("compliance")
        #expect(days.map { "\($0["completed"] ?? "") \($0["due"] ?? "")" } == ["\(completed) \(due)"])
        #expect(days.map { $0["compliance"] } == [share])
    }

    /// The device's own words of a prompt; null where it does not know.
    @Test(arguments: [("0.5", 0.5), ("0", 0), ("null", nil)] as [(String, Double?)])
    func aPromptHasTheClocksErrorAndThePresses(said: String, known: Double?) async throws {
        let lab = try LabFixture()
        try await lab.post()
        try await lab.report(
            LabFixture.prompt("moment/1").replacing(#""clockError":0.5"#, with: #""clockError":\#(said)"#))
        let folder = try LabFolder(lab.directory, study: nil)
        let prompts = try folder.record(of: try #require(folder.participants.first)).prompts
        #expect(prompts.map(\.clockError) == [known])
        #expect(prompts.map(\.presses) == [["doing": 3, "company": 1]])
    }

    /// A third of two hours with samples, of three hours since the enrolment.
    @Test func coverageIsRightToAMillionth() async throws {
        let lab = try LabFixture()
        try await lab.post()
        try await lab.record { note in (note.samplesStored, note.samplesLost) = (48_000, ["ringFull": 96_000]) }
        let day = try #require(try Written(lab).rows("coverage").first)
        #expect(day["wall_s"] == "10800" && day["stored_s"] == "2400" && day["lost_s"] == "4800")
        let share = try #require(day["coverage"].flatMap { Double($0) })
        #expect(abs(share - 2.0 / 9) < 5e-7)
    }

    @Test func recordingsAreBesideTheirDescriptionsAsTheyCame() async throws {
        let written = try Written(try await LabFixture.filled())
        let row = try #require(try written.rows("recordings").first)
        #expect(row["path"] == "recordings/P1/e1/000001-magnetometer.csv")
        #expect(row["coverage"] == "0.75" && row["lost"] == "36000" && row["seconds"] == "7200")
        #expect(row["start_local"] == "2026-11-25T09:00:00.000" && row["device_number"] == "7")
        // The same reader that exports of single files use finds both.
        let path = written.path + "/recordings/P1/e1/000001-magnetometer"
        #expect(try Digest(ofFile: path + ".csv").description == row["sha256"])
        let note = try RecordingDescription(json: BoundedFile.read(path + ".json"), path: path)
        #expect(note.participant == "P1")
        let day = try #require(try written.rows("coverage").first)
        #expect(day["wall_s"] == "10800" && day["stored_s"] == "5400" && day["not_recorded_s"] == "3600")
    }

    /// The sensor was silent for eight hours behind the two that the file has.
    @Test func aGapThatEndedARecordingTakesNothingOffItsLength() async throws {
        let lab = try LabFixture()
        try await lab.post()
        try await lab.record { note in
            (note.samplesStored, note.samplesLost) = (144_000, ["deviceError": 576_000])
            note.gaps = [
                .init(startUptime: 7300, endUptime: 36_100, samples: 576_000, reason: "deviceError", position: 144_000)
            ]
        }
        let day = try #require(try Written(lab).rows("coverage").first)
        #expect(day["stored_s"] == "7200" && day["lost_s"] == "0", "\(day)")
    }

    @Test func whatManifestsNameAndIsNotHereIsMissing() async throws {
        let lab = try await LabFixture.filled()
        let rows = try Written(lab).rows("missing")
        #expect(rows.map { $0["name"] } == ["000002-magnetometer.csv", "000003-magnetometer.csv"])
        #expect(rows.map { $0["hole"] } == ["true", "false"])
        #expect(rows.map { $0["why"] } == ["", "the disk was full"])
        let holes = try DatasetExport.survey(try LabFolder(lab.directory, study: nil)).holes
        #expect(holes.map(\.item.name) == ["000002-magnetometer.csv"])
    }

    /// What a manifest said first arrives later: then it is no hole.
    @Test func whatHasArrivedSinceIsNotMissing() async throws {
        let lab = try LabFixture()
        let bytes = Array("later".utf8)
        try await lab.post()
        try await lab.report(LabFixture.prompt("moment/1"))
        try await lab.manifest(LabFixture.entry("000002-magnetometer.csv", sha256: try Digest(of: bytes).description))
        #expect(try Written(lab).outcome.holes.count == 1)
        try await lab.record(2, bytes: bytes)
        #expect(try Written(lab).outcome.holes.isEmpty)
    }

    @Test func theSameFolderGivesTheSameBytesAndWritesNothingTwice() async throws {
        let lab = try await LabFixture.filled()
        let first = try Written(lab, to: "one")
        #expect(first.outcome.newBytes > 0)
        let again = try Written(lab, to: "one")
        #expect(again.outcome.newBytes == 0)
        #expect(try Written(lab, to: "two").contents() == again.contents())
        try await lab.record(5, of: "P2", device: 8, bytes: Array("more".utf8))
        let more = try Written(lab, to: "one")
        #expect(more.outcome.recordings == 3 && more.outcome.newBytes < first.outcome.newBytes)
        #expect(try Written(lab, to: "three").contents() == more.contents())
    }

    /// A dataset of which the second participant cannot be read.
    private struct Broken: StudyDataset {
        struct Ended: Error {}
        let whole: any StudyDataset
        var study: String { whole.study }
        var codebook: Codebook { whole.codebook }
        var participants: [Participant] { whole.participants }
        var latest: Instant { whole.latest }
        var issues: [DatasetIssue] { whole.issues }
        func items() throws -> [String] { try whole.items() }
        func record(of participant: Participant) throws -> ParticipantRecord {
            guard participant.id == "P1" else { throw Ended() }
            return try whole.record(of: participant)
        }
    }

    @Test func anExportThatWasBrokenOffGoesOnWhereItWas() async throws {
        let lab = try await LabFixture.filled()
        let broken = Broken(whole: try LabFolder(lab.directory, study: nil))
        let path = lab.output("broken")
        #expect(throws: Broken.Ended.self) {
            try DatasetExport(broken, to: DatasetFolder(path), isPackage: true).run(bytes: 0)
        }
        let placed = try ["csv", "json"].map {
            try Data(contentsOf: URL(fileURLWithPath: "\(path)/recordings/P1/e1/000001-magnetometer.\($0)")).count
        }
        let (rest, fresh) = (try Written(lab, to: "broken"), try Written(lab, to: "fresh"))
        #expect(rest.outcome.newBytes == fresh.outcome.newBytes - Int64(placed.reduce(0, +)))
        #expect(try rest.contents() == fresh.contents())
    }

    /// An export of one participant into the folder of all takes the others out, and nothing else.
    /// A power cut in the middle of a line of the list, cut at every byte of its last two.
    @Test func aListThatEndsWithinALineIsGoneOnWith() async throws {
        let lab = try await LabFixture.filled()
        let whole = try Written(lab)
        let list = whole.path + "/.studyd-dataset"
        let text = try Data(contentsOf: URL(fileURLWithPath: list))
        let (contents, lines) = (try whole.contents(), text.split(separator: 0x0A))
        // What half a name would name is not ours.
        let last = String(decoding: try #require(lines.last).split(separator: 0x20)[2], as: UTF8.self)
        let foreign = "\(whole.path)/\(last.dropLast())"
        try Data("mine".utf8).write(to: URL(fileURLWithPath: foreign))
        for cut in 1...(lines.suffix(2).reduce(2) { $0 + $1.count }) {
            try text.dropLast(cut).write(to: URL(fileURLWithPath: list))
            let again = try Written(lab)
            #expect(try Data(contentsOf: URL(fileURLWithPath: list)) == text, "cut by \(cut)")
            #expect(again.outcome.issues == whole.outcome.issues)
        }
        #expect(try Data(contentsOf: URL(fileURLWithPath: foreign)) == Data("mine".utf8))
        try FileManager.default.removeItem(atPath: foreign)
        #expect(try whole.contents() == contents)
    }

    @Test func whatIsNoLongerPartOfItGoes() async throws {
        let lab = try await LabFixture.filled()
        let all = try Written(lab)
        try Data("mine".utf8).write(to: URL(fileURLWithPath: all.path + "/notes.txt"))
        let one = try Written(lab, participant: "P2").contents()
        #expect(!one.keys.contains { $0.contains("P1") } && one["notes.txt"] != nil)
        #expect(try Written(lab, to: "other", participant: "P2").contents() == one.filter { $0.key != "notes.txt" })
    }

    @Test func aFolderWithOtherFilesIsNotWrittenTo() async throws {
        let lab = try await LabFixture.filled()
        #expect(throws: FileError.self) { try DatasetFolder(lab.directory) }
        #expect(throws: DatasetError.self) {
            try WindowedDataset(LabFolder(lab.directory, study: nil), window: .all, participant: "P3")
        }
    }

    @Test(
        arguments: [
            ("2026-11-25T08:59:00", "2026-11-25T09:30:00", ["moment/1"], 1),
            ("2026-11-25T08:01:00Z", nil, ["moment/2", "moment/3", "evening/1", "morning/1"], 2),
            ("2026-11-26T00:00:00", nil, ["morning/1"], 1), (nil, "2026-11-25T00:00:00", [], 0),
        ] as [(String?, String?, [String], Int)])
    func aWindowIsByTheParticipantsClock(from: String?, until: String?, prompts: [String], answers: Int) async throws {
        let lab = try await LabFixture.filled()
        let whole = try LabFolder(lab.directory, study: nil)
        let part = try WindowedDataset(
            whole, window: ExportWindow(from: from, until: until), participant: "P1")
        let record = try part.record(of: try #require(part.participants.first))
        #expect(record.prompts.map(\.occurrence) == prompts && record.submissions.count == answers)
    }

    /// What is missing of a day belongs to every window that holds a second of it.
    @Test(
        arguments: [
            ("2026-11-25T23:59:59", nil, 2), ("2026-11-26T00:00:00", nil, 0), ("2026-11-26T00:00:01", nil, 0),
            (nil, "2026-11-25T00:00:01", 2), (nil, "2026-11-25T00:00:00", 0), (nil, nil, 2),
        ] as [(String?, String?, Int)])
    func aMissingThingIsWhereItsDayIs(from: String?, until: String?, count: Int) async throws {
        let lab = try await LabFixture.filled()
        let part = try WindowedDataset(
            try LabFolder(lab.directory, study: nil), window: ExportWindow(from: from, until: until), participant: "P1")
        let record = try part.record(of: try #require(part.participants.first))
        #expect(record.missing.count { $0.kind == .recording && $0.day != nil } == count)
    }

    /// One participant, of whom everything was at ten o'clock and an hour later by a clock one hour east of UTC.
    private struct TwoHours: StudyDataset {
        let study = "s1"
        let codebook = Codebook()
        let participants = [Participant(id: "P1", study: "s1", enrolments: [])]
        let latest = Instant(seconds: 0)
        let issues: [DatasetIssue] = []

        func items() throws -> [String] { [] }
        func record(of participant: Participant) throws -> ParticipantRecord {
            var record = ParticipantRecord(participant)
            for hour in [10, 11] {
                let time = StudyTime(try Instant(rfc3339: "2026-11-25T\(hour):00:00+01:00"), offset: 3600)
                record.prompts.append(
                    StudyPrompt(
                        occurrence: "\(hour)", enrolment: "e1", task: "t", due: time, ended: time, outcome: "expired"))
                record.submissions.append(
                    StudySubmission(
                        id: "\(hour)", enrolment: "e1", task: "t", taskName: nil, prompt: nil, due: nil, answered: time,
                        received: nil, clockError: nil, answers: []))
                record.events.append(AppEvent(time: time, page: "\(hour)", event: "entry"))
                var note = RecordingDescription(fileName: "\(hour)", contentType: "text/csv", countedUnit: .samples)
                (note.startDate, note.endDate) = (time.utc, StudyTime(time.instant + .seconds(60), offset: 3600).utc)
                note.offset = "+01:00"
                record.recordings.append(
                    StudyRecording(
                        enrolment: "e1", name: "\(hour)", source: "", bytes: 0, sha256: "", description: note,
                        descriptionSource: nil))
            }
            let days: [(String, LocalDate?)] = [
                ("that day", LocalDate(year: 2026, month: 11, day: 25)), ("some day", nil),
            ]
            record.missing = days.map { name, day in
                MissingItem(
                    kind: .recording, enrolment: "e1", day: day, name: name, state: "waiting", why: nil, isHole: false)
            }
            return record
        }
    }

    /// What has no known day may be of any. A recording ends a minute after it begins, and that moment is its own.
    @Test(
        arguments: [
            (nil, nil, ["10", "11"], ["10", "11"], ["that day", "some day"]),
            ("2026-11-25T10:00:00", nil, ["10", "11"], ["10", "11"], ["that day", "some day"]),
            ("2026-11-25T10:00:01", nil, ["11"], ["10", "11"], ["that day", "some day"]),
            ("2026-11-25T10:01:00", nil, ["11"], ["10", "11"], ["that day", "some day"]),
            ("2026-11-25T10:01:01", nil, ["11"], ["11"], ["that day", "some day"]),
            (nil, "2026-11-25T11:00:00", ["10"], ["10"], ["that day", "some day"]),
            (nil, "2026-11-25T11:00:01", ["10", "11"], ["10", "11"], ["that day", "some day"]),
            ("2026-11-25T09:00:00Z", "2026-11-25T09:00:01Z", ["10"], ["10"], ["that day", "some day"]),
            ("2026-11-26T00:00:00", nil, [], [], ["some day"]), (nil, "2026-11-25T00:00:00", [], [], ["some day"]),
        ] as [(String?, String?, [String], [String], [String])])
    func everythingIsCutByTheSameWindow(
        from: String?, until: String?, moments: [String], recordings: [String], missing: [String]
    ) throws {
        let part = try WindowedDataset(
            TwoHours(), window: ExportWindow(from: from, until: until), participant: nil)
        let record = try part.record(of: try #require(part.participants.first))
        #expect(record.prompts.map(\.occurrence) == moments && record.submissions.map(\.id) == moments)
        #expect(record.events.map(\.page) == moments && record.recordings.map(\.name) == recordings)
        #expect(record.missing.map(\.name) == missing)
        #expect(record.window.isAll == (from == nil && until == nil), "by which its epochs are cut")
    }

    @Test func aDamagedRecordingIsNotPlaced() async throws {
        let lab = try await LabFixture.filled()
        let file = try #require(FolderListing.readable(lab.directory + "/files").first { $0.hasSuffix(".csv") })
        try Data("changed".utf8).write(to: URL(fileURLWithPath: lab.directory + "/files/" + file))
        let written = try Written(lab)
        #expect(try written.rows("recordings").count == 1)
        #expect(try written.rows("missing").contains { $0["state"]?.hasPrefix("damaged here: ") == true })
        #expect(written.outcome.issues.contains { $0.kind == .unreadable })
    }

    /// A hard link changes with the lab's file, which nothing else says than the time of the change.
    @Test func whatIsChangedInPlaceIsCheckedAgain() async throws {
        let lab = try await LabFixture.filled()
        let first = try Written(lab)
        #expect(try first.rows("recordings").count == 2)
        let file = "\(first.path)/recordings/P1/e1/000001-magnetometer.csv"
        let changed = try Data(contentsOf: URL(fileURLWithPath: file)).map { $0 ^ 1 }
        try Data(changed).write(to: URL(fileURLWithPath: file))
        // Later than the export, whatever the kernel's clock has counted meanwhile.
        let times = [timespec](repeating: timespec(tv_sec: 10_413_792_000, tv_nsec: 1), count: 2)
        try #require(utimensat(AT_FDCWD, file, times, 0) == 0)
        let again = try Written(lab)
        #expect(try again.rows("recordings").count == 1)
        #expect(try again.rows("missing").contains { $0["state"]?.hasPrefix("damaged here: ") == true })
    }

    /// docs/dataset.md: what was deleted or given up without a reason is a hole at once, and what waits is
    /// one a week after it was last heard of.
    @Test(arguments: [("deleted", 0, true), ("given up", 0, true), ("waiting", 7, false), ("waiting", 8, true)])
    func whatDidNotComeIsAHoleByWhatBecameOfIt(state: String, days: Int, isHole: Bool) async throws {
        let lab = try LabFixture()
        try await lab.post()
        try await lab.manifest(LabFixture.entry("000002-magnetometer.csv", state: state))
        try await lab.post("P2", at: LabFixture.now + .seconds(days * 86_400))
        #expect(try Written(lab).outcome.holes.count == (isHole ? 1 : 0))
    }

    /// Answers that went to another server alone are no holes, whatever came of the participant's other study.
    @Test(arguments: [(false, 0), (true, 1)])
    func anAnswerIsAHoleWhereThatStudysAnswersCome(isPosted: Bool, holes: Int) async throws {
        let (lab, archive) = (try LabFixture(), [UInt8]([1, 2, 3]))
        try await lab.post()
        try await lab.sage(archive)
        func submission(_ sha256: String) -> String {
            LabFixture.entry("x", sha256: sha256).replacing(#""kind":"recording""#, with: #""kind":"submission""#)
        }
        try await lab.manifest(submission(try Digest(of: archive).description))
        try await lab.upload("000001-magnetometer.csv", [1], study: "9001", enrolment: "e2")
        try await lab.manifest(submission(String(repeating: "b", count: 64)), study: "9001", enrolment: "e2")
        if isPosted { try await lab.post(study: "9001") }
        let whole = try LabFolder(lab.directory, study: "9001")
        let record = try whole.record(of: try #require(whole.participants.first))
        #expect(record.holes.count { $0.kind == .submission } == holes, "\(record.missing)")
    }

    /// A device that was lost reports no end, even if it was idle without a next prompt; a participant's next enrolment
    /// tells sooner than a week's silence.
    @Test(
        arguments: [
            ("recording", 604_800, false, 0), ("recording", 604_801, false, 1), ("ended", 604_801, false, 0),
            ("idle", 604_800, false, 0), ("idle", 604_801, false, 1), ("idle", 3901, true, 1),
            ("recording", 3900, true, 0), ("recording", 3901, true, 1), ("ended", 3901, true, 0),
        ])
    func anEnrolmentThatIsNotHeardOfToItsEndIsAnIssue(
        state: String, seconds: Int, hasNext: Bool, count: Int
    ) async throws {
        let lab = try LabFixture()
        let later = LabFixture.now + .seconds(seconds)
        try await lab.report("", state: state)
        if hasNext { try await lab.report("", enrolment: "e2", at: later) } else { try await lab.post("P2", at: later) }
        let whole = try LabFolder(lab.directory, study: nil)
        let issues = try whole.record(of: whole.participants[0]).issues.filter { $0.kind == .notEnded }
        #expect(issues.map(\.participant) == Array(repeating: "P1", count: count))
        #expect(issues.allSatisfy { $0.text.hasPrefix("enrolment e1 on device P1 reported last at 2026-11-26T08:00") })
    }

    @Test func aColumnIsOfAQuestionOfThisStudy() async throws {
        let lab = try LabFixture()
        try await lab.post(responses: #"{"doing":"Walking"}"#)
        try await lab.post(study: "9001", responses: #"{"doing":"Reading","drinks":2}"#)
        #expect(try LabFolder(lab.directory, study: LabFixture.study).items() == ["doing"])
        #expect(try LabFolder(lab.directory, study: "9001").items() == ["doing", "drinks"])
    }

    @Test func whoIsNamedInNothingButAReportTakesPart() async throws {
        let lab = try LabFixture()
        try await lab.post()
        try await lab.report("", of: "P9", enrolment: "e9")
        let participants = try LabFolder(lab.directory, study: nil).participants
        #expect(participants.map(\.id) == ["P1", "P9"])
        #expect(participants.last?.enrolments.map(\.id) == ["e9"])
    }
}
