// SPDX-License-Identifier: Apache-2.0
import Base
import Foundation
import Synchronization
import SystemKit
import Testing

@testable import Agent
@testable import Study

/// A bundle of a device with something private in every place, opened by Python's
/// zipfile and searched byte by byte.
@Suite(.timeLimit(.minutes(10))) struct SupportBundleTests {
    private static let secrets = [
        "P017ABC", "Anna Muster", "ada@example.org", "sad since Tuesday", "4271.9385", "52.520008", "13.404954",
        "lab-token-1", "s3cretOfTheLab", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
        "AGE-SECRET-KEY-1GFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPQ4EGAEX", "study-of-sadness", "annas-pi",
    ]

    private static func plant(in database: StudyDatabase) async throws {
        var record = EnrolmentRecord(
            Fixture.enrolment, platform: PlatformName(rawValue: "schema"),
            source: "https://lab.example/study-of-sadness.json",
            fileDigest: try Digest(of: []))
        (record.participant, record.studyID) = ("P017ABC", "study-of-sadness")
        let answers: Answers = [
            "why": .text("sad since Tuesday"), "how": .number(4271.9385), "who": .choices(["Anna Muster"]),
            "where": .position(latitude: 52.520008, longitude: 13.404954),
        ]
        let submission = Submission(
            task: "mood", occurrence: Fixture.occurrence(1), order: ["why"], answers: answers, drawn: [],
            submitted: Fixture.stamp(1).wall)
        var events: [StudyEvent] = [
            .enrolled(enrolment: record), .runOpened(task: "mood", opening: 1, occurrence: "mood/1"),
        ]
        for (index, pair) in answers.sorted(by: { $0.key < $1.key }).enumerated() {
            events.append(
                .answered(
                    task: "mood", opening: 1,
                    answer: AnswerRecord(
                        question: pair.key, value: pair.value, presented: nil,
                        answered: MonotonicTime(nanoseconds: Int64(index)), presses: 1)))
        }
        events.append(.submitted(task: "mood", opening: 1, submission: SubmissionRecord(submission)))
        events.append(.fault(place: "store", message: "Anna Muster said sad since Tuesday"))
        try await database.append(events, at: Fixture.stamp(1))
    }

    /// Everything private, in a sentence that something might say.
    private static let words = secrets.joined(separator: ", ") + " $GPGGA,123519,4807.038,N,01131.000,E,1"

    private static let status = JSONText.object([
        .init("running", .boolean(true)), .init("study", .string("study-of-sadness")),
        .init("participant", .string("P017ABC")), .init("next", .array([.string(words)])),
        .init("receiver", .string("52.520008 13.404954")),
        .init("faults", .array([.string(words), .string("i2c-1/0x68: stalled")])),
        .init("clock", .object([.init("note", .string(words)), .init("uncertainty", .number(0.25))])),
        .init("uploads", .array([.string(words)])),
    ]).text

    private static func configuration(in folder: String) throws -> String {
        for (name, secret) in [
            ("token", "s3cretOfTheLab"), ("bucket", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"),
            ("seal", "AGE-SECRET-KEY-1GFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPQ4EGAEX"),
        ] { try AtomicFile.write(Array("\(secret)\n".utf8), to: folder + "/" + name, mode: 0o600) }
        return """
            # \(words)
            board = "b.toml"
            state = "\(folder)"
            body_location = "Anna Muster"
            [report]
            url = "https://lab.example/P017ABC"
            token = "\(folder)/token"
            [seal]
            key = "\(folder)/seal"
            [[destination]]
            kind = "s3"
            secret_key = "\(folder)/bucket"
            [sage]
            external_id = "lab-token-1"
            """
    }

    @Test func nothingPrivateIsInIt() async throws {
        guard ReportSchema.run("import zipfile", []) != nil else { return print("SKIPPED: python3 is missing") }
        try await AgentFixture.inFolder { folder in
            let database = try StudyDatabase(.memory)
            try await Self.plant(in: database)
            let key = try DeviceKeyFile(StateFolder(folder)).prepare()
            let text = try Self.configuration(in: folder)
            let settings = AgentConfiguration(board: "", state: folder)
            let names = try await database.privateTexts() + SupportSecrets.all(in: settings, text)
            let bundle = SupportBundle(configuration: text, folder: folder, names: names) { words in
                words[0] == "journalctl"
                    ? "2026-11-25T19:00:00+0100 studyd[7]: studyd: hardware fault=i2c-1/0x68: stalled\n\(Self.words) \(key.text)\n"
                    : "curl 7.88.1"
            }
            let archive = try bundle.archive(
                status: Self.status, check: "ok  bus  i2c-1\nfailed \(Self.words)\n", at: ReportBench.start, in: .utc)
            let path = folder + "/bundle.zip"
            try AtomicFile.write(archive, toNamed: path)
            let script = """
                import sys, zipfile
                archive = zipfile.ZipFile(sys.argv[1])
                assert archive.testzip() is None
                for name in archive.namelist():
                    print(f"## {name}")
                    print(archive.read(name).decode())
                """
            let whole = try #require(ReportSchema.run(script, [path]))
            // `annas-pi` is known to the journal alone, which is asked to leave it out.
            for text in Self.secrets.dropLast() + [key.text, "4807.038", "\(Fixture.enrolment.seed.hexadecimal)"] {
                #expect(!whole.contains(text), "\(text) is in it")
            }
            let found = whole.split(separator: "\n").filter { $0.hasPrefix("## ") }.map { $0.dropFirst(3) }
            #expect(
                found == [
                    "README.txt", "status.json", "check.txt", "versions.txt", "configuration.txt", "journal.txt",
                    "kernel.txt",
                ])
            for text in ["i2c-1/0x68: stalled", "ok  bus  i2c-1", "studyd 0.", "sage.external_id = (cut)", "MemTotal:"]
            {
                #expect(whole.contains(text), "\(text) is missing")
            }
            unlink(path)
        }
    }

    /// The values themselves, and the first lines of the files that they name.
    @Test func everySecretThatAConfigurationNamesIsFound() async throws {
        try await AgentFixture.inFolder { folder in
            let key = try DeviceKeyFile(StateFolder(folder)).prepare()
            let text = try Self.configuration(in: folder)
            let found = SupportSecrets.all(in: AgentConfiguration(board: "", state: folder), text)
            #expect(
                Set(found) == [
                    key.text, folder + "/token", "s3cretOfTheLab", "lab-token-1",
                    "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
                    "AGE-SECRET-KEY-1GFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPQ4EGAEX",
                ])
        }
    }

    /// A damaged store is when a bundle is wanted: who takes part is also kept beside it.
    @Test func whoTakesPartIsKnownWithoutTheStore() async throws {
        try await AgentFixture.inFolder { folder in
            var record = EnrolmentRecord(
                Fixture.enrolment, platform: PlatformName(rawValue: "schema"), source: "https://lab.example/s.json",
                fileDigest: try Digest(of: []))
            (record.participant, record.studyID) = ("P017ABC", "study-of-sadness")
            EnrolmentBackup(at: folder).keep(record)
            for isStoreRead in [true, false] {
                let bundle = SupportBundle(
                    configuration: "", folder: folder, names: [], isStoreRead: isStoreRead
                ) { words in words[0] == "journalctl" ? "study-of-sadness of P017ABC: stalled" : nil }
                let entries = bundle.entries(status: nil, check: "P017ABC\n")
                let text = entries.map(\.text).joined()
                #expect(!text.contains("P017ABC") && !text.contains("sadness") && text.contains("stalled"))
                #expect(entries[0].text.contains(SupportBundle.doubt) == !isStoreRead)
            }
        }
    }

    /// The host's name may be a person's.
    @Test func theJournalIsAskedWithoutTheHostsName() throws {
        let asked = Mutex<[String]>([])
        let bundle = SupportBundle(configuration: "", folder: "/", names: []) { words in
            if words[0] == "journalctl" { asked.withLock { $0 = words } }
            return nil
        }
        _ = try bundle.archive(status: nil, check: nil, at: ReportBench.start, in: .utc)
        #expect(Set(asked.withLock { $0 }).isSuperset(of: ["--no-hostname", "--unit=studyd", "--since=-1d"]))
    }

    @Test func aProgramsOutputIsItsOwnAndBounded() {
        #expect(SupportBundle.output(["printf", "a\\nb"]) == "a\nb")
        #expect(SupportBundle.output(["/nowhere/at/all"]) == nil && SupportBundle.output(["false"]) == nil)
        #expect(SupportBundle.output(["sh", "-c", "echo no >&2; echo yes"]) == "yes\n")
        let long = SupportBundle.output(["sh", "-c", "head -c 5000000 /dev/zero; echo last"])
        #expect(long?.utf8.count == 1 << 20 && long?.hasSuffix("last\n") == true)
    }
}
