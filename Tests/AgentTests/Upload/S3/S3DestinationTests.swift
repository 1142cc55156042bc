// SPDX-License-Identifier: Apache-2.0
import Base
import Foundation
import S3Servers
import Study
import Synchronization
import SystemKit
import Testing

@testable import Agent

/// Against servers of others: OpenStack Swift checks clocks and the hashes of bodies, moto every signature with
/// botocore's code.
@Suite(.serialized, .timeLimit(.minutes(20))) struct S3DestinationTests {
    enum Server: String, CaseIterable, Sendable {
        case swift = "swift_server.py"
        case moto = "moto_server.py"

        var isThere: Bool {
            switch self {
            case .swift: S3DestinationTests.hasSwift
            case .moto: S3DestinationTests.hasMoto
            }
        }
    }

    static let python = AWSSignatureTests.python
    static let hasSwift = S3TestServer.runs(python, importing: "swift, pyeclib, botocore")
    static let hasMoto = S3TestServer.runs(python, importing: S3TestServer.moto)
    static let servers = Server.allCases.filter(\.isThere)

    /// Started once for all tests, each of which writes under another prefix.
    private static let running = Mutex<[Server: S3TestServer]>([:])

    private static func server(_ kind: Server) throws -> S3TestServer {
        try running.withLock { running in
            if let server = running[kind] { return server }
            let server = try S3TestServer(python, kind.rawValue)
            running[kind] = server
            return server
        }
    }

    private struct Rig {
        let server: S3TestServer
        let folder: String
        let client: HTTPClient
        let prefix: String
        var destination: S3Destination
    }

    private func rig(_ kind: Server, secret: String? = nil) throws -> Rig {
        let server = try Self.server(kind)
        let folder = try UploadFixture.folder()
        let prefix = "lab ż/\(UUID())"
        let destination = try self.destination(server, folder, prefix, secret: secret)
        let client = try HTTPClient(userAgent: "t")
        try destination.open(client)
        return Rig(server: server, folder: folder, client: client, prefix: prefix, destination: destination)
    }

    private func destination(
        _ server: S3TestServer, _ folder: String, _ prefix: String, secret: String? = nil, bucket: String = "study"
    )
        throws -> S3Destination
    {
        let place = folder + "/secret-\(UUID())"
        try Data((secret ?? server.secret).utf8).write(to: URL(fileURLWithPath: place))
        chmod(place, 0o600)
        return try S3Destination(
            DestinationSettings(
                name: "files", takes: .both,
                values: [
                    "url": .text(server.url), "bucket": .text(bucket), "access_key": .text(server.access),
                    "secret_key": .text(place), "prefix": .text(prefix),
                ]))
    }

    /// Signed is the host alone, as RFC 9112 §3.2 has it in `Host`.
    @Test(arguments: [
        ("https://minio.lab", true), ("https://minio.lab:9000/", true), ("http://[::1]:80", true),
        ("https://minio.lab/s3", false), ("https://minio.lab/?x", false), ("https://key@minio.lab", false),
    ]) func anAddressIsSchemeHostAndPort(url: String, isTaken: Bool) {
        let settings = DestinationSettings(
            name: "files", takes: .both,
            values: [
                "url": .text(url), "bucket": .text("study"), "access_key": .text("a"), "secret_key": .text("/s"),
            ])
        #expect(((try? S3Destination(settings)) != nil) == isTaken)
    }

    @Test(arguments: [
        ("https://minio.lab:443", "minio.lab"), ("http://minio.lab:80/", "minio.lab"),
        ("https://minio.lab:80", "minio.lab:80"), ("http://minio.lab:443", "minio.lab:443"),
        ("https://minio.lab:9443", "minio.lab:9443"), ("https://minio.lab", "minio.lab"),
    ]) func theUsualPortIsNotSigned(url: String, host: String) {
        for isHostStyle in [false, true] {
            let server = S3Server(
                endpoint: url, bucket: "b", region: "r", isHostStyle: isHostStyle, limits: HTTPLimits())
            #expect(server.host == (isHostStyle ? "b." : "") + host)
        }
    }

    private func job(
        _ draft: OutboxDraft, _ rig: Rig, now: Instant = Instant(seconds: Int64(Date.now.timeIntervalSince1970))
    )
        throws -> DeliveryJob
    {
        let (bytes, file): (Int64, FileReference?) =
            switch draft.content {
            case .file(let file): (file.bytes, file)
            case .request(let request): (Int64(request.body.count), nil)
            }
        let queued = QueuedItem(
            id: "i", origin: draft.origin, itemClass: draft.itemClass, destination: draft.destination,
            requestDigest: nil, bytes: bytes, file: file)
        return DeliveryJob(
            item: OutboxItem(
                item: queued, enrolment: "e1", state: .sending, attempts: 1, retryAt: nil, note: nil),
            content: draft.content, directory: rig.folder, location: nil,
            offset: nil, now: now, owner: ["study": "s1", "participant": "P 1"])
    }

    /// All its steps, as the runner takes them; `after` may do something after each.
    private func delivered(_ job: DeliveryJob, _ rig: Rig, after: (DeliveryStep) -> Void = { _ in }) throws
        -> DeliveryStep
    {
        var job = job
        for _ in 0..<50 {
            let step = try rig.destination.send(job, by: rig.client)
            after(step)
            switch step {
            case .located(let place): (job.location, job.offset) = (place, nil)
            case .progressed(let offset): job.offset = offset
            default: return step
            }
        }
        return .finished(.retry(reason: "no end"))
    }

    private func stored(_ rig: Rig) throws -> [String] {
        try S3TestServer.answers(
            Self.python, "stored.py", input: [rig.server.url, rig.server.access, rig.server.secret, rig.prefix])
    }

    private func receipt(_ step: DeliveryStep) -> String? {
        if case .finished(.delivered(let receipt)) = step { receipt } else { nil }
    }

    @Test(.enabled(if: !servers.isEmpty, "neither OpenStack Swift nor moto is there"), arguments: servers)
    func filesOfEverySizeArriveWithTheirDigests(_ kind: Server) throws {
        let rig = try rig(kind)
        defer { try? FileManager.default.removeItem(atPath: rig.folder) }
        let part = 5 << 20
        for (name, bytes) in [("empty", 0), ("one", 1), ("a part", part), ("more", part + 1), ("three", 2 * part + 77)]
        {
            let draft = try UploadFixture.file(name, bytes: bytes, in: rig.folder)
            let end = try delivered(job(draft, rig), rig)
            #expect(receipt(end)?.contains("\(bytes) bytes sha256") == true, "\(name): \(end)")
        }
        // The key, its length, the SHA-256 of what botocore reads, what the metadata says, and its names.
        let stored = try stored(rig).map { $0.components(separatedBy: "\t") }
        #expect(stored.count == 5)
        for object in stored {
            #expect(object[0].hasPrefix(rig.prefix + "/s ż/P/e1/") && object[2] == object[3], "\(object)")
            // A name with a blank cannot be one of a header (RFC 9110 §5.6.2).
            #expect(object[4] == "enrolment,item,participant,sha256,study", "\(object)")
        }
        #expect(Set(stored.map { Int($0[1]) }) == [0, 1, part, part + 1, 2 * part + 77])
    }

    @Test(.enabled(if: !servers.isEmpty), arguments: servers)
    func aRestartGoesOnWithTheNextPartAndALostAnswerIsNoSecondObject(_ kind: Server) throws {
        let rig = try rig(kind)
        defer { try? FileManager.default.removeItem(atPath: rig.folder) }
        let draft = try UploadFixture.file("big.cwa", bytes: (5 << 20) * 2 + 5, in: rig.folder)
        var job = try job(draft, rig)
        guard case .located(let place?) = try rig.destination.send(job, by: rig.client) else {
            Issue.record("no place was made")
            return
        }
        job.location = place
        #expect(try rig.destination.send(job, by: rig.client) == .progressed(0))
        job.offset = 0
        #expect(try rig.destination.send(job, by: rig.client) == .progressed(5 << 20))
        // The device was off: nothing but the place is known.
        job.offset = nil
        #expect(try rig.destination.send(job, by: rig.client) == .progressed(5 << 20))
        var steps: [DeliveryStep] = []
        let end = try delivered(job, rig) { steps.append($0) }
        #expect(receipt(end) != nil && steps.count == 4, "\(steps)")
        // The answer to the completion is lost: the place is asked once more.
        job.offset = nil
        #expect(receipt(try rig.destination.send(job, by: rig.client)) != nil)
        // Everything is lost: from the beginning.
        job.location = nil
        #expect(receipt(try rig.destination.send(job, by: rig.client)) != nil)
        #expect(try stored(rig).count == 1)
    }

    @Test(.enabled(if: !servers.isEmpty), arguments: servers)
    func nothingIsOverwrittenAndTheSameContentIsNotSentTwice(_ kind: Server) throws {
        let rig = try rig(kind)
        defer { try? FileManager.default.removeItem(atPath: rig.folder) }
        let draft = try UploadFixture.file("a.csv", bytes: 100, in: rig.folder)
        #expect(receipt(try delivered(job(draft, rig), rig))?.contains("a.csv 100 bytes") == true)
        #expect(receipt(try delivered(job(draft, rig), rig))?.contains("a.csv 100 bytes") == true)
        let other = try UploadFixture.file("a.csv", bytes: 101, in: rig.folder)
        #expect(receipt(try delivered(job(other, rig), rig))?.contains("a.csv~2 101 bytes") == true)
        #expect(try stored(rig).map { $0.components(separatedBy: "\t")[1] }.sorted() == ["100", "101"])
    }

    /// OpenStack Swift refuses requests that are off by more than 15 minutes.
    @Test(
        .enabled(if: hasSwift, "OpenStack Swift is missing"),
        arguments: [-86_400 * 365 * 40, -901, -600, 0, 600, 901, 86_400])
    func aWrongClockSignsByTheServersTime(_ ahead: Int) throws {
        let rig = try rig(.swift)
        defer { try? FileManager.default.removeItem(atPath: rig.folder) }
        let draft = try UploadFixture.file("a.csv", bytes: 10, in: rig.folder)
        let now = Instant(seconds: Int64(Date.now.timeIntervalSince1970) + Int64(ahead))
        let receipt = try #require(receipt(try delivered(job(draft, rig, now: now), rig)))
        #expect(receipt.contains("signed by the server's clock") == (abs(ahead) > 900), "\(receipt)")
    }

    @Test(.enabled(if: !servers.isEmpty), arguments: servers)
    func badKeysAndAMissingBucketAreTriedAgainWithARemedy(_ kind: Server) throws {
        let rig = try rig(kind, secret: "wrong")
        defer { try? FileManager.default.removeItem(atPath: rig.folder) }
        let draft = try UploadFixture.file("a.csv", bytes: 10, in: rig.folder)
        guard case .finished(.retry(let reason)) = try rig.destination.send(job(draft, rig), by: rig.client) else {
            Issue.record("a wrong key was not found out")
            return
        }
        #expect(reason.contains("secret_key"), "\(reason)")
        var other = rig
        other.destination = try destination(rig.server, rig.folder, rig.prefix, bucket: "absent")
        try other.destination.open(rig.client)
        guard case .finished(.retry(let why)) = try other.destination.send(job(draft, rig), by: rig.client) else {
            Issue.record("a missing bucket was not found out")
            return
        }
        #expect(why.contains("bucket") || why.contains("AccessDenied"), "\(why)")
    }

    @Test(.enabled(if: hasMoto, "moto is missing")) func answersAreObjectsOfTheirParticipant() throws {
        let rig = try rig(.moto)
        defer { try? FileManager.default.removeItem(atPath: rig.folder) }
        let draft = UploadFixture.draft("{\"a\":1}", to: "https://study.example.org/secret", destination: "files")
        #expect(receipt(try delivered(job(draft, rig), rig)) != nil)
        let key = try #require(try stored(rig).first).components(separatedBy: "\t")[0]
        #expect(key.hasPrefix(rig.prefix + "/s1/P 1/e1/answers-"))
    }
}
