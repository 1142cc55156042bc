// SPDX-License-Identifier: Apache-2.0
import Base
import Database
import Foundation
import Patience
import SystemKit
import Testing

@testable import Agent
@testable import Study

/// Answers that a participant has deleted are nowhere on the device, and the chain stays whole.
@Suite struct ErasureTests {
    static let secret = "ZEBRA-QUARTZ-4711"

    static var events: [StudyEvent] {
        let record = AnswerRecord(
            question: "q", value: .text(secret), presented: nil, answered: MonotonicTime(nanoseconds: 5), presses: 3)
        return [
            .pressed(button: 1, at: MonotonicTime(nanoseconds: 4)), .answered(task: "t", opening: 1, answer: record),
            .variableSet(name: "v", value: .text(secret)), .listOpened,
        ]
    }

    static func withFolder(_ body: (String) async throws -> Void) async throws {
        let folder = NSTemporaryDirectory() + "\(UUID())"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await body(folder)
    }

    /// Whether any file of the folder has the text: tables, free pages, write-ahead log.
    static func holds(_ folder: String) throws -> Bool {
        try FileManager.default.contentsOfDirectory(atPath: folder).contains { name in
            try Data(contentsOf: URL(fileURLWithPath: folder + "/" + name)).range(of: Data(secret.utf8)) != nil
        }
    }

    /// The chain as anybody may check it, with Python's own SQLite and SHA-256: an erased
    /// row counts with its seal, one with its salt with the seal that follows from it.
    /// Prints "rows erased".
    static let reader = """
        import sqlite3, hashlib, json, sys
        file = sqlite3.connect("file:" + sys.argv[1] + "?mode=ro", uri=True)
        previous, rows, erased = bytes(32), 0, 0
        for row in file.execute("SELECT * FROM event ORDER BY sequence"):
            body, salt = row[7], row[10]
            if salt is None:
                content = json.loads(body)["erased"]
                erased += 1
            else:
                content = hashlib.sha256(salt + body.encode()).hexdigest()
            rows += 1
            assert row[0] == rows and row[8] == previous, row
            fields = b"".join(b"%d:%s," % (len(f), f) for f in (str(x).encode() for x in row[:7] + (content,)))
            assert row[9] == hashlib.sha256(previous + fields).digest(), row
            previous = row[9]
        assert file.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        print(rows, erased)
        """

    /// What the reader prints; nil where there is no Python, which is said.
    static func independentCount(_ path: String) throws -> String? { try python(reader, path) }

    private static func python(_ script: String, _ path: String) throws -> String? {
        guard ["/usr/bin/python3", "/usr/local/bin/python3"].contains(where: FileManager.default.isExecutableFile)
        else {
            print("SKIPPED: no python3: the chain was not read by an independent reader")
            return nil
        }
        let process = Process()
        let pipe = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["python3", "-c", script, path]
        process.standardOutput = pipe
        try process.run()
        let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitAsleep()
        #expect(process.terminationStatus == 0)
        return text.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    @Test func nothingOfAnErasedAnswerIsLeftInTheFile() async throws {
        try await Self.withFolder { folder in
            let database = try StudyDatabase(.file(folder + "/a.sqlite"))
            let stamp = Fixture.stamp(0)
            for _ in 0..<50 { try await database.append(Self.events, at: stamp) }
            let request = WireRequest(
                method: "POST", url: "http://example.org", headers: [], body: Array(Self.secret.utf8))
            let draft = OutboxDraft(origin: "o", itemClass: .answers, destination: "d", content: .request(request))
            try await database.append([], sending: [draft], at: stamp)
            let id = try #require(try await database.items().first?.item.id)
            let starts = try await database.startUpload(id, at: stamp)
            #expect(starts)
            try await database.finishUpload(id, .refused(reason: "Invalid value " + Self.secret), at: stamp)
            try await database.deleteItem(id, reason: "by hand", at: stamp)
            #expect(try Self.holds(folder))
            let rows = try await database.eraseAnswers(of: stamp.enrolment, reason: "withdrawal", at: stamp)
            #expect(rows == 151)
            #expect(try !Self.holds(folder))
            #expect(try await database.verifyLog() == nil)
            #expect(try Self.independentCount(folder + "/a.sqlite").map { $0.hasSuffix(" 151") } ?? true)
            #expect(try await database.integrityErrors().isEmpty)
            let dump = try await database.projectionDump()
            try await database.rebuildProjections()
            #expect(try await database.projectionDump() == dump)
            let again = try await database.eraseAnswers(of: stamp.enrolment, reason: "withdrawal", at: stamp)
            #expect(again == 0)
            #expect(try await database.hasErasedAnswers(of: stamp.enrolment))
            #expect(try await database.events(kind: "listOpened").count == 50, "what is no answer stays")
        }
    }

    @Test func answersOfOthersStay() async throws {
        let database = try StudyDatabase(.memory)
        let stamp = Fixture.stamp(0)
        let other = EventStamp(
            wall: stamp.wall, monotonic: stamp.monotonic, bootID: stamp.bootID, zoneOffset: stamp.zoneOffset,
            enrolment: "somebody else")
        try await database.append(Self.events, at: stamp)
        try await database.append(Self.events, at: other)
        let rows = try await database.eraseAnswers(of: "somebody else", reason: "withdrawal", at: other)
        #expect(rows == 3)
        #expect(try await database.events(kind: "answered").count == 1)
        #expect(try await database.verifyLog() == nil)
    }

    /// The seal in place of a body is bound into the chain as the body was.
    @Test(arguments: [
        #"UPDATE event SET body = '{"erased":"00"}' WHERE sequence = 2"#,
        #"UPDATE event SET body = '{"erased":""}' WHERE sequence = 2"#,
        "UPDATE event SET wall = wall + 1 WHERE sequence = 2",
    ])
    func aForgedSealIsFound(_ forgery: String) throws {
        let connection = try Connection(.memory)
        let log = try EventLog(connection)
        try log.append(Self.events, at: Fixture.stamp(0))
        let erased = try log.transaction { try log.erase(of: nil) { $0 == "answered" } }
        #expect(erased == 1)
        #expect(try log.verify() == nil)
        try connection.execute("DROP TRIGGER event_stays; \(forgery)")
        #expect(try log.verify()?.sequence == 2)
    }

    @Test func onlyABodyCanBeErasedAndNothingElseIsChangedWithIt() throws {
        let connection = try Connection(.memory)
        let log = try EventLog(connection)
        try log.append(Self.events, at: Fixture.stamp(0))
        #expect(throws: DatabaseError.self) {
            try connection.execute(
                #"UPDATE event SET body = '{"erased":"0"}', salt = NULL, wall = 1 WHERE sequence = 1"#)
        }
    }

    /// An attacker who can write the file can hash every row again. Rows with a hash over the body
    /// itself are refused, though each fits the one before: in those, any other body could replace
    /// an erased one.
    @Test(arguments: [("body", 1), ("{\"erased\":\"\"}", 1), ("last", 4)])
    func aChainWithoutSealsIsRefused(_ kind: String, _ first: Int64) async throws {
        try await Self.withFolder { folder in
            let path = folder + "/a.sqlite"
            try EventLog(Connection(.file(path))).append(Self.events, at: Fixture.stamp(0))
            #expect(try ReadOnlyLog(path).verify() == nil)
            guard try Self.unseal(path, kind, from: first) else { return }
            let fault = try ReadOnlyLog(path).verify()
            #expect(fault?.sequence == first && fault?.problem == "has lost its seal")
        }
    }

    /// Rows from `first` on without salt, their hashes over the body itself or over an empty seal.
    /// By Python; false without it.
    private static func unseal(_ path: String, _ kind: String, from first: Int64) throws -> Bool {
        let script = """
            import sqlite3, hashlib, sys
            file = sqlite3.connect(sys.argv[1])
            file.execute("DROP TRIGGER event_stays")
            previous = bytes(32)
            for row in file.execute("SELECT * FROM event ORDER BY sequence").fetchall():
                body, seal = row[7], hashlib.sha256(row[10] + row[7].encode()).hexdigest()
                if row[0] >= \(first):
                    body = '\(kind)' if '\(kind)'.startswith("{") else body
                    seal = "" if '\(kind)'.startswith("{") else body
                fields = b"".join(b"%d:%s," % (len(f), f) for f in (str(x).encode() for x in row[:7] + (seal,)))
                digest = hashlib.sha256(previous + fields).digest()
                salt = None if row[0] >= \(first) else row[10]
                file.execute("UPDATE event SET body = ?, salt = ?, previous = ?, hash = ? WHERE sequence = ?", (body, salt, previous, digest, row[0]))
                previous = digest
            file.commit()
            """
        return try python(script, path) != nil
    }

    /// The participant's id and key, as the platform's letters have them.
    static let name = "PARTICIPANT-KEY-8842"

    static func life(asksToDelete: Bool, in folder: String) async throws {
        let database = try StudyDatabase(.file(folder + "/a.sqlite"))
        var enrolment = Fixture.enrolment
        enrolment = Enrolment(
            id: enrolment.id, studyID: enrolment.studyID, participant: ParticipantID(name), condition: nil,
            instant: enrolment.instant, local: enrolment.local, seed: enrolment.seed)
        let record = EnrolmentRecord(
            enrolment, platform: PlatformName(rawValue: "schema"), source: "study.json",
            fileDigest: try Digest(of: Array("study".utf8)))
        let stamp = Fixture.stamp(1)
        _ = try await database.keepStudyFile(Array("study".utf8), source: "study.json", at: stamp.wall)
        try await database.append([.enrolled(enrolment: record)] + events, at: stamp)
        try await database.append(
            [.fault(place: "upload", message: "no answer for \(name)")], at: Fixture.stamp(2, enrolment: ""))
        try await database.append([], sending: [Fixture.draft("a", body: name + secret)], at: stamp)
        try await database.withdraw(
            deletesUnsent: asksToDelete, erasesAnswers: asksToDelete, sending: [Fixture.draft("quit", body: name)],
            at: stamp)
        for _ in 0..<2 {
            // Twice, as after a power cut in between.
            try await database.close(at: Fixture.stamp(3, enrolment: ""))
        }
    }

    @Test(arguments: [true, false])
    func aClosedLogNamesOnlyWhoDidNotAskForDeletion(asks: Bool) async throws {
        try await Self.withFolder { folder in
            try await Self.life(asksToDelete: asks, in: folder)
            let path = folder + "/a.sqlite"
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: folder).sorted() == ["a.head", "a.sqlite"],
                "one file, to be put away")
            #expect(try !Self.holds(folder))
            let named = try Data(contentsOf: URL(fileURLWithPath: path)).range(of: Data(Self.name.utf8)) != nil
            #expect(named == !asks)
            #expect(try ReadOnlyLog(path).verify() == nil)
            #expect(try Self.independentCount(path) != "")
            let database = try StudyDatabase(.file(path))
            #expect(try await database.isClosed())
            #expect(try await database.lastEnrolment() == Fixture.enrolment.id)
            #expect(try await database.events(kind: "withdrawn").count == 1, "that it happened stays")
            #expect(try await database.undelivered() == (0, 0))
        }
    }

    /// The digests that stay in the log do not let one try out whether "yes" or "no" was sent.
    @Test func theDigestOfWhatWasSentDoesNotTellIt() async throws {
        let stamp = Fixture.stamp(0)
        var items: [QueuedItem] = []
        for _ in 0..<2 {
            let database = try StudyDatabase(.memory)
            try await database.append([], sending: [Fixture.draft("a", body: "yes")], at: stamp)
            try await database.append([], sending: [Fixture.draft("a", body: "yes")], at: stamp)
            #expect(try await database.items().count == 1, "the same item is not queued twice")
            items += try await database.items().map(\.item)
            try await database.eraseAnswers(of: nil, reason: "withdrawal", at: stamp)
            try await database.append([], sending: [Fixture.draft("a", body: "yes")], at: stamp)
            #expect(try await database.items().count == 2, "the secret went with the answers")
        }
        #expect(items[0].requestDigest != items[1].requestDigest && items[0].id != items[1].id)
        let digest = try Fixture.request("yes").digest().description
        #expect(!items.contains { $0.requestDigest == digest })
    }

    /// Somebody who reads keeps the write-ahead log from being emptied: told once, and
    /// made good later.
    @Test func anErasureThatAReaderHoldsUpIsFinishedLater() async throws {
        try await Self.withFolder { folder in
            let path = folder + "/a.sqlite"
            let database = try StudyDatabase(.file(path), busyTimeout: .zero)
            try await database.append(Self.events, at: Fixture.stamp(0))
            var reader: Connection? = try Connection(.file(path), busyTimeout: .zero)
            try reader?.execute("BEGIN; SELECT count(*) FROM event;")
            try await database.eraseAnswers(of: nil, reason: "withdrawal", at: Fixture.stamp(1))
            #expect(await !database.finishErasure(at: Fixture.stamp(2)))
            #expect(try await database.events(kind: "fault").count == 1)
            #expect(try Self.holds(folder))
            reader = nil
            #expect(await database.finishErasure(at: Fixture.stamp(3)))
            #expect(try !Self.holds(folder))
        }
    }
}
