// SPDX-License-Identifier: Apache-2.0
import Base
import Foundation
import Patience
import Study
import Testing

@testable import Agent

/// A link of 10 kB/s for everything together (`slow_link.py`, a separate program that reads so
/// slowly), before python's http.server.
@Suite(
    .enabled(if: LabServer.isAvailable, "python3 is missing: install it to test slow links"), .timeLimit(.minutes(20)),
    .serialized)
struct SlowLinkTests {
    private static func link(_ server: LabServer, _ rate: Int) throws -> LabServer {
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("slow_link.py")
            .path
        return try LabServer(command: ["python3", script, "\(server.port)", "\(rate)"])
    }

    private func uploader(_ database: StudyDatabase, _ destinations: [any Destination], _ folder: String) -> Uploader {
        Uploader(
            database, to: destinations, context: UploadFixture.context(HastyClock(), recordings: folder),
            seed: 1,
            userAgent: "studyd-tests/1")
    }

    /// Bytes of the backlog: 4 MB, so that an answer that has to wait for it waits 400 s.
    /// `STUDYD_BACKLOG=1000000000` tries the real thing.
    private static let backlog = ProcessInfo.processInfo.environment["STUDYD_BACKLOG"].flatMap { Int($0) } ?? 4_000_000

    @Test func anAnswerDoesNotWaitForABacklog() async throws {
        let server = try LabServer()
        let link = try Self.link(server, 10_000)
        let folder = try UploadFixture.folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let database = try StudyDatabase(.memory)
        try await UploadFixture.append(
            [try UploadFixture.hole("big.bin", bytes: Self.backlog, in: folder)], to: database)
        // Longer than the link needs for all of it, however the machine holds it up.
        var patient = HTTPLimits()
        patient.slow = .seconds(600)
        let files = TusDestination(name: "files", endpoint: link.url("/tus/"), limits: patient)
        let study = HTTPDestination(name: "study", wire: SchemaLikeWire(), limits: patient)
        let both = uploader(database, [study, files], folder)
        async let running: Void = both.run()
        try await eventually("the file's first bytes are there") {
            let list = try HTTPClient(userAgent: "t").send(HTTPRequest(method: "GET", url: server.url("/tus/list")))
            return String(decoding: list.body, as: UTF8.self).contains(#""began": true"#)
        }
        let queued = ContinuousClock.now
        try await UploadFixture.append(
            [UploadFixture.draft(String(repeating: "answer ", count: 300), to: link.url("/take"))], to: database)
        both.wake()
        try await database.reaches { $0.items[.delivered] == 1 }
        let took = ContinuousClock.now - queued
        print("beside a backlog of \(Self.backlog) B an answer took \(took)")
        #expect(try await database.items()[0].state == .sending, "the file goes on meanwhile")
        both.stop()
        await running
    }

    /// Two files of one destination: the one that is worth more goes in between, and the other then
    /// goes on where it was.
    @Test func aFileThatIsWorthMoreOvertakesAtTheNextPiece() async throws {
        let server = try LabServer()
        let link = try Self.link(server, 20_000)
        let folder = try UploadFixture.folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let database = try StudyDatabase(.memory)
        try await UploadFixture.append([try UploadFixture.file("big.bin", bytes: 300_000, in: folder)], to: database)
        let memo = try UploadFixture.file("memo.bin", bytes: 2_000, in: folder)
        let uploader = uploader(
            database, [TusDestination(name: "files", endpoint: link.url("/tus/"))], folder)
        async let running: Void = uploader.run()
        try await eventually("there is a place") { try await database.items()[0].location != nil }
        try await UploadFixture.append(
            [OutboxDraft(origin: memo.origin, itemClass: .answers, destination: "files", content: memo.content)],
            to: database)
        try await database.reaches { $0.items[.delivered] == 1 }
        #expect(try await database.items(in: .delivered).map(\.item.itemClass) == [.answers])
        try await database.reaches { $0.items[.delivered] == 2 }
        uploader.stop()
        await running
        let big = try #require(try await database.items().first { $0.item.itemClass == .motion })
        #expect(big.attempts == 1, "it was never a failure")
        #expect(try await database.events(kind: "uploadPaused").count == 1)
        #expect(try await database.events(kind: "uploadLocated").count == 2, "no place was made twice")
        let places = try HTTPClient(userAgent: "t").send(HTTPRequest(method: "GET", url: server.url("/stored"))).body
        #expect(!places.isEmpty)
    }

    /// The kernel takes all of it at once and sends it for seven seconds, in which libcurl
    /// sees nothing move.
    @Test func whatTheKernelStillSendsIsNotThrownAway() throws {
        let server = try LabServer()
        let link = try Self.link(server, 10_000)
        var limits = HTTPLimits()
        limits.slow = .seconds(2)
        limits.slowestRate = 500
        let request = HTTPRequest(
            method: "POST", url: link.url("/take"), body: .bytes([UInt8](repeating: 7, count: 70_000)), limits: limits)
        #expect(try HTTPClient(userAgent: "t").send(request).status == 200)
    }

    @Test func whatDoesNotMoveIsStillGivenUp() throws {
        let server = try LabServer()
        var limits = HTTPLimits()
        limits.slow = .seconds(2)
        let request = HTTPRequest(method: "POST", url: server.url("/hang"), body: .bytes([1]), limits: limits)
        let error = #expect(throws: TransportError.self) { try HTTPClient(userAgent: "t").send(request) }
        #expect(error?.kind == .timeout && error?.mayHaveArrived == true, "\(String(describing: error))")
    }
}
