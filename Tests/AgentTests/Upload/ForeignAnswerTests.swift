// SPDX-License-Identifier: Apache-2.0
import Base
import Foundation
import Study
import Synchronization
import Testing

@testable import Agent

/// Portals as their own sources answer (`portal_server.py` names file and commit of each), on
/// python's http.server.
@Suite(.enabled(if: LabServer.isAvailable, "python3 is missing: install it to test portals"), .timeLimit(.minutes(20)))
struct ForeignAnswerTests {
    static let portals = [
        "nodogsplash", "nodogsplash-refresh", "opennds", "opennds-200", "opennds-202", "chilli", "rfc6585", "marked",
        "utf16",
    ]
    /// What may be a proxy's as well: nothing is delivered or refused, but no portal is mentioned.
    static let others = ["nodogsplash-501", "opennds-400", "chilli-gzip", "generate_204"]

    private static func server() throws -> LabServer {
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
            "portal_server.py"
        ).path
        return try LabServer(command: ["python3", script])
    }

    /// Like schema's: 200 and 202 are receipts, whatever the body; 400 is a refusal,
    /// as MyStudies' is.
    private struct Wire: StudyWire {
        func verdict(status: Int, body: [UInt8]) -> Verdict {
            switch status {
            case 200, 202: .delivered(receipt: "\(status)")
            case 400: .refused(reason: "400")
            default: .retry(reason: "\(status)")
            }
        }
    }

    @Test(arguments: portals + others) func noPortalTakesAnAnswerAndItArrivesOnceThePortalIsOpen(kind: String)
        async throws
    {
        let server = try Self.server()
        let database = try StudyDatabase(.memory)
        try await UploadFixture.append([UploadFixture.draft("dear", to: server.url("/\(kind)/response"))], to: database)
        let told = Told()
        var surroundings = UploadFixture.context(HastyClock(haste: 20))
        surroundings = .init(
            clock: surroundings.clock, recordings: "", stamp: surroundings.stamp,
            report: { if case .portal(let name, let words) = $0 { told.add(name, words) } })
        let uploader = Uploader(
            database,
            to: [HTTPDestination(name: "study", wire: Wire(), limits: UploadFixture.limits(total: .seconds(10)))],
            context: surroundings, policy: RetryPolicy(first: .milliseconds(200), longest: .seconds(2)), seed: 1,
            userAgent: "studyd-tests/1")
        async let running: Void = uploader.run()
        while try await database.items()[0].attempts < 2 { try await Swift.Task.sleep(for: .milliseconds(20)) }
        #expect(try await database.counts().items[.delivered] == nil)
        #expect(try await database.counts().items[.refused] == nil)
        let isPortal = Self.portals.contains(kind)
        #expect((told.all.first?.hasPrefix("study: a login page blocks") == true) == isPortal, "\(told.all)")
        _ = try HTTPClient(userAgent: "t").send(HTTPRequest(method: "POST", url: server.url("/open")))
        try await database.reaches { $0.items[.delivered] == 1 }
        uploader.stop()
        await running
        let body = try HTTPClient(userAgent: "t").send(HTTPRequest(method: "GET", url: server.url("/stored"))).body
        #expect(
            String(decoding: body, as: UTF8.self) == #"["dear"]"#, "PHP's own good answer is text/html with the body 1")
        #expect(told.all.last == (isPortal ? "study: none" : nil))
    }

    @Test(arguments: portals + others) func noPortalTakesARecording(kind: String) throws {
        let server = try Self.server()
        let folder = try UploadFixture.folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let draft = try UploadFixture.file("a.bin", bytes: 1000, in: folder)
        guard case .file(let file) = draft.content else { return }
        let item = QueuedItem(
            id: "i", origin: "o", itemClass: .motion, destination: "files", requestDigest: nil, bytes: 1000, file: file)
        let destination = TusDestination(
            name: "files", endpoint: server.url("/\(kind)/files"), limits: UploadFixture.limits(total: .seconds(10)))
        // Creation, the question how far it is, and the piece itself.
        for (location, offset) in [
            (nil, nil), (server.url("/\(kind)/files/1"), nil), (server.url("/\(kind)/files/1"), 0),
        ] as [(String?, Int64?)] {
            let job = DeliveryJob(
                item: OutboxItem(
                    item: item, enrolment: "e1", state: .sending, attempts: 1, retryAt: nil,
                    note: nil), content: draft.content, directory: folder, location: location, offset: offset)
            do {
                let step = try destination.send(job, by: try HTTPClient(userAgent: "t"))
                switch step {
                case .finished(.delivered), .finished(.refused), .located, .progressed:
                    Issue.record("\(step)")
                default: break
                }
            } catch let error as TransportError {
                #expect(error.kind == .portal)
            }
        }
    }

    /// Delivers in calls of its own, as SageResearch's to Bridge's bucket.
    private struct CallingWire: StudyWire {
        func verdict(status: Int, body: [UInt8]) -> Verdict { .refused(reason: "not asked") }
        func step(delivering request: WireRequest, over transport: WireTransport) throws -> WireStep? {
            .finished(.retry(reason: "heard \(try transport.send(request).status)"))
        }
    }

    /// What S3 refuses it says in XML ("REST error responses" of its API reference), which is no page; with a
    /// status of success XML is a page of something between.
    @Test(arguments: [
        (200, "<?xml version=\"1.0\"?><Error/>", false), (399, "<?xml version=\"1.0\"?><Error/>", false),
        (400, "<?xml version=\"1.0\"?><Error><Code>EntityTooLarge</Code></Error>", true),
        (403, "<?xml version=\"1.0\"?><Error><Code>AccessDenied</Code></Error>", true),
        (503, "<?xml version=\"1.0\"?><Error><Code>SlowDown</Code></Error>", true),
        (599, "<?xml version=\"1.0\"?><Error/>", true), (600, "<?xml version=\"1.0\"?><Error/>", false),
        (403, "<html>Forbidden</html>", false), (403, "", true), (200, "{}", true),
    ])
    func aBucketsOwnRefusalIsHeardByTheWire(status: Int, body: String, isHeard: Bool) throws {
        let server = try LabServer()
        let draft = UploadFixture.draft(body, to: server.url("/say/\(status)"))
        guard case .request(let request) = draft.content else { return }
        let item = QueuedItem(
            id: "i", origin: "o", itemClass: .answers, destination: "study", requestDigest: nil, bytes: 1, file: nil)
        let job = DeliveryJob(
            item: OutboxItem(
                item: item, enrolment: "e1", state: .sending, attempts: 1, retryAt: nil, note: nil),
            content: .request(request), directory: "", location: nil, offset: nil)
        let destination = HTTPDestination(name: "study", wire: CallingWire())
        let step = try destination.send(job, by: try HTTPClient(userAgent: "t"))
        switch step {
        case .finished(.retry(let reason)): #expect(isHeard && reason == "heard \(status)", "\(step)")
        case .foreign: #expect(!isHeard, "\(step)")
        default: Issue.record("\(step)")
        }
    }

    @Test(arguments: [
        ("<html>", true), ("\u{FEFF}<", true), (" \r\n\t\u{C}<?xml", true), ("1", false), ("true", false), ("", false),
        ("{\"a\":\"<\"}", false), ("null <b>", false),
    ]) func aPageBeginsWithABracket(text: String, isPage: Bool) {
        #expect(ForeignAnswer.isPage(Array(text.utf8)) == isPage)
    }

    private final class Told: Sendable {
        private let lines = Mutex<[String]>([])
        var all: [String] { lines.withLock { $0 } }
        func add(_ name: String, _ words: String?) { lines.withLock { $0.append("\(name): \(words ?? "none")") } }
    }
}
