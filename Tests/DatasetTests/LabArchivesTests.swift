// SPDX-License-Identifier: Apache-2.0
import Base
import FoundationEssentials
import Glibc
import SystemKit
import Testing

@testable import Dataset
@testable import Lab

/// Archives made by Python's `zipfile` of the result that Sage Bionetworks publishes as an example,
/// encrypted by the program openssl.
struct LabArchivesTests {
    private static let example: String? = {
        let path =
            LabFixture.root
            + "/../shared/fixtures/sage/mobile-client-json/examples/v2/AssessmentResultObject/AssessmentResultObject_0.json"
        if access(path, R_OK) == 0 { return path }
        print("SKIPPED: \(path) is not there")
        return nil
    }()

    /// Writes `run.zip`: the example, with a time at which it was due.
    private static let make = """
        import json, sys, zipfile
        metadata = {"appName": "x", "scheduledOn": "2017-10-16T22:25:00.000-07:00", "files": [
            {"filename": "assessmentResult.json", "timestamp": "2017-10-16T22:30:49.000-07:00", "metadata": {"clockError": 0.2}}]}
        with zipfile.ZipFile(sys.argv[2] + "/run.zip", "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("metadata.json", json.dumps(metadata))
            archive.write(sys.argv[1], "assessmentResult.json")
        """

    private static func archive(in lab: LabFixture) throws -> [UInt8] {
        let made = DatasetProgram.run(["python3", "-c", make, try #require(example), lab.directory])
        try #require(made != nil)
        return try BoundedFile.read(lab.directory + "/run.zip")
    }

    /// A key with its certificate, and `run.zip` sealed to that.
    private static func sealed(in lab: LabFixture, _ name: String = "study") throws -> (bytes: [UInt8], key: CMSKey) {
        let base = "\(lab.directory)/\(name)"
        _ = try archive(in: lab)
        let script = """
            openssl req -x509 -newkey rsa:2048 -nodes -subj /CN=study -days 3 -keyout '\(base).pem' -out '\(base).crt' 2>/dev/null
            openssl cms -encrypt -binary -aes-256-cbc -outform DER -in '\(lab.directory)/run.zip' -out '\(base).cms' '\(base).crt'
            """
        try #require(DatasetProgram.run(["sh", "-c", script]) != nil)
        return (try BoundedFile.read(base + ".cms"), try CMSKey(file: base + ".pem"))
    }

    @Test(.enabled(if: example != nil, "needs ../shared/fixtures/sage"))
    func aRunOfSageResearchIsARowOfAnswers() async throws {
        let lab = try LabFixture()
        try await lab.sage(try Self.archive(in: lab))
        // The only study of the folder is the archive's.
        try await lab.report(LabFixture.prompt("moment/1"))
        let written = try Written(lab)
        let row = try #require(try written.rows("answers").first)
        #expect(row["task"] == "example" && row["due_local"] == "2017-10-16T22:25:00.000")
        #expect(row["opened_local"] == "2017-10-16T22:28:09.000" && row["answered_local"] == "2017-10-16T22:30:49.000")
        #expect(row["utc_offset"] == "-07:00" && row["clock_error_s"] == "0.2")
        #expect(row["answers_question1"] == "true" && row["answers_question2"] == "42")
        #expect(row["answers_question5"] == "foo" && row["answers_question9"] == "2020-04")
        #expect(row["answers_question7"] == "[1,5]" && row["answers_question10"] == "08:30")
        let long = try written.rows("answers-long")
        #expect(long.count > 9 && Set(long.compactMap { $0["submission"] }).count == 1)
        #expect(written.outcome.holes.isEmpty)
    }

    @Test(.enabled(if: example != nil, "needs ../shared/fixtures/sage"))
    func whatCameEncryptedIsNamedAndTheStudysKeyOpensIt() async throws {
        let lab = try LabFixture()
        let (bytes, key) = try Self.sealed(in: lab)
        let plain = try BoundedFile.read(lab.directory + "/run.zip")
        try await lab.sage(bytes, isEncrypted: true)
        try await lab.report(LabFixture.prompt("moment/1"))
        let closed = try Written(lab, to: "closed")
        #expect(try closed.rows("answers").isEmpty && closed.outcome.holes.isEmpty)
        #expect(closed.outcome.issues.contains { $0.kind == .encrypted })
        let missing = try #require(try closed.rows("missing").first)
        #expect(missing["kind"] == "submission" && missing["state"] == "encrypted" && missing["hole"] == "false")
        #expect(missing["why"]?.contains("--key") == true)
        let sealed = try #require(try closed.rows("files").first?["path"])
        #expect(sealed.hasSuffix(".zip.cms"))
        #expect(try BoundedFile.read("\(closed.path)/\(sealed)") == bytes)

        let open = try Written(lab, to: "open", keys: [key])
        #expect(try open.rows("answers").map { $0["answers_question2"] } == ["42"])
        #expect(try open.rows("missing").isEmpty)
        let file = try #require(try open.rows("files").first)
        #expect(try BoundedFile.read("\(open.path)/\(file["path"] ?? "")") == plain)
        #expect(file["path"]?.hasSuffix(".zip") == true)
        let digest = try Digest(of: plain).description
        #expect(file["bytes"] == "\(plain.count)" && file["sha256"] == digest)
        // An archive in place of one that was closed; then nothing is new.
        _ = try Written(lab, to: "closed", keys: [key])
        #expect(try Written(lab, to: "closed").outcome.newBytes > 0)
        #expect(try Written(lab, to: "open", keys: [key]).outcome.newBytes == 0)
    }

    @Test(.enabled(if: example != nil, "needs ../shared/fixtures/sage"))
    func whatNoGivenKeyOpensIsAHole() async throws {
        let lab = try LabFixture()
        let (bytes, _) = try Self.sealed(in: lab)
        let (_, other) = try Self.sealed(in: lab, "other")
        try await lab.sage(bytes, isEncrypted: true)
        try await lab.report(LabFixture.prompt("moment/1"))
        let written = try Written(lab, keys: [other])
        #expect(written.outcome.holes.map { $0.item.state } == ["encrypted to another key than the given"])
        // The same run in plain is a row, and sealed once more it repeats that.
        try await lab.sage(try Self.archive(in: lab))
        #expect(try Written(lab, keys: [other]).rows("answers").count == 1)
    }

    @Test(.enabled(if: example != nil, "needs ../shared/fixtures/sage"))
    func aDamagedArchiveIsNamedAndNeverARow() async throws {
        let lab = try LabFixture()
        var bytes = try Self.archive(in: lab)
        try await lab.sage(bytes)
        try await lab.report(LabFixture.prompt("moment/1"))
        let digest = try Digest(of: bytes).description
        bytes[bytes.count / 2] ^= 1
        try AtomicFile.write(bytes, to: "\(lab.directory)/sage/\(digest).zip")
        let written = try Written(lab)
        #expect(try written.rows("answers").isEmpty)
        #expect(written.outcome.issues.contains { $0.kind == .unreadable && $0.text.contains(digest) })
        #expect(written.outcome.holes.count == 1)
        // Gone altogether.
        unlink("\(lab.directory)/sage/\(digest).zip")
        #expect(try Written(lab).rows("missing").map { $0["state"] } == ["no longer in the lab's folder"])
    }

    /// What lies under an archive's digest: its own bytes, others, none that can be read, or nothing.
    @Test(
        arguments: [
            ("kept", "is no zip that can be read"),
            ("changed", "is damaged: its SHA-256 is another than when it arrived"),
            ("folder", "cannot be read"), ("empty zip", "has no result that can be read: it is not in answers.csv"),
            ("gone", nil),
        ] as [(String, String?)]) func whatIsWrongWithAnArchiveIsSaid(place: String, words: String?) async throws
    {
        let lab = try LabFixture()
        // The end record of a zip without files (APPNOTE 4.3.16).
        let bytes: [UInt8] =
            place == "empty zip" ? [0x50, 0x4B, 5, 6] + [UInt8](repeating: 0, count: 18) : Array("an archive".utf8)
        try await lab.sage(bytes)
        try await lab.report(LabFixture.prompt("moment/1"))
        let digest = try Digest(of: bytes).description
        let path = "\(lab.directory)/sage/\(digest).zip"
        if place == "changed" { try AtomicFile.write(Array("An archive".utf8), to: path) }
        if ["folder", "gone"].contains(place) { unlink(path) }
        if place == "folder" { try File.makeFolder(path) }
        let folder = try LabFolder(lab.directory, study: nil)
        let record = try folder.record(of: try #require(folder.participants.first))
        let said = record.issues.filter { $0.kind == .unreadable }
        #expect(said.count == (words == nil ? 0 : 1), "\(record.issues)")
        if let words { #expect(said.first?.text.hasPrefix("the archive \(digest) \(words)") == true, "\(said)") }
        #expect(record.submissions.isEmpty && record.files.count == (place == "gone" ? 0 : 1))
        #expect(record.missing.map(\.state) == (place == "gone" ? ["no longer in the lab's folder"] : []))
        #expect(record.files.allSatisfy { $0.name == digest + ".zip" }, "it is not sealed")
    }

    /// It is one that came encrypted, whatever it holds, and no hole where no key is given.
    @Test(
        arguments: [("kept", nil), ("changed", "is damaged: its SHA-256 is another than when it arrived")]
            as [(String, String?)])
    func anEncryptedArchiveIsNamedAsOne(place: String, words: String?) async throws {
        let lab = try LabFixture()
        let bytes: [UInt8] = [0x30, 0x80, 0, 0]
        try await lab.sage(bytes, isEncrypted: true)
        try await lab.report(LabFixture.prompt("moment/1"))
        let digest = try Digest(of: bytes).description
        if place == "changed" {
            try AtomicFile.write([0x30, 0x81, 0, 0], to: "\(lab.directory)/sage/\(digest).zip.cms")
        }
        let folder = try LabFolder(lab.directory, study: nil)
        let record = try folder.record(of: try #require(folder.participants.first))
        #expect(record.files.map(\.name) == [digest + ".zip.cms"] && record.submissions.isEmpty)
        #expect(record.missing.map(\.state) == (words == nil ? ["encrypted"] : []))
        #expect(record.holes.isEmpty)
        let said = record.issues.filter { $0.kind == .unreadable }.map(\.text)
        #expect(said == (words.map { ["the archive \(digest) \($0)"] } ?? []))
        #expect(record.issues.count { $0.kind == .encrypted } == (words == nil ? 1 : 0))
    }

    /// Archives name no study.
    @Test func archivesAloneAreOfTheStudyThatIsNamed() async throws {
        let lab = try LabFixture()
        try await lab.sage([1, 2, 3], of: "P1")
        let error = try #require(throws: FileError.self) { try LabFolder(lab.directory, study: nil) }
        #expect("\(error)".contains("--study"))
        #expect(try LabFolder(lab.directory, study: "S").participants.map(\.id) == ["P1"])
        try await lab.post("P1")
        #expect(try LabFolder(lab.directory, study: nil).participants.map(\.id) == ["P1"])
    }

    /// P1's archives in the dataset of a study: files, and holes.
    private static func archives(of study: String, in lab: LabFixture) throws -> [Int] {
        let folder = try LabFolder(lab.directory, study: study)
        let record = try folder.record(of: try #require(folder.participants.first { $0.id == "P1" }))
        return [record.files.count { $0.kind == "archive" }, record.holes.count { $0.kind == .submission }]
    }

    @Test func amongSeveralStudiesAnArchiveIsOfItsParticipants() async throws {
        let lab = try LabFixture()
        try await lab.post("P1")
        try await lab.post("P2", study: "OTHER")
        try await lab.sage([1, 2, 3], of: "P1")
        #expect(try Self.archives(of: LabFixture.study, in: lab) == [1, 0])
        #expect(try LabFolder(lab.directory, study: "OTHER").participants.map(\.id) == ["P2"])
        // Without an enrolment in either it may be of both.
        let other = try LabFixture()
        for study in [LabFixture.study, "OTHER"] { try await other.post("P2", study: study) }
        try await other.sage([1, 2, 3], of: "P1")
        for study in [LabFixture.study, "OTHER"] { #expect(try Self.archives(of: study, in: other) == [0, 1]) }
    }

    /// Two people may have one name: an archive that came before the second enrolment need not be of the first.
    @Test(arguments: ["2026-11-26T08:00:00Z", "2026-11-26T08:00:01Z", "no time"])
    func noEnrolmentsTimeDecides(began: String) async throws {
        let lab = try LabFixture()
        try await lab.upload("a.jpg", [1])
        try await lab.upload("b.jpg", [2], study: "OTHER", enrolment: "e2", enrolled: began)
        try await lab.sage([1, 2, 3], of: "P1")
        for study in [LabFixture.study, "OTHER"] { #expect(try Self.archives(of: study, in: lab) == [0, 1]) }
    }

    /// Whose manifests of which studies name P1's archive, and what each study has of it.
    @Test(
        arguments: [
            ([], [0, 1], [0, 1]), ([("P1", LabFixture.study)], [1, 0], [0, 0]), ([("P1", "OTHER")], [0, 0], [1, 0]),
            ([("P1", LabFixture.study), ("P1", "OTHER")], [0, 1], [0, 1]), ([("P2", "OTHER")], [0, 1], [0, 1]),
        ] as [([(String, String)], [Int], [Int])])
    func aManifestSaysOfWhichStudyAnArchiveIs(manifests: [(String, String)], first: [Int], second: [Int]) async throws {
        let lab = try LabFixture()
        for study in [LabFixture.study, "OTHER"] { try await lab.post("P1", study: study) }
        let bytes: [UInt8] = [1, 2, 3]
        try await lab.sage(bytes, of: "P1")
        let entry = LabFixture.entry("answers-9", sha256: try Digest(of: bytes).description, kind: "submission")
        for (participant, study) in manifests { try await lab.manifest(entry, of: participant, study: study) }
        #expect(try Self.archives(of: LabFixture.study, in: lab) == first)
        #expect(try Self.archives(of: "OTHER", in: lab) == second)
    }

    @Test func anArchiveOfNoParticipantIsNamed() async throws {
        let lab = try LabFixture()
        try await lab.post("P1")
        try await lab.sage([1, 2, 3], of: "")
        #expect(try LabFolder(lab.directory, study: nil).issues.contains { $0.text.contains("from no participant") })
    }

    @Test func archivesOfAPlayedBridgeServerAreNamed() async throws {
        let lab = try LabFixture()
        try await lab.post("P1")
        try File.makeFolder(lab.directory + "/bridge")
        try AtomicFile.write([1], to: lab.directory + "/bridge/1.zip.cms")
        #expect(try LabFolder(lab.directory, study: nil).issues.contains { $0.text.contains("bridge/1.zip.cms") })
    }
}
