// SPDX-License-Identifier: Apache-2.0
import Base
import Database
import FoundationEssentials
import Glibc
import SystemKit
import Testing

@testable import Dataset
@testable import Lab

/// What a lab's folder may hold beside what it should: each is named, nothing is merged silently
/// or left out.
struct BadInputTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let kind: DatasetIssue.Kind
        let words: String
        let fill: @Sendable (LabFixture) async throws -> Void
        /// A row of missing.csv: kind and whether it is a hole.
        var missing: (kind: String, hole: String)?
    }

    static let cases: [Case] = [
        Case(testDescription: "a participant on two devices", kind: .participantOnTwoDevices, words: "7, 9") {
            try await $0.record(1, enrolment: "e1", device: 7)
            try await $0.record(1, enrolment: "e2", device: 9, bytes: Array("other".utf8))
        },
        Case(testDescription: "a device with two participants", kind: .deviceOfTwoParticipants, words: "P1 and P2") {
            try await $0.record(of: "P1", device: 7)
            try await $0.record(of: "P2", enrolment: "e2", device: 7, bytes: Array("other".utf8))
        },
        Case(testDescription: "a recording in another's name", kind: .deviceOfTwoParticipants, words: "says P9") {
            try await $0.record { $0.participant = "P9" }
        },
        Case(testDescription: "the clock unknown for a day", kind: .clockUnknown, words: "1 recording is") {
            try await $0.record { ($0.startDate, $0.endDate, $0.clock) = (nil, nil, .unknown) }
        },
        Case(testDescription: "a clock that was set back", kind: .clockSetBack, words: "1 prompt was open") {
            let prompt = LabFixture.prompt("moment/1").replacing("T09:00:30.000", with: "T09:05:30.000")
            try await $0.post("P2")
            try await $0.report(prompt, of: "P2")
        },
        Case(testDescription: "a clock that was ahead", kind: .clockAhead, words: "1 answer was received") {
            try await $0.post("P2", answered: "2026-11-27T09:01:10+01:00")
        },
        Case(testDescription: "a recording by such a clock", kind: .clockAhead, words: "1 recording was received") {
            try await $0.record { $0.endDate = "2026-11-27T10:00:00Z" }
        },
        Case(
            testDescription: "a recording without description", kind: .noDescription, words: "without its description",
            fill: { try await $0.record(isDescribed: false) }, missing: ("description", "true")),
        Case(
            testDescription: "a description that is none", kind: .noDescription, words: "cannot be read",
            fill: {
                try await $0.record(isDescribed: false)
                try await $0.upload("000001-magnetometer.json", Array("{".utf8))
            }, missing: ("description", "true")),
        Case(
            testDescription: "a description that changed since it arrived", kind: .noDescription,
            words: "cannot be read",
            fill: {
                try await $0.record()
                let files = FolderListing.readable($0.directory + "/files")
                let path = $0.directory + "/files/" + (files.first { $0.hasSuffix(".json") } ?? "")
                let text = try String(contentsOfFile: path, encoding: .utf8)
                try text.replacing("T08:00:00Z", with: "T03:00:00Z").write(
                    toFile: path, atomically: true, encoding: .utf8)
            }, missing: ("description", "true")),
        Case(testDescription: "a description of another file", kind: .unreadable, words: "another SHA-256") {
            try await $0.record { $0.sha256 = String(repeating: "0", count: 64) }
        },
        Case(testDescription: "a stranger's file", kind: .strangeFile, words: "cat.jpg") {
            try await $0.upload("cat.jpg", [1, 2, 3], enrolment: nil, recording: nil)
        },
        Case(testDescription: "a file of no participant", kind: .strangeFile, words: "no participant") {
            try await $0.upload("x.bin", [1], of: "", study: nil, enrolment: nil, recording: nil)
        },
        Case(testDescription: "a file that no upload knows", kind: .strangeFile, words: "was not uploaded") {
            try Data("x".utf8).write(to: URL(fileURLWithPath: $0.directory + "/files/copied.cwa"))
        },
        Case(
            testDescription: "half an upload", kind: .unfinishedUpload, words: "40 of 100 bytes",
            fill: { try await $0.upload("000001-magnetometer.csv", Array(repeating: 1, count: 100), part: 40) },
            missing: ("upload", "false")),
        Case(testDescription: "another study's answers", kind: .otherStudy, words: "OTHER") {
            try await $0.post("P1", study: "OTHER")
        },
        Case(testDescription: "answers sent twice", kind: .repeated, words: "1 submission came") {
            try await $0.post("P1", clockError: nil)
            try await $0.post("P1", clockError: nil)
        },
        Case(testDescription: "no report", kind: .noReports, words: "no report came") { try await $0.post("P7") },
    ]

    @Test(arguments: cases) func eachIsNamed(_ one: Case) async throws {
        let lab = try LabFixture()
        try await lab.post("P1")
        try await lab.report(LabFixture.prompt("moment/1"))
        try await one.fill(lab)
        let whole = try LabFolder(lab.directory, study: LabFixture.study)
        let outcome = try DatasetExport(whole, to: DatasetFolder(lab.output()), isPackage: true).run(bytes: 0)
        #expect(outcome.issues.contains { $0.kind == one.kind && $0.text.contains(one.words) }, "\(outcome.issues)")
        // BIDS has no table of issues: what has no place there names them.
        _ = try BIDSExport(whole, to: DatasetFolder(lab.output("bids"))).run(bytes: 0)
        let leftOut = try String(contentsOfFile: lab.output("bids") + "/sourcedata/left_out.tsv", encoding: .utf8)
        #expect(leftOut.contains(one.kind == .repeated ? "came twice" : one.words), "\(leftOut)")
        guard let missing = one.missing else { return }
        let beside = try String(contentsOfFile: lab.output("bids") + "/sourcedata/missing.tsv", encoding: .utf8)
        #expect(beside.contains("\t\(missing.kind)\t"))
        let rows = try String(contentsOfFile: lab.output() + "/missing.csv", encoding: .utf8)
        #expect(rows.contains(",\(missing.kind),") && rows.contains(",\(missing.hole),"))
    }

    /// `participants.csv` says of `submissions`: rows in `answers.csv`.
    @Test func anAnswerThatCameTwiceCountsOnce() async throws {
        let lab = try LabFixture()
        for _ in 0..<2 { try await lab.post("P1") }
        try await lab.post("P1", answered: "2026-11-25T10:00:00+01:00")
        let written = try Written(lab)
        #expect(try written.rows("answers").count == 2)
        #expect(try written.rows("participants").map { $0["submissions"] } == ["2"])
    }

    /// The times of what came from a bucket or a stick, whose id is a SHA-256, are not the lab's.
    @Test(arguments: [(63, 1), (64, 0)])
    func aStickDoesNotSayWhenARecordingWasReceived(id: Int, issues: Int) async throws {
        let lab = try LabFixture()
        try await lab.record { $0.endDate = "2026-11-27T10:00:00Z" }
        let archive = try Connection(.file(lab.directory + "/receiver.sqlite"))
        try archive.execute("UPDATE upload SET id = printf('%0\(id)d', number)")
        let folder = try LabFolder(lab.directory, study: LabFixture.study)
        #expect(try folder.record(of: folder.participants[0]).issues.count { $0.kind == .clockAhead } == issues)
    }

    /// Anyone who reaches the server can report; the two counts together are more than an `Int` holds.
    @Test func pressesThatNoFingerGivesAreUnknown() async throws {
        let lab = try LabFixture()
        try await lab.post("P1")
        let prompt = LabFixture.prompt("moment/1")
        try await lab.report(
            prompt.replacing(
                #"{"doing":3,"company":1}"#,
                with: #"{"doing":9000000000000000000,"company":9000000000000000000,"how":-1,"when":1000000}"#))
        let written = try Written(lab)
        #expect(try written.rows("prompts").map { $0["presses"] } == ["1000000"])
        #expect(try written.rows("answers").map { $0["presses"] } == [""])
    }

    /// Also where the device has told the error of its end alone.
    @Test(arguments: [("09:01:10.000", 0.5, 0), ("09:01:11.000", 1, 1), ("09:05:30.000", 260, 1)])
    func aClockThatWasSetBackUnderAPromptIsInItsError(opened: String, error: Double, issues: Int) async throws {
        let lab = try LabFixture()
        try await lab.post("P1")
        try await lab.report(LabFixture.prompt("moment/1").replacing("T09:00:30.000", with: "T" + opened))
        let written = try Written(lab)
        #expect(try written.rows("prompts").map { Double($0["clock_error_s"] ?? "") } == [error])
        #expect(written.outcome.issues.count { $0.kind == .clockSetBack } == issues)
    }

    /// A study of sensors alone, and one of rules alone where nothing was drawn, have no prompts to report.
    @Test func whoReportsWithoutAPromptHasReported() async throws {
        let lab = try LabFixture()
        for participant in ["P1", "P2"] { try await lab.post(participant) }
        try await lab.report("", of: "P1")
        let written = try Written(lab)
        #expect(written.outcome.issues.filter { $0.kind == .noReports }.map(\.participant) == ["P2"])
        // No prompt, and none that is known of.
        let participants = try written.rows("participants")
        #expect(participants.map { [$0["prompts"], $0["completed"]] } == [["0", "0"], ["", ""]])
    }

    /// Its file was removed from the lab's folder, whose database still knows it.
    @Test func aDescriptionThatIsGoneIsAHoleAndTheExportGoesOn() async throws {
        let lab = try LabFixture()
        try await lab.record()
        let files = FolderListing.readable(lab.directory + "/files")
        let description = try #require(files.first { $0.hasSuffix(".json") })
        try #require(unlink("\(lab.directory)/files/\(description)") == 0)
        let written = try Written(lab)
        #expect(try written.rows("recordings").count == 1)
        #expect(try written.rows("missing").map { "\($0["kind"] ?? "") \($0["hole"] ?? "")" } == ["description true"])
    }

    /// In the place of one is a folder of its name, of which read(2) says EISDIR.
    @Test func aRecordingThatCannotBeReadIsAHoleAndTheOthersAreThere() async throws {
        let lab = try LabFixture()
        for number in 1...2 { try await lab.record(number, bytes: Array("\(number)".utf8)) }
        let files = FolderListing.readable(lab.directory + "/files")
        let first = try #require(files.first { $0.hasSuffix("000001-magnetometer.csv") })
        let source = "\(lab.directory)/files/\(first)"
        try #require(unlink(source) == 0 && mkdir(source, 0o700) == 0)
        let written = try Written(lab)
        #expect(written.outcome.holes.map { $0.item.name } == ["000001-magnetometer.csv"])
        #expect(written.outcome.issues.contains { $0.text.contains("Is a directory") })
        #expect(
            FolderListing.readable(written.path + "/recordings/P1/e1").sorted() == [
                "000002-magnetometer.csv", "000002-magnetometer.json",
            ])
    }

    /// A number was handed out again, as where a state folder was restored from a backup.
    @Test func ofTwoRecordingsOfOneNameTheOneThatIsLeftOutIsAHole() async throws {
        let lab = try LabFixture()
        for text in ["abc", "abd"] { try await lab.record(bytes: Array(text.utf8)) }
        let written = try Written(lab)
        let (kept, missing) = (try written.rows("recordings"), try written.rows("missing"))
        #expect(kept.count == 1 && missing.map { $0["name"] } == ["000001-magnetometer.csv"])
        #expect(missing.map { $0["hole"] } == ["true"] && written.outcome.holes.count == 1)
        let here = try Digest(ofFile: written.path + "/recordings/P1/e1/000001-magnetometer.csv").description
        let digests = try ["abc", "abd"].map { try Digest(ofText: $0).description }
        #expect(Set(digests) == Set(missing.compactMap { $0["sha256"] } + [here]))
    }

    @Test func halfAnUploadIsInTheListAndNotAmongTheRecordings() async throws {
        let lab = try LabFixture()
        try await lab.post()
        try await lab.upload("000001-magnetometer.csv", Array(repeating: 1, count: 100), part: 40)
        let written = try Written(lab)
        #expect(try written.rows("recordings").isEmpty)
        #expect(try written.rows("missing").map { $0["state"] } == ["40 of 100 bytes have come"])
    }

    @Test func twoStudiesAreNeverOne() async throws {
        let lab = try LabFixture()
        try await lab.post("P1")
        try await lab.post("P1", study: "OTHER")
        try await lab.post("P2", study: "OTHER")
        let error = try #require(throws: FileError.self) { try LabFolder(lab.directory, study: nil) }
        #expect("\(error)".contains("OTHER (2 participants), STUDYD1 (1 participant)"))
        #expect("\(error)".contains("--study"))
        let other = try LabFolder(lab.directory, study: "OTHER")
        #expect(other.participants.map(\.id) == ["P1", "P2"])
        #expect(try other.record(of: other.participants[0]).submissions.count == 1)
        #expect(throws: FileError.self) { try LabFolder(lab.directory, study: "THIRD") }
    }

    @Test func twoDevicesOfAParticipantHaveAFolderEach() async throws {
        let lab = try LabFixture()
        try await lab.record(1, enrolment: "e1", device: 7)
        try await lab.record(1, enrolment: "e2", device: 9, bytes: Array("other".utf8))
        #expect(
            try Written(lab).rows("recordings").map { $0["path"] } == [
                "recordings/P1/e1/000001-magnetometer.csv", "recordings/P1/e2/000001-magnetometer.csv",
            ])
    }

    /// The receiver of this test is open all the time; what it writes meanwhile is not in it.
    @Test func aFolderThatIsWrittenToIsReadAsItWasAtOneMoment() async throws {
        let lab = try LabFixture()
        try await lab.post("P1")
        let whole = try LabFolder(lab.directory, study: nil)
        try await lab.post("P1", answered: "2026-11-25T10:00:00+01:00")
        #expect(try whole.record(of: whole.participants[0]).submissions.count == 1)
        #expect(whole.hasChanged())
        #expect(try LabFolder(lab.directory, study: nil).hasChanged() == false)
    }

    /// Another program, in the midst of a transaction, as a receiver is when a power cut comes.
    @Test func aDatabaseThatAnotherProgramWritesToIsReadAsItWas() async throws {
        let lab = try LabFixture()
        try await lab.post("P1")
        let script = """
            import os, signal, sqlite3, sys
            lab = sqlite3.connect(sys.argv[1] + "/receiver.sqlite", isolation_level=None)
            lab.execute("BEGIN IMMEDIATE")
            lab.execute("UPDATE record SET user = ?", ("P9",))
            print(os.getpid(), flush=True)
            signal.pause()
            """
        let folder = lab.directory
        let writer = try #require(popen("exec python3 -c '\(script)' \(folder)", "r"))
        defer { pclose(writer) }
        var line = [CChar](repeating: 0, count: 32)
        try #require(fgets(&line, 32, writer) != nil)
        let process = try #require(pid_t(String(decoding: line.prefix { $0 > 32 }.map { UInt8($0) }, as: UTF8.self)))
        defer { kill(process, SIGKILL) }
        let written = try Written(lab)
        #expect(try written.rows("answers").map { $0["participant"] } == ["P1"])
        #expect(try LabFolder(folder, study: nil).hasChanged() == false)
    }

    @Test func aDeviceThatTookPartInTwoStudiesIsReadAsOneOfThem() async throws {
        let folder = "/tmp/studyd-two-\(getpid())-\(UInt32.random(in: 0 ... .max))"
        try File.makeFolder(folder)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let script = """
            import json, sqlite3, sys
            state = sqlite3.connect(sys.argv[1] + "/studyd.sqlite")
            state.executescript(\"\"\"
                CREATE TABLE enrolment (sequence INTEGER, record TEXT);
                CREATE TABLE event (wall INTEGER, kind TEXT, enrolment TEXT);
                CREATE TABLE answer (enrolment TEXT, question TEXT);
                CREATE TABLE study_file (bytes BLOB, received INTEGER, digest TEXT);
                \"\"\")
            for place, (study, person) in enumerate([("S1", "P1"), ("S2", "P1"), ("S2", "P2")]):
                state.execute("INSERT INTO enrolment VALUES (?, ?)", (place, json.dumps(
                    {"id": f"e{place}", "studyID": study, "participant": person, "instant": 0})))
            state.commit()
            """
        try #require(DatasetProgram.run(["python3", "-c", script, folder]) != nil)
        let error = try #require(throws: FileError.self) { try DeviceFolder(folder, study: nil) }
        #expect("\(error)".contains("S1, S2") && "\(error)".contains("--study"))
        let second = try DeviceFolder(folder, study: "S2")
        #expect(second.participants.map(\.id) == ["P1", "P2"])
        #expect(second.issues.map(\.kind) == [.otherStudy])
    }

    @Test func aFolderThatIsNoLabsIsRefused() throws {
        let error = try #require(throws: FileError.self) { try LabFolder("/tmp", study: nil) }
        #expect("\(error)".contains("study-receiver"))
    }
}
