// SPDX-License-Identifier: Apache-2.0
import Base
import Database
import Foundation
import SystemKit
import Testing

@testable import Agent
@testable import Study

/// What waits to be sent cannot be read in the store's files; the server gets it as it was, and
/// the lab opens it with `age`.
@Suite(.timeLimit(.minutes(10))) struct EncryptedOutboxTests {
    private static let words = "an answer that must stay secret"
    private static let lab = AgeIdentity(secret: [UInt8](repeating: 21, count: 32))
    private static let hasTools: Bool = {
        let found = system("age --version >/dev/null 2>&1 && sqlite3 --version >/dev/null 2>&1") == 0
        if !found { print("SKIPPED: the programs age and sqlite3 are not both installed") }
        return found
    }()

    private final class Device {
        let folder: StateFolder
        let settings: EncryptionSettings
        let opener: DeviceOpener

        init() throws {
            folder = try StateFolder(try UploadFixture.folder())
            settings = EncryptionSettings(recipients: [try #require(EncryptedOutboxTests.lab).recipient])
            opener = try DeviceOpener(settings, in: folder)
        }

        deinit { try? FileManager.default.removeItem(atPath: folder.path) }

        func store(isEncrypted: Bool = true) throws -> StudyDatabase {
            try StudyDatabase(
                .file(folder.database), recordings: folder.recordings,
                encryption: isEncrypted ? BodyEncryption(settings, opener: opener) : nil)
        }

        /// Whether any file of the store has the words in it.
        func shows(_ words: String) throws -> Bool {
            try ["", "-wal"].contains { ending in
                let text = String(decoding: try BoundedFile.read(folder.database + ending), as: UTF8.self)
                return text.contains(words)
            }
        }
    }

    private func body(_ database: StudyDatabase) async throws -> String {
        let item = try #require(try await database.items().first)
        guard case .request(let request) = try await database.content(of: item) else { return "no request" }
        return String(decoding: request.body, as: UTF8.self)
    }

    @Test(arguments: [true, false]) func whatWaitsIsReadByTheDeviceAlone(isEncrypted: Bool) async throws {
        let device = try Device()
        let database = try device.store(isEncrypted: isEncrypted)
        try await append(to: "http://x", database)
        #expect(try device.shows(Self.words) != isEncrypted)
        #expect(try await body(database) == Self.words)
        // After a restart, too, whether or not it encrypts from then on.
        #expect(try await body(device.store()) == Self.words)
        #expect(try await database.verifyLog() == nil)
    }

    @Test(.enabled(if: LabServer.isAvailable, "python3 is missing: install it to test uploads"))
    func whatTheServerGetsIsWhatWasAnswered() async throws {
        let server = try LabServer()
        let device = try Device()
        let database = try device.store()
        try await append(to: server.url("/take"), database)
        #expect(try await send(database, UploadFixture.study(), by: device) == .finished(.delivered(receipt: "200")))
        #expect(try stored(server) == [Self.words])
        #expect(try !device.shows(Self.words))
    }

    /// A spoken answer goes to the study's own server as sound, although it lies on the card encrypted.
    @Test(.enabled(if: LabServer.isAvailable, "python3 is missing: install it to test uploads"))
    func theServerGetsAnEncryptedFileAsItWasRecorded() async throws {
        let server = try LabServer()
        let device = try Device()
        let database = try device.store()
        let to = device.settings.recipients + [device.opener.recipient].compactMap(\.self)
        let encrypted = try AgeWriter.encrypt(Array(Self.words.utf8), to: to)
        try File.makeFolder(device.folder.recordings)
        try AtomicFile.write(encrypted, to: device.folder.recordings + "/1.age")
        let file = FileReference(
            path: "1.age", sha256: try Digest(of: encrypted).description, bytes: Int64(encrypted.count),
            contentType: "audio/flac", recording: "1", metadata: ["url": server.url("/take")])
        try await UploadFixture.append(
            [OutboxDraft(origin: "file 1", itemClass: .answers, destination: "study", content: .file(file))],
            to: database)
        let study = HTTPDestination(
            name: "study", wire: CarryingWire(), limits: UploadFixture.limits(), opener: device.opener)
        #expect(try await send(database, study, by: device) == .finished(.delivered(receipt: "200")))
        #expect(try stored(server) == [Self.words])
    }

    /// As a request does: the key may come back. A file that is gone does not.
    @Test func aFileThatIsEncryptedToAnotherKeyWaitsForIt() async throws {
        let device = try Device()
        let database = try device.store()
        let other = try #require(AgeIdentity(secret: [UInt8](repeating: 9, count: 32)))
        let encrypted = try AgeWriter.encrypt(Array(Self.words.utf8), to: [other.recipient])
        let path = device.folder.recordings + "/1.age"
        try File.makeFolder(device.folder.recordings)
        try AtomicFile.write(encrypted, to: path)
        let file = FileReference(
            path: "1.age", sha256: try Digest(of: encrypted).description, bytes: Int64(encrypted.count),
            contentType: "audio/flac", recording: "1", metadata: ["url": "http://x"])
        try await UploadFixture.append(
            [OutboxDraft(origin: "file 1", itemClass: .answers, destination: "study", content: .file(file))],
            to: database)
        let item = try #require(try await database.items().first).item.id
        let study = HTTPDestination(
            name: "study", wire: CarryingWire(), limits: UploadFixture.limits(), opener: device.opener)
        var waiting: String?
        do { _ = try await send(database, study, by: device) } catch StoreError.encryptedContent(let id) {
            waiting = id
        }
        #expect(waiting == item)
        try FileManager.default.removeItem(atPath: path)
        guard case .finished(.refused) = try await send(database, study, by: device) else {
            Issue.record("a file that is gone cannot be sent")
            return
        }
    }

    private func stored(_ server: LabServer) throws -> [String] {
        let request = HTTPRequest(method: "GET", url: server.url("/stored"), limits: .download)
        return try JSONDecoder().decode([String].self, from: Data(HTTPClient(userAgent: "oracle").send(request).body))
    }

    private struct CarryingWire: StudyWire {
        func request(carrying file: [UInt8], with fields: [String: String]) throws -> WireRequest {
            WireRequest(method: "POST", url: fields["url"] ?? "", headers: [], body: file)
        }
        func verdict(status: Int, body: [UInt8]) -> Verdict {
            status == 200 ? .delivered(receipt: "200") : .retry(reason: "\(status)")
        }
    }

    private func send(
        _ database: StudyDatabase, _ destination: HTTPDestination, by device: Device
    ) async throws -> DeliveryStep {
        let item = try #require(try await database.items().first)
        let job = DeliveryJob(
            item: item, content: try await database.content(of: item), directory: device.folder.recordings,
            location: nil, offset: nil)
        return try destination.send(job, by: HTTPClient(userAgent: "t"))
    }

    private func append(to url: String, _ database: StudyDatabase) async throws {
        let type = WireRequest.Header(name: "Content-Type", value: "text/plain")
        let request = WireRequest(method: "POST", url: url, headers: [type], body: Array(Self.words.utf8))
        try await UploadFixture.append(
            [OutboxDraft(origin: "run 1", itemClass: .answers, destination: "study", content: .request(request))],
            to: database)
    }

    @Test(.enabled(if: hasTools, "needs the programs age and sqlite3"))
    func theLabOpensWhatIsOnALostCard() async throws {
        let device = try Device()
        try await append(to: "http://x", device.store())
        let lab = try #require(Self.lab)
        let path = device.folder.path
        try AtomicFile.write(Array(lab.text.utf8), to: path + "/identity", mode: 0o600)
        #expect(
            system(
                "cd \(path) && sqlite3 studyd.sqlite \"SELECT writefile('x.age', body) FROM request\" >/dev/null && age -d -i identity x.age > x"
            ) == 0)
        #expect(try BoundedFile.text(path + "/x") == Self.words)
    }

    /// The item waits with its bytes, and goes on once the key is there again.
    @Test func aLostKeyLosesNothing() async throws {
        let device = try Device()
        try await append(to: "http://x", device.store())
        for other in [nil, AgeIdentity(secret: [UInt8](repeating: 9, count: 32))] {
            var encryption: BodyEncryption?
            if let other {
                try AtomicFile.write(Array(other.text.utf8), to: device.folder.path + "/other", mode: 0o600)
                let settings = EncryptionSettings(
                    recipients: device.settings.recipients, key: device.folder.path + "/other")
                encryption = BodyEncryption(settings, opener: try DeviceOpener(settings, in: device.folder))
            }
            let database = try StudyDatabase(.file(device.folder.database), encryption: encryption)
            let item = try #require(try await database.items().first)
            await #expect(throws: StoreError.encryptedContent(item: item.item.id)) {
                try await database.content(of: item)
            }
        }
        #expect("\(StoreError.encryptedContent(item: "x"))".contains("put seal.key of the state folder back"))
        #expect(try await body(device.store()) == Self.words)
    }

    /// Others go while it waits; and what is known of a server that fails is not forgotten.
    @Test(arguments: [0, 3]) func whatIsEncryptedToALostKeyHoldsUpNothingElse(failures: Int) async throws {
        let device = try Device()
        try await append(to: "http://x", device.store())
        let database = try StudyDatabase(.file(device.folder.database))
        let item = try #require(try await database.items().first)
        let runner = DeliveryRunner(
            database, to: UploadFixture.study(), by: try HTTPClient(userAgent: "t"),
            context: UploadFixture.context(HastyClock()), longestWait: .seconds(60), stopFlag: StopFlag())
        let ending = await runner.run(
            item, in: DeliveryQueue(destination: "study", enrolment: nil), leastTriedFirst: false)
        var backoff = DeliveryBackoff(policy: RetryPolicy(), seed: 1)
        let failed = DeliveryEnding.verdict(.retry(reason: "500"))
        for _ in 0..<failures { _ = backoff.end(failed, of: item, UploadFixture.study(), at: .zero, wall: .epoch) }
        let before = backoff.turn
        let result = backoff.end(ending, of: item, UploadFixture.study(), at: .zero, wall: .epoch)
        guard case .failed(let reason, let retryAt) = result else {
            Issue.record("\(result)")
            return
        }
        #expect(reason.contains("sealed to a key that is not here") && retryAt > .epoch)
        #expect(backoff.turn == before && before.failures == failures)
    }

    /// A request that is no longer what was queued is found through its seal, and one that cannot
    /// be opened here is not taken for damage.
    @Test func damageIsFoundInWhatIsEncrypted() async throws {
        let device = try Device()
        try await append(to: "http://x", device.store())
        let connection = try Connection(.file(device.folder.database))
        let encryption = BodyEncryption(device.settings, opener: device.opener)
        let other = BodyEncryption(
            to: device.settings.recipients, own: [try #require(AgeIdentity(secret: [UInt8](repeating: 9, count: 32)))])
        let encrypted = try #require(try connection.first("SELECT body FROM request") { try $0.bytes(0) })
        func refutes(_ encryption: BodyEncryption?) throws -> [Bool] {
            let judge = try #require(try RequestCheck(connection, opening: encryption))
            return try connection.rows("SELECT * FROM request") { judge.refutes($0.values) }
        }
        #expect(try refutes(encryption) == [false] && refutes(nil) == [false] && refutes(other) == [false])
        var damaged = encrypted
        damaged[damaged.count - 1] ^= 1
        try connection.run("UPDATE request SET body = ?", damaged)
        #expect(try refutes(encryption) == [true] && refutes(nil) == [false] && refutes(other) == [false])
        try connection.run("UPDATE request SET body = ?", try encryption.encrypted(Array("another answer".utf8)))
        #expect(try refutes(encryption) == [true])
    }

    /// SQLite keeps any type of value in any row of a damaged file, whether or not a key is here.
    @Test func aRowThatIsNoRequestIsNotWhatWasQueued() async throws {
        let device = try Device()
        try await append(to: "http://x", device.store())
        let connection = try Connection(.file(device.folder.database))
        let whole = try #require(try connection.rows("SELECT * FROM request") { $0.values }.first)
        for encryption in [BodyEncryption(device.settings, opener: device.opener), nil] {
            let judge = try #require(try RequestCheck(connection, opening: encryption))
            #expect(!judge.refutes(whole))
            #expect(judge.refutes([]) && judge.refutes(Array(whole.prefix(4))))
            for place in 0..<5 {
                var row = whole
                row[place] = .integer(1)
                #expect(judge.refutes(row), "\(place)")
            }
            for headers in ["", "{", "{}", "[1]", "[[]]", "[[\"a\"]]", "[[\"a\",\"b\",\"c\"]]"] {
                var row = whole
                row[3] = .text(headers)
                #expect(judge.refutes(row), "\(headers)")
            }
        }
    }
}
