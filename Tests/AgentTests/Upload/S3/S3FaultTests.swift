// SPDX-License-Identifier: Apache-2.0
import Base
import Foundation
import S3Servers
import Study
import SystemKit
import Testing

@testable import Agent

/// A bucket of a server that fails as real ones do; it counts what comes, and keeps digests only.
@Suite(.serialized, .timeLimit(.minutes(20))) struct S3FaultTests {
    static let python = ProcessInfo.processInfo.environment["STUDYD_PYTHON"] ?? "python3"
    static let isThere = S3TestServer.runs(python, importing: "http.server")
    static let part = 5 << 20

    private final class Rig {
        let server: S3TestServer
        let folder: String
        let client: HTTPClient
        let destination: S3Destination

        init(_ mode: String) throws {
            server = try S3TestServer(S3FaultTests.python, "s3_stand_in.py", mode: mode)
            folder = try UploadFixture.folder()
            client = try HTTPClient(userAgent: "t")
            destination = try S3FaultTests.destination(server.url, folder)
            try destination.open(client)
        }

        deinit { try? FileManager.default.removeItem(atPath: folder) }

        func counts() throws -> [String: Any] {
            let body = try client.send(HTTPRequest(method: "GET", url: server.url + "/counts", headers: [])).body
            return try JSONSerialization.jsonObject(with: Data(body)) as? [String: Any] ?? [:]
        }

        func objects() throws -> [Int] { try (counts()["objects"] as? [String: Int] ?? [:]).values.sorted() }
    }

    static func destination(_ url: String, _ folder: String, name: String = "files") throws -> S3Destination {
        let secret = folder + "/secret"
        try AtomicFile.write(Array("secret".utf8), to: secret, mode: 0o600)
        return try S3Destination(
            DestinationSettings(
                name: name, takes: .both,
                values: [
                    "url": .text(url), "bucket": .text("study"), "access_key": .text("a"), "secret_key": .text(secret),
                ]))
    }

    private func job(_ draft: OutboxDraft, _ rig: Rig) -> DeliveryJob { job(draft, in: rig.folder) }

    private func job(_ draft: OutboxDraft, in folder: String) -> DeliveryJob {
        var file: FileReference?
        if case .file(let reference) = draft.content { file = reference }
        let queued = QueuedItem(
            id: "i", origin: draft.origin, itemClass: draft.itemClass, destination: "files", requestDigest: nil,
            bytes: file?.bytes ?? 0, file: file)
        return DeliveryJob(
            item: OutboxItem(
                item: queued, enrolment: "e1", state: .sending, attempts: 1, retryAt: nil, note: nil),
            content: draft.content, directory: folder, location: nil, offset: nil,
            now: Instant(seconds: 1_800_000_000))
    }

    /// Its steps until an end, or until the connection breaks: then nil, and the place is kept.
    private func delivered(_ job: inout DeliveryJob, _ rig: Rig) -> DeliveryStep? {
        for _ in 0..<3000 {
            guard let step = try? rig.destination.send(job, by: rig.client) else {
                job.offset = nil
                return nil
            }
            switch step {
            case .located(let place): (job.location, job.offset) = (place, nil)
            case .progressed(let offset): job.offset = offset
            default: return step
            }
        }
        return nil
    }

    private func isDelivered(_ step: DeliveryStep?) -> Bool {
        if case .finished(.delivered)? = step { true } else { false }
    }

    /// Of another file, or of no destination of this kind: nothing is asked of the server, and it begins
    /// again.
    @Test(arguments: ["", "rubbish", "5242880 u", "0 u files/k", "-1 u files/k", "1000 u files/k", "5242880 u files/k"])
    func aPlaceThatDoesNotFitTheFileIsForgotten(place: String) throws {
        let folder = try UploadFixture.folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let destination = try Self.destination("http://127.0.0.1:1", folder)
        let client = try HTTPClient(userAgent: "t")
        try destination.open(client)
        let draft = try UploadFixture.file("a.cwa", bytes: 1000, in: folder)
        for offset in [nil, 0, 1000] as [Int64?] {
            var job = job(draft, in: folder)
            (job.location, job.offset) = (place, offset)
            #expect(try destination.send(job, by: client) == .located(nil))
        }
    }

    /// OpenStack Swift 2.30, which Debian 12 has, answers 501 to `If-None-Match`.
    @Test(.enabled(if: isThere), arguments: [10, part + 1]) func aServerWithoutConditionalRequestsIsAskedFirst(
        bytes: Int
    ) throws {
        let rig = try Rig("501")
        var first = job(try UploadFixture.file("a.cwa", bytes: bytes, in: rig.folder), rig)
        #expect(isDelivered(delivered(&first, rig)))
        #expect(try rig.counts()["conditional"] as? Int == 1, "it is tried once")
        var again = job(try UploadFixture.file("a.cwa", bytes: bytes + 1, in: rig.folder), rig)
        #expect(isDelivered(delivered(&again, rig)))
        #expect(try rig.objects() == [bytes, bytes + 1], "nothing is overwritten")
    }

    @Test(.enabled(if: isThere)) func a503IsObeyedToTheSecond() throws {
        let rig = try Rig("503")
        var job = job(try UploadFixture.file("a.csv", bytes: 10, in: rig.folder), rig)
        guard case .later(let reason, let wait)? = delivered(&job, rig) else {
            Issue.record("it did not wait")
            return
        }
        #expect(wait == .seconds(7) && reason.contains("503 SlowDown"), "\(reason)")
        // The second time it is taken.
        #expect(isDelivered(delivered(&job, rig)))
    }

    @Test(.enabled(if: isThere)) func aServerThatHasOtherBytesGivesNoReceipt() throws {
        let rig = try Rig("wrong")
        for bytes in [10, Self.part + 1] {
            var job = job(try UploadFixture.file("a\(bytes).csv", bytes: bytes, in: rig.folder), rig)
            guard case .finished(.retry(let reason))? = delivered(&job, rig) else {
                Issue.record("\(bytes) was believed")
                continue
            }
            #expect(reason.contains("the server has other bytes than were sent"), "\(reason)")
        }
    }

    /// Its list of parts is the same at each marker, with `IsTruncated`.
    @Test(.enabled(if: isThere)) func aListThatNeverEndsIsReadOnce() throws {
        let rig = try Rig("unmarked")
        var job = job(try UploadFixture.file("a.csv", bytes: 2 * Self.part + 9, in: rig.folder), rig)
        #expect(isDelivered(delivered(&job, rig)))
        #expect(try rig.objects() == [2 * Self.part + 9])
    }

    /// S3 may list fewer parts than it is asked for (`ListParts`: `IsTruncated`, and the marker of the next page).
    @Test(.enabled(if: isThere)) func aListInPagesIsReadToItsEnd() throws {
        let rig = try Rig("paged")
        let bytes = 2 * Self.part + 9
        var job = job(try UploadFixture.file("a.csv", bytes: bytes, in: rig.folder), rig)
        #expect(isDelivered(delivered(&job, rig)))
        #expect(try rig.objects() == [bytes])
        let sent = try #require(try rig.counts()["bytes"] as? Int)
        #expect(sent < bytes + Self.part, "no part is sent twice: \(sent)")
    }

    /// S3 API Reference, HeadObject: 403 without s3:GetObject, whatever is there (minio/minio 7aac2a2c5,
    /// cmd/object-handlers.go:762). What cannot be read again is sent once.
    @Test(.enabled(if: isThere)) func whatCannotBeReadIsNotSentForEver() throws {
        let rig = try Rig("unreadable")
        let bytes = 2 * Self.part + 9
        var large = job(try UploadFixture.file("a.csv", bytes: bytes, in: rig.folder), rig)
        for _ in 0..<4 {
            guard case .held(let reason)? = delivered(&large, rig) else {
                Issue.record("it is not held")
                return
            }
            #expect(reason.contains("give the key the right s3:GetObject"), "\(reason)")
            large.offset = nil
        }
        let sent = try #require(try rig.counts()["bytes"] as? Int)
        #expect(sent < bytes + 10_000, "\(sent) of \(bytes) bytes")
        // Of small ones the server names the checksum.
        var small = job(try UploadFixture.file("b.csv", bytes: 10, in: rig.folder), rig)
        #expect(isDelivered(delivered(&small, rig)))
        var other = job(try UploadFixture.file("b.csv", bytes: 11, in: rig.folder), rig)
        guard case .held? = delivered(&other, rig) else {
            Issue.record("it is not held")
            return
        }
        #expect(try rig.objects() == [10, bytes])
    }

    /// A server that takes no `If-None-Match` would take it again each time.
    @Test(.enabled(if: isThere), arguments: [10, 2 * part + 9]) func whatWasTakenAndCannotBeReadIsSentOnce(
        bytes: Int
    ) throws {
        let rig = try Rig("write-only")
        var job = job(try UploadFixture.file("a.csv", bytes: bytes, in: rig.folder), rig)
        var sent: [Int] = []
        for _ in 0..<3 {
            guard case .held(let reason)? = delivered(&job, rig) else {
                Issue.record("it is not held")
                return
            }
            #expect(reason.contains("give the key the right s3:GetObject"), "\(reason)")
            sent.append(try #require(try rig.counts()["bytes"] as? Int))
            job.offset = nil
            // As after each attempt that failed.
            rig.destination.close(rig.client)
            try rig.destination.open(rig.client)
        }
        #expect(Set(sent).count == 1, "\(sent)")
        #expect(try rig.objects() == [bytes])
    }

    /// S3 API Reference, CompleteMultipartUpload: `ChecksumSHA256` of the parts' checksums, with their number, as
    /// minio/minio 7aac2a2c5 writes it (cmd/api-response.go:801, internal/hash/checksum.go:344).
    @Test(.enabled(if: isThere)) func theChecksumOfACompletionIsAReceipt() throws {
        let rig = try Rig("unreadable-summed")
        let bytes = 2 * Self.part + 9
        var job = job(try UploadFixture.file("a.csv", bytes: bytes, in: rig.folder), rig)
        guard case .finished(.delivered(let receipt))? = delivered(&job, rig) else {
            Issue.record("it is not delivered")
            return
        }
        #expect(receipt.contains("a.csv \(bytes) bytes sha256") && receipt.contains("=-3"), "\(receipt)")
        #expect(try rig.objects() == [bytes])
        let sent = try #require(try rig.counts()["bytes"] as? Int)
        #expect(sent < bytes + Self.part, "no part is sent twice: \(sent)")
    }

    /// Of one request the first bytes, of a part some at both ends; each time all arrives once.
    @Test(.enabled(if: isThere)) func aConnectionThatIsCutAtAnyByteCostsOnlyARepetition() throws {
        for (bytes, cuts) in [(40, Array(0..<40)), (2 * Self.part + 9, [0, 1, 65_536, Self.part - 1])] {
            for cut in cuts {
                let rig = try Rig("cut:\(cut)")
                var job = job(try UploadFixture.file("a.csv", bytes: bytes, in: rig.folder), rig)
                // What is cut on a connection that was used before, libcurl itself sends again.
                let end = delivered(&job, rig) ?? delivered(&job, rig)
                #expect(isDelivered(end), "\(cut) of \(bytes)")
                #expect(try rig.objects() == [bytes])
                #expect(try rig.counts()["cut"] as? Int == 1)
            }
        }
    }

    // MARK: - Five gigabytes

    static let isLarge = ProcessInfo.processInfo.environment["STUDYD_LARGE"] != nil

    /// The most that this process has had in memory since then (proc(5), `clear_refs`), in bytes.
    private func peak() throws -> Int {
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM") } ?? ""
        return (line.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) << 10
    }

    private func forgetPeak() throws { try Data("5".utf8).write(to: URL(fileURLWithPath: "/proc/self/clear_refs")) }

    /// `make large-test`: five minutes, and six gigabytes of the disk for the stick.
    @Test(.enabled(if: isLarge && isThere, "only by make large-test"), arguments: ["s3", "directory"])
    func fiveGigabytesTakeTwoMegabytesOfMemory(kind: String) throws {
        let rig = try Rig("plain")
        let bytes = 5 << 30
        let path = rig.folder + "/big.cwa"
        try AtomicFile.write([], to: path)
        #expect(truncate(path, off_t(bytes)) == 0)
        let file = FileReference(
            path: "big.cwa", sha256: try Digest(ofFile: path).description, bytes: Int64(bytes),
            contentType: "application/octet-stream", recording: "1")
        let draft = OutboxDraft(
            origin: "recording 1", itemClass: .motion, destination: "files", content: .file(file))
        try AtomicFile.write([], to: rig.folder + "/mark")
        let stick = try DirectoryDestination(
            DestinationSettings(
                name: "files", takes: .both, values: ["path": .text(rig.folder), "marker": .text("mark")]))
        let destination: any Destination = kind == "s3" ? rig.destination : stick
        var job = job(draft, rig)
        // Once around, so that what the library keeps is there.
        _ = try destination.send(job, by: rig.client)
        try forgetPeak()
        let before = try peak()
        var end: DeliveryStep?
        while end == nil {
            job.chunk = 4 << 20
            let step = try destination.send(job, by: rig.client)
            switch step {
            case .located(let place): (job.location, job.offset) = (place, nil)
            case .progressed(let offset): job.offset = offset
            default: end = step
            }
        }
        let more = try peak() - before
        print("large: \(kind): \(more) bytes of memory more")
        #expect(isDelivered(end) && more <= 2 << 20, "\(String(describing: end)) \(more)")
    }
}
