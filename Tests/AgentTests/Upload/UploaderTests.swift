// SPDX-License-Identifier: Apache-2.0
import Base
import Foundation
import HeldPort
import Patience
import Study
import SystemKit
import Testing

@testable import Agent

@Suite(.enabled(if: LabServer.isAvailable, "python3 is missing: install it to test uploads"), .timeLimit(.minutes(20)))
struct UploaderTests {
    private func uploader(
        _ database: StudyDatabase, _ destinations: [any Destination], haste: Int = 20, recordings: String = "/nowhere",
        every: Duration = .zero
    ) throws -> Uploader {
        Uploader(
            database, to: destinations,
            context: UploadFixture.context(HastyClock(haste: haste), recordings: recordings, every: every),
            policy: RetryPolicy(first: .milliseconds(200), longest: .seconds(4)), seed: 1, userAgent: "studyd-tests/1")
    }

    private func stored(_ server: LabServer) throws -> [String] {
        var request = HTTPRequest(method: "GET", url: server.url("/stored"), limits: .download)
        request.limits.maximumResponse = 64 << 20
        let body = try HTTPClient(userAgent: "oracle").send(request).body
        return try JSONDecoder().decode([String].self, from: Data(body))
    }

    private func run<Value>(_ uploader: Uploader, _ body: () async throws -> Value) async throws -> Value {
        async let running: Void = uploader.run()
        let outcome: Swift.Result<Value, any Error>
        do { outcome = .success(try await body()) } catch { outcome = .failure(error) }
        uploader.stop()
        await running
        return try outcome.get()
    }

    @Test func answersGoFirstAndOneRefusedOrFailingItemBlocksNothing() async throws {
        let server = try LabServer()
        let database = try StudyDatabase(.memory)
        try await UploadFixture.append(
            [
                UploadFixture.draft("low", to: server.url("/take"), .sound),
                UploadFixture.draft("refused", to: server.url("/status/422")),
                UploadFixture.draft("broken", to: server.url("/status/500")),
                UploadFixture.draft("portal", to: server.url("/portal")),
                UploadFixture.draft("late", to: server.url("/first/3/503")),
                UploadFixture.draft("good", to: server.url("/take")),
            ], to: database)
        try await run(try uploader(database, [UploadFixture.study()])) {
            try await database.reaches { $0.items[.delivered] == 3 && $0.items[.refused] == 1 }
        }
        #expect(try stored(server).sorted() == ["good", "late", "low"])
        #expect(try await database.counts().isBalanced)
        let broken = try #require(try await database.items(in: .waiting).first { $0.item.origin == "broken" })
        #expect(broken.note == "500" || broken.note?.contains("stopping") == true)
        #expect(try await database.verifyLog() == nil)
    }

    /// At the start everything goes; then an event waits for an answer, which takes it along, or for
    /// somebody in a hurry.
    @Test func whatIsNoAnswerIsGathered() async throws {
        let server = try LabServer()
        let database = try StudyDatabase(.memory)
        let uploader = try uploader(database, [UploadFixture.study()], every: .seconds(86_400))
        func append(_ text: String, _ itemClass: ItemClass) async throws {
            try await UploadFixture.append(
                [UploadFixture.draft(text, to: server.url("/take"), itemClass)], to: database)
            uploader.wake()
        }
        try await append("first", .events)
        try await run(uploader) {
            try await database.reaches { $0.items[.delivered] == 1 }
            try await append("event", .events)
            try await append("answer", .answers)
            try await database.reaches { $0.items[.delivered] == 3 }
            try await append("last", .events)
            uploader.sendNow()
            try await database.reaches { $0.items[.delivered] == 4 }
        }
        #expect(try stored(server) == ["first", "answer", "event", "last"])
    }

    @Test func aFileOfARunFollowsItsAnswersInTheRequestThatTheWireMakesOfIt() async throws {
        let server = try LabServer()
        let folder = try UploadFixture.folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let database = try StudyDatabase(.memory)
        func file(_ name: String, _ content: String, sealed: String) throws -> OutboxDraft {
            try Data(content.utf8).write(to: URL(fileURLWithPath: "\(folder)/\(name)"))
            return OutboxDraft(
                origin: "file \(name)", itemClass: .answers, destination: "study",
                content: .file(
                    FileReference(
                        path: name, sha256: try Digest(of: Array(sealed.utf8)).description,
                        bytes: Int64(sealed.utf8.count), contentType: "text/plain", recording: name,
                        metadata: ["url": server.url("/first/2/503")])), followsAnswers: true)
        }
        try await UploadFixture.append(
            [
                UploadFixture.draft("answers", to: server.url("/first/1/500")),
                try file("a", "sound", sealed: "sound"), try file("b", "other", sealed: "sound"),
            ], to: database)
        let study = HTTPDestination(name: "study", wire: FilingWire(), limits: UploadFixture.limits())
        try await run(try uploader(database, [study], recordings: folder)) {
            try await database.reaches { $0.items[.delivered] == 2 && $0.items[.refused] == 1 }
        }
        #expect(try stored(server) == ["answers", "carried: sound"])
        #expect(try await database.items(in: .refused).first?.note?.contains("not the file that was sealed") == true)
    }

    /// One step with a server that asks to be left alone, by 429 or 503 (RFC 9110 §10.2.3): its
    /// wait is the step's.
    @Test func whatAServerAsksForIsWhatTheStepSays() async throws {
        let server = try LabServer()
        let database = try StudyDatabase(.memory)
        try await UploadFixture.append([UploadFixture.draft("patient", to: server.url("/busy/40"))], to: database)
        let item = try #require(try await database.items().first)
        let job = DeliveryJob(
            item: item, content: try await database.content(of: item), directory: "", location: nil, offset: nil)
        let client = try HTTPClient(userAgent: "t")
        #expect(try UploadFixture.study().send(job, by: client) == .later(reason: "503", wait: .seconds(40)))
        #expect(try UploadFixture.study().send(job, by: client) == .finished(.delivered(receipt: "200")))
    }

    /// Twenty seconds of the hasty clock pass in each second; without that the next try would
    /// come within four of them.
    @Test func aServerThatAsksForPeaceGetsIt() async throws {
        let server = try LabServer()
        let database = try StudyDatabase(.memory)
        let clock = HastyClock(haste: 20)
        try await UploadFixture.append([UploadFixture.draft("patient", to: server.url("/busy/40"))], to: database)
        let uploader = Uploader(
            database, to: [UploadFixture.study()], context: UploadFixture.context(clock),
            policy: RetryPolicy(first: .milliseconds(200), longest: .seconds(4)), seed: 1, userAgent: "studyd-tests/1")
        try await run(uploader) {
            try await database.tries()
            uploader.networkChanged()
            try await database.reaches { $0.items[.delivered] == 1 }
        }
        #expect(clock.monotonic >= .zero + .seconds(40))
        #expect(try await database.items()[0].attempts == 2)
    }

    @Test(arguments: ["/hang", "/close", "/endless", "/loop"])
    func aServerThatMisbehavesGetsNoReceiptAndHoldsUpNoOtherDestination(path: String) async throws {
        let server = try LabServer()
        let database = try StudyDatabase(.memory)
        let drafts =
            [UploadFixture.draft("bad", to: server.url(path), destination: "bad")]
            + (1...5).map { UploadFixture.draft("good \($0)", to: server.url("/take"), .sound) }
        try await UploadFixture.append(drafts, to: database)
        try await run(
            try uploader(database, [UploadFixture.study(name: "bad", total: .seconds(1)), UploadFixture.study()])
        ) {
            try await database.reaches { $0.items[.delivered] == 5 }
        }
        let bad = try #require(try await database.items().first)
        #expect(bad.state == .waiting)
        #expect(bad.attempts >= 1)
    }

    /// Two studies after each other on one device have two servers; the first one's may
    /// never come back.
    @Test func theServerOfAStudyThatWasLeftDoesNotHoldUpTheNextOnes() async throws {
        let server = try LabServer()
        let database = try StudyDatabase(.memory)
        try await UploadFixture.append(
            (1...9).map { UploadFixture.draft("old \($0)", to: server.url("/status/500")) }, to: database,
            of: "old")
        // Slow enough that a pause after a failure would be longer than the test.
        let slow = Uploader(
            database, to: [UploadFixture.study()],
            context: UploadFixture.context(HastyClock(haste: 1), recordings: "/nowhere"),
            policy: RetryPolicy(first: .seconds(3_600), longest: .seconds(7_200)), seed: 1, userAgent: "studyd-tests/1")
        try await run(slow) {
            try await database.tries()
            try await UploadFixture.append([UploadFixture.draft("next", to: server.url("/take"))], to: database)
            slow.wake()
            try await database.reaches { $0.items[.delivered] == 1 }
        }
        #expect(try stored(server) == ["next"])
        #expect(try await database.counts().items[.waiting] == 9)
    }

    @Test func aNetworkThatComesBackIsUsedAtOnce() async throws {
        let port = try HeldPort()
        let database = try StudyDatabase(.memory)
        let url = "http://127.0.0.1:\(port.number)/take"
        try await UploadFixture.append((1...20).map { UploadFixture.draft("\($0)", to: url) }, to: database)
        // Waits of an hour: only the word that the network changed can have it sent.
        let uploader = Uploader(
            database, to: [UploadFixture.study()], context: UploadFixture.context(HastyClock()),
            policy: RetryPolicy(first: .seconds(3600), longest: .seconds(3600)), seed: 1, userAgent: "t")
        let server = try await run(uploader) {
            while try await database.items(limit: 1)[0].attempts == 0 {
                try await Swift.Task.sleep(for: .milliseconds(10))
            }
            let server = try LabServer(port: port.number)
            uploader.networkChanged()
            try await database.reaches { $0.items[.delivered] == 20 }
            return server
        }
        #expect(try stored(server).count == 20)
    }

    @Test func stoppingEndsEvenWhileAServerHangs() async throws {
        let server = try LabServer()
        let database = try StudyDatabase(.memory)
        try await UploadFixture.append([UploadFixture.draft("x", to: server.url("/hang"))], to: database)
        try await run(try uploader(database, [UploadFixture.study(total: .seconds(600))])) {
            try await database.reaches { $0.items[.sending] == 1 }
        }
        #expect(try await database.items()[0].state == .waiting)
    }

    @Test func newItemsWakeIt() async throws {
        let server = try LabServer()
        let database = try StudyDatabase(.memory)
        let uploader = try uploader(database, [UploadFixture.study()])
        try await run(uploader) {
            for number in 1...5 {
                try await UploadFixture.append(
                    [UploadFixture.draft("\(number)", to: server.url("/take"))], to: database)
                uploader.wake()
                try await database.reaches { $0.items[.delivered] == number }
            }
        }
        #expect(try stored(server) == (1...5).map(String.init))
    }

    @Test func theServiceSendsUntilTheGroupEnds() async throws {
        let server = try LabServer()
        let database = try StudyDatabase(.memory)
        try await UploadFixture.append([UploadFixture.draft("x", to: server.url("/take"))], to: database)
        let service = UploadService(uploader: try uploader(database, [UploadFixture.study()]))
        let stop = StopRequest()
        let running = Task { try await StopRequest.$current.withValue(stop) { try await service.run() } }
        try await eventually("it is sent") { try await database.counts().items[.delivered] == 1 }
        stop.give()
        try await running.value
    }

    /// Faults of every kind, before and after the server stored it, and a uploader that is
    /// ended again and again: every item arrives at least once, and none is called
    /// delivered that did not.
    @Test func nothingIsLostWhateverHappens() async throws {
        let path = NSTemporaryDirectory() + "\(UUID()).sqlite"
        defer { for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + end) } }
        let server = try LabServer()
        let count = 40
        var rounds = 0
        var delivered = 0
        while delivered < count {
            let database = try StudyDatabase(.file(path))
            let drafts = (1...count).map { UploadFixture.draft("item \($0)", to: server.url("/chaos")) }
            try await UploadFixture.append(drafts, to: database, [.agentStarted(version: "\(rounds)")])
            let target = min(count, delivered + 15)
            try await run(try uploader(database, [UploadFixture.study(total: .milliseconds(300))])) {
                try await database.reaches { ($0.items[.delivered] ?? 0) >= target }
            }
            let ledger = try await database.counts()
            delivered = ledger.items[.delivered] ?? 0
            #expect(ledger.isBalanced)
            #expect(ledger.itemsProduced == count)
            let receipts = Set(try await database.items(in: .delivered).map(\.item.origin))
            #expect(receipts.subtracting(try stored(server)).isEmpty)
            #expect(try await database.verifyLog() == nil)
            rounds += 1
        }
        #expect(Set(try stored(server)) == Set((1...count).map { "item \($0)" }))
        #expect(rounds > 1)
        #expect(try sqlite(path) == "ok")
    }

    private func sqlite(_ path: String) throws -> String {
        let process = Process()
        let pipe = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["sqlite3", path, "PRAGMA integrity_check"]
        process.standardOutput = pipe
        try process.run()
        process.waitAsleep()
        return String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            .trimmingCharacters(in: .whitespacesAndNewlines)
    }
}

/// Files go in separate requests.
private struct FilingWire: StudyWire {
    func request(carrying file: [UInt8], with fields: [String: String]) throws -> WireRequest {
        WireRequest(method: "POST", url: fields["url"] ?? "", headers: [], body: Array("carried: ".utf8) + file)
    }
    func verdict(status: Int, body: [UInt8]) -> Verdict {
        status == 200 ? .delivered(receipt: "200") : .retry(reason: "\(status)")
    }
}
