// SPDX-License-Identifier: Apache-2.0
import Base
import Foundation
import Patience
import Study
import SystemKit
import Testing

@testable import Agent

@Suite(.enabled(if: LabServer.isAvailable, "python3 is missing: install it to test tus"), .timeLimit(.minutes(20)))
struct TusDestinationTests {
    /// What the server has of an upload.
    struct Listed: Decodable {
        let metadata: [String: String]
        let length: Int
        let offset: Int
        let sha256: String
    }

    private func listed(_ server: LabServer) throws -> [Listed] {
        let body = try HTTPClient(userAgent: "oracle").send(HTTPRequest(method: "GET", url: server.url("/tus/list")))
            .body
        return try JSONDecoder().decode([Listed].self, from: Data(body))
    }

    private func deliver(_ drafts: [OutboxDraft], to endpoint: String, folder: String, chunk: Int64) async throws
        -> StudyDatabase
    {
        let database = try StudyDatabase(.memory, recordings: folder)
        try await UploadFixture.append(drafts, to: database)
        let uploader = Uploader(
            database,
            to: [
                TusDestination(
                    name: "files", endpoint: endpoint, chunk: chunk, limits: UploadFixture.limits(total: .seconds(10)))
            ],
            context: UploadFixture.context(HastyClock(haste: 20), recordings: folder),
            policy: RetryPolicy(first: .milliseconds(100), longest: .seconds(1)), seed: 3, userAgent: "t")
        async let running: Void = uploader.run()
        try await database.reaches { ($0.items[.delivered] ?? 0) + ($0.items[.refused] ?? 0) == drafts.count }
        uploader.stop()
        await running
        return database
    }

    @Test(arguments: [("/tus/", 5000), ("/tus/", 1 << 20), ("/tus/?break=7000", 10_000)])
    func filesArriveWholeInPiecesAndOverBreaks(endpoint: String, chunk: Int64) async throws {
        let server = try LabServer()
        let folder = try UploadFixture.folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let drafts = try [("a.cwa", 23_456), ("a.json", 1), ("empty", 0), ("b.flac", 50_000)].map {
            try UploadFixture.file($0.0, bytes: $0.1, in: folder)
        }
        let database = try await deliver(drafts, to: server.url(endpoint), folder: folder, chunk: chunk)
        let listed = try listed(server)
        #expect(listed.count == 4)
        #expect(listed.allSatisfy { $0.sha256 == $0.metadata["sha256"] && $0.length == $0.offset })
        #expect(Set(listed.map { $0.metadata["filename"] }) == ["a.cwa", "a.json", "empty", "b.flac"])
        #expect(listed[0].metadata["study"] == "s ż")
        #expect(listed[0].metadata["enrolment"] == "e1")
        #expect(listed[0].metadata["bad key"] == nil)
        #expect(try await database.counts().items == [.delivered: 4])
        #expect(try await database.item(database.items()[0].item.id)?.note?.contains("sha256") == true)
    }

    /// What a check finds: tus, something else, or neither for certain. Storage of Supabase, proxies and routers answer
    /// OPTIONS in their own way; `/moved/201` is a server that names a place without a field of tus.
    @Test(arguments: [
        ("/tus/", "takes"), ("/options/204", "takes"), ("/options/404", "takes"), ("/options/405", "takes"),
        ("/status/200", "fault"), ("/status/204", "fault"), ("/status/404", "fault"), ("/status/405", "fault"),
        ("/moved/201", ""), ("/status/400", ""), ("/status/401", ""), ("/status/403", ""), ("/status/500", ""),
        ("/close", ""),
    ])
    func aCheckFailsOnlyWhereNoFilesAreTaken(path: String, found: String) throws {
        let server = try LabServer()
        let destination = TusDestination(name: "files", endpoint: server.url(path))
        var outcome = "fault"
        do {
            let words = try destination.inspect(by: HTTPClient(userAgent: "t"), at: .epoch)
            outcome = words.map { $0 == "takes files by tus 1.0.0" ? "takes" : $0 } ?? ""
        } catch {
            #expect("\(error)".contains("\(server.url(path)) does not take files by tus: POST was answered"))
        }
        #expect(outcome == found)
        #expect(try listed(server).isEmpty, "nothing is made there")
    }

    /// As tusd behind a proxy that it was not told of names its places: `http`.
    @Test(
        .enabled(if: TLSServer.isAvailable, "openssl is missing: install it to test certificates"),
        arguments: [
            ("/secure/201", nil, true), ("/plain/201", nil, true), ("/other/201", nil, false),
            ("/secure/201", "http://127.0.0.2:1/kept", true),
        ] as [(String, String?, Bool)])
    func nothingIsSentWithoutTheTLSOfTheEndpoint(path: String, kept: String?, isTaken: Bool) async throws {
        let server = try TLSServer()
        let folder = try UploadFixture.folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let database = try StudyDatabase(.memory, recordings: folder)
        try await UploadFixture.append([UploadFixture.file("a.cwa", bytes: 10, in: folder)], to: database)
        let item = try #require(try await database.items().first)
        let destination = try TusDestination(
            DestinationSettings(
                name: "files", takes: .both,
                values: [
                    "url": .text(server.url(path)), "ca_file": .text(server.certificate),
                    "timeout_seconds": .number(10),
                ]))
        let client = try HTTPClient(userAgent: "t")
        try destination.open(client)
        let job = DeliveryJob(
            item: item, content: try await database.content(of: item), directory: folder, location: kept, offset: nil)
        let step = try destination.send(job, by: client)
        if isTaken {
            #expect(step == .located(server.url("/here")))
        } else {
            guard case .finished(.retry(let reason)) = step else {
                Issue.record("\(step)")
                return
            }
            #expect(reason.contains("without TLS"))
        }
    }

    @Test func aRecordingArrivesCompressedAndItsReceiptNamesBoth() async throws {
        let server = try LabServer()
        let folder = try UploadFixture.folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let content = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 / 100 ^ $0 % 7) }
        try Data(content).write(to: URL(fileURLWithPath: folder + "/m.cwa"))
        let digest = try Digest(of: content).description
        let draft = OutboxDraft(
            origin: "recording 1", itemClass: .motion, destination: "files",
            content: .file(
                FileReference(
                    path: "m.cwa", sha256: digest, bytes: Int64(content.count), contentType: "application/x-cwa",
                    recording: "1", metadata: [:])))
        let database = try await deliver([draft], to: server.url("/tus/?break=7000"), folder: folder, chunk: 10_000)
        let listed = try #require(listed(server).first)
        #expect(listed.length < content.count / 2 && listed.sha256 == listed.metadata["sha256"])
        #expect(listed.metadata["filename"] == "m.cwa.zst" && listed.metadata["content_sha256"] == digest)
        let note = try #require(try await database.item(database.items()[0].item.id)?.note)
        #expect(note.contains("200000 bytes sha256 \(digest)") && note.contains("zstd sha256 \(listed.sha256)"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["m.cwa"])
    }

    private static let other = String(repeating: "0", count: 64)

    /// RFC 9530, 3: a list of digests, of which `sha-256` is one; the others say nothing here. study-receiver
    /// names what lies on its disk.
    @Test(arguments: [
        ("", true), ("Repr-Digest: sha-256=:SHA-256:", true), ("Repr-Digest: sha-512=:AAAA:", true),
        ("Repr-Digest: sha-512=:AAAA:, sha-256=:SHA-256:", true), ("Repr-Digest: sha-256=:AAAA:", false),
        ("Repr-Digest: sha-512=:SHA-256:, sha-256=:AAAA:", false), ("Upload-SHA256: sha256", true),
        ("Upload-SHA256: \(other)", false), ("Repr-Digest: sha-256=:SHA-256:\nUpload-SHA256: \(other)", false),
    ])
    func aServerThatHasOtherBytesGivesNoReceipt(said: String, isDelivered: Bool) async throws {
        let server = try LabServer()
        let folder = try UploadFixture.folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let query = try #require(said.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
        let database = try await deliver(
            [UploadFixture.file("a.cwa", bytes: 1000, in: folder)], to: server.url("/tus/?said=\(query)"),
            folder: folder, chunk: 400)
        #expect(try await database.counts().items[isDelivered ? .delivered : .refused] == 1)
        let note = try #require(try await database.item(database.items()[0].item.id)?.note)
        #expect(note.contains("other bytes than we sent") == !isDelivered, "\(note)")
    }

    @Test func answersArriveAsFilesOfTheirOwn() async throws {
        let server = try LabServer()
        let copy = UploadFixture.draft("{}", to: "https://study.example.org/secret", destination: "files")
        let database = try await deliver([copy], to: server.url("/tus/"), folder: "/nowhere", chunk: 100)
        let listed = try #require(listed(server).first)
        let id = try await database.items()[0].item.id
        #expect(listed.metadata["filename"] == "answers-\(id).bin" && listed.metadata["filetype"] == "text/plain")
        #expect(listed.metadata["kind"] == "answers" && listed.metadata["enrolment"] == "e1")
        #expect(listed.sha256 == (try Digest(of: Array("{}".utf8)).description))
    }

    @Test func aChangedOrMissingFileIsRefused() async throws {
        let server = try LabServer()
        let folder = try UploadFixture.folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let draft = try UploadFixture.file("a.cwa", bytes: 100, in: folder)
        try Data([1, 2, 3]).write(to: URL(fileURLWithPath: folder + "/a.cwa"))
        let missing = try UploadFixture.file("b.cwa", bytes: 100, in: folder)
        try FileManager.default.removeItem(atPath: folder + "/b.cwa")
        let database = try await deliver([draft, missing], to: server.url("/tus/"), folder: folder, chunk: 1000)
        #expect(try await database.counts().items == [.refused: 2])
        #expect(try await database.items()[0].note?.contains("was changed") == true)
        #expect(try listed(server).isEmpty)
    }

    @Test func aRestartGoesOnWhereItStoppedAndALostUploadIsCreatedAgain() throws {
        let server = try LabServer()
        let folder = try UploadFixture.folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let draft = try UploadFixture.file("a.cwa", bytes: 1000, in: folder)
        let destination = TusDestination(name: "files", endpoint: server.url("/tus/"), chunk: 400)
        let client = try HTTPClient(userAgent: "t")
        var job = DeliveryJob(
            item: OutboxItem(
                item: try #require(try? queued(draft)), enrolment: "e1", state: .sending, attempts: 1, retryAt: nil,
                note: nil), content: draft.content, directory: folder, location: nil,
            offset: nil)
        #expect(try destination.send(job, by: client) == .located(server.url("/files/1")))
        job.location = server.url("/files/1")
        #expect(try destination.send(job, by: client) == .progressed(0))
        job.offset = 0
        #expect(try destination.send(job, by: client) == .progressed(400))
        job.offset = 0
        #expect(try destination.send(job, by: client) == .progressed(nil), "the server says 409: ask again")
        job.offset = nil
        #expect(try destination.send(job, by: client) == .progressed(400))
        _ = try client.send(HTTPRequest(method: "DELETE", url: server.url("/files/1")))
        #expect(try destination.send(job, by: client) == .located(nil))
        job.offset = 400
        #expect(try destination.send(job, by: client) == .located(nil))
    }

    /// tus/tusd ad7fb313, pkg/handler/unrouted_handler.go:44: each of these is a 400, and the body its code.
    @Test(arguments: [
        ("ERR_UPLOAD_INTERRUPTED: upload has been interrupted by another request for this upload resource\n", false),
        ("ERR_UNEXPECTED_EOF: server expected to receive more bytes\n", false),
        ("ERR_UPLOAD_REJECTED: upload creation has been rejected by server\n", true),
        ("ERR_UPLOAD_STOPPED: upload has been stopped by server\n", true), ("Bad Request", true),
    ])
    func aRequestThatBrokeOffRefusesNothing(answer: String, isRefused: Bool) throws {
        let server = try LabServer()
        let folder = try UploadFixture.folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        // The server gives back what it gets.
        let content = Array(answer.utf8)
        try Data(content).write(to: URL(fileURLWithPath: folder + "/a.txt"))
        let file = FileReference(
            path: "a.txt", sha256: try Digest(of: content).description, bytes: Int64(content.count),
            contentType: "text/plain", recording: "1", metadata: [:])
        let draft = OutboxDraft(
            origin: "recording 1", itemClass: .motion, destination: "files", content: .file(file))
        let job = DeliveryJob(
            item: OutboxItem(
                item: try queued(draft), enrolment: "e1", state: .sending, attempts: 1, retryAt: nil, note: nil),
            content: draft.content, directory: folder,
            location: server.url("/say/400"), offset: 0)
        let step = try TusDestination(name: "files", endpoint: server.url("/tus/"))
            .send(job, by: HTTPClient(userAgent: "t"))
        let words = "PATCH was answered 400 \(answer)"
        #expect(step == .finished(isRefused ? .refused(reason: words) : .retry(reason: words)))
    }

    /// A full disk has no room for the compressed copy, and later it has; or the copy is lost, and there is
    /// no room for it any more. The rest of an upload is of the bytes with which it began.
    @Test(arguments: [false, true]) func whatBeganAsAFileIsNotEndedWithItsCopy(losesCopy: Bool) throws {
        let server = try LabServer()
        let folder = try UploadFixture.folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        // Half of each byte is noise: it shrinks to about half.
        var generator = SystemRandomNumberGenerator()
        let content = (0..<200_000).map { _ in UInt8.random(in: 0..<16, using: &generator) }
        try Data(content).write(to: URL(fileURLWithPath: folder + "/m.cwa"))
        let file = FileReference(
            path: "m.cwa", sha256: try Digest(of: content).description, bytes: 200_000,
            contentType: "application/x-cwa", recording: "1", metadata: [:])
        let draft = OutboxDraft(
            origin: "recording 1", itemClass: .motion, destination: "files", content: .file(file))
        // A folder in its place cannot be written over.
        func block() throws {
            try FileManager.default.createDirectory(
                atPath: folder + "/m.cwa.zst.tmp.new.tmp", withIntermediateDirectories: true)
        }
        if !losesCopy { try block() }
        let destination = TusDestination(name: "files", endpoint: server.url("/tus/"), chunk: 20_000)
        let client = try HTTPClient(userAgent: "t")
        var job = DeliveryJob(
            item: OutboxItem(
                item: try queued(draft), enrolment: "e1", state: .sending, attempts: 1, retryAt: nil, note: nil),
            content: draft.content, directory: folder, location: nil, offset: nil,
            compressible: UploadFixture.compressible)
        var steps = 0
        sending: while steps < 100 {
            steps += 1
            switch try destination.send(job, by: client) {
            case .located(let place): (job.location, job.offset) = (place, nil)
            case .progressed(20_000):
                job.offset = 20_000
                if losesCopy {
                    unlink(folder + "/m.cwa.zst.tmp")
                    try block()
                } else {
                    try FileManager.default.removeItem(atPath: folder + "/m.cwa.zst.tmp.new.tmp")
                }
            case .progressed(let offset): job.offset = offset
            case .finished(.delivered(let receipt)):
                #expect(receipt.contains("200000 bytes sha256 \(file.sha256)") && !receipt.contains("#"))
                break sending
            case let other: return #expect(Bool(false), "\(other)")
            }
        }
        let uploads = try listed(server)
        #expect(uploads.count == (losesCopy ? 2 : 1), "the copy that was lost is begun again as the file")
        let last = try #require(uploads.last)
        #expect(last.length == 200_000 && last.offset == 200_000 && last.sha256 == file.sha256)
    }

    /// The python with tuspyserver and uvicorn; named by STUDYD_TUS_PYTHON, else the
    /// one on the path.
    static let python = ProcessInfo.processInfo.environment["STUDYD_TUS_PYTHON"] ?? "python3"
    static let hasReference: Bool = {
        let probe = Process()
        probe.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        probe.arguments = [python, "-c", "import tuspyserver, uvicorn"]
        probe.standardError = FileHandle.nullDevice
        guard (try? probe.run()) != nil else { return false }
        probe.waitAsleep()
        return probe.terminationStatus == 0
    }()

    @Test(
        .enabled(if: hasReference, "no tuspyserver: `pip install tuspyserver uvicorn` and set STUDYD_TUS_PYTHON"),
        arguments: [1000, 100_000])
    func aServerWrittenByOthersTakesOurFiles(chunk: Int64) async throws {
        let folder = try UploadFixture.folder()
        let there = try UploadFixture.folder()
        defer { for path in [folder, there] { try? FileManager.default.removeItem(atPath: path) } }
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("reference_tus_server.py").path
        let server = try LabServer(command: [Self.python, script, there])
        let drafts = try [("a.cwa", 23_456), ("a.json", 1)].map {
            try UploadFixture.file($0.0, bytes: $0.1, in: folder)
        }
        let answer = String(repeating: "yes", count: 2_000)
        let copy = UploadFixture.draft(answer, to: "https://study.example.org", destination: "files")
        let database = try await deliver(drafts + [copy], to: server.url("/files/"), folder: folder, chunk: chunk)
        #expect(try await database.counts().items == [.delivered: 3])
        let digests = try FileManager.default.contentsOfDirectory(atPath: there).compactMap {
            try? Digest(ofFile: "\(there)/\($0)").description
        }
        for case .file(let file) in drafts.map(\.content) { #expect(digests.contains(file.sha256)) }
        #expect(try digests.contains(Digest(of: Array(answer.utf8)).description))
    }

    private func queued(_ draft: OutboxDraft) throws -> QueuedItem {
        guard case .file(let file) = draft.content else { throw CancellationError() }
        return QueuedItem(
            id: "i", origin: draft.origin, itemClass: draft.itemClass, destination: draft.destination,
            requestDigest: nil,
            bytes: file.bytes, file: file)
    }
}
