// SPDX-License-Identifier: Apache-2.0
import Base
import Foundation
import Patience
import Study
import SystemKit
import Testing

@testable import Agent

/// What is signed with the device's key, asked of two real servers: what goes to the lab's receiver,
/// and nothing else.
@Suite(.enabled(if: LabServer.isAvailable, "python3 is missing"), .timeLimit(.minutes(10))) struct LabHeadersTests {
    private static let key = DeviceKey()

    private static func requests(
        _ server: LabServer, at path: String = "/requests"
    ) throws -> [(line: String, fields: [String: String])] {
        let text = try #require(ReportSchema.run(Self.get, [server.url(path)]))
        let all = try #require(JSONSerialization.jsonObject(with: Data(text.utf8)) as? [[String: Any]])
        return all.filter { $0["method"] as? String != "GET" }.map { request in
            let pairs = (request["headers"] as? [[String]] ?? []).map { ($0[0].lowercased(), $0[1]) }
            return ("\(request["method"] ?? "") \(request["path"] ?? "")", Dictionary(pairs) { $1 })
        }
    }

    /// The key that the request says it was signed with.
    private static func key(_ request: (line: String, fields: [String: String])) -> String? {
        request.fields["signature-input"].flatMap(SignatureInput.init(field:))?.keyID
    }

    private static func hasHeard(_ server: LabServer) -> Bool {
        ((try? requests(server, at: "/tus/requests")) ?? []).isEmpty == false
    }

    private static let get = "import sys, urllib.request; print(urllib.request.urlopen(sys.argv[1]).read().decode())"

    /// RFC 6454: another port is another origin, wherever it is met.
    @Test(arguments: [
        ("http://lab.example/files", "http://lab.example/files/7", true),
        ("http://lab.example/files", "http://LAB.example:80/x", true),
        ("http://lab.example/files", "https://lab.example/files", true),
        ("https://lab.example/files", "http://lab.example/files", false),
        ("https://lab.example:8443", "https://lab.example/files", false),
        ("https://lab.example", "https://lab.example.evil.org/", false), ("https://lab.example", "", false),
    ])
    func onlyTheLabsOriginHears(lab: String, url: String, hears: Bool) {
        let headers = LabHeaders([.init(name: "Studyd-Device", value: "k")], to: lab)
        #expect(headers.fields(for: url).isEmpty != hears)
    }

    private func send(_ drafts: [OutboxDraft], lab: String, to destinations: [any Destination]) async throws {
        let database = try StudyDatabase(.memory)
        try await UploadFixture.append(drafts, to: database)
        let clock = HastyClock()
        let context = UploadContext(
            clock: clock, recordings: "/nowhere", lab: lab, deviceKey: { Self.key },
            stamp: { Fixture.stamp(1, enrolment: $0) }, report: { _ in })
        let uploader = Uploader(database, to: destinations, context: context, seed: 1, userAgent: "t")
        let running = Task { await uploader.run() }
        try await database.reaches { $0.items[.delivered] == drafts.count }
        uploader.stop()
        await running.value
    }

    /// A file: for the lab's receiver each of its requests is signed, for any other server none is, and neither at a place on another server that the receiver names.
    @Test func filesCarryTheKeyToTheLabsReceiverAlone() async throws {
        let (lab, university, other) = (try LabServer(), try LabServer(), try LabServer())
        let folder = try UploadFixture.folder()
        let draft = try UploadFixture.file("a.bin", bytes: 100, in: folder)
        func send(to url: String, _ database: StudyDatabase) async throws {
            try await UploadFixture.append([draft], to: database)
            let clock = HastyClock()
            let context = UploadContext(
                clock: clock, recordings: folder, lab: lab.url("/tus"), deviceKey: { Self.key },
                stamp: { Fixture.stamp(1, enrolment: $0) }, report: { _ in })
            let uploader = Uploader(
                database, to: [TusDestination(name: "files", endpoint: url)], context: context, seed: 1, userAgent: "t")
            let running = Task { await uploader.run() }
            try await eventually("the file is sent, or another server hears of it") {
                let isDelivered = try await database.counts().items[.delivered] == 1
                return isDelivered || Self.hasHeard(other)
            }
            uploader.stop()
            await running.value
        }
        try await send(to: lab.url("/tus"), StudyDatabase(.memory))
        try await send(to: university.url("/tus"), StudyDatabase(.memory))
        let own = Self.key.publicText
        #expect(try Self.requests(lab, at: "/tus/requests").map(Self.key) == [own, own, own])
        #expect(try Self.requests(university, at: "/tus/requests").allSatisfy { Self.key($0) == nil })
        try await send(to: lab.url("/tus?at=\(other.port)"), StudyDatabase(.memory))
        let away = try Self.requests(other, at: "/tus/requests")
        #expect(!away.isEmpty && away.allSatisfy { Self.key($0) == nil && $0.fields["studyd-log"] == nil })
    }

    /// Answers, too, where the lab's receiver is the study's server; a signature tells it no secret.
    @Test func answersAreSignedForTheLabsReceiverAlone() async throws {
        let (lab, platform) = (try LabServer(), try LabServer())
        try await send(
            [UploadFixture.draft("a", to: lab.url("/take")), UploadFixture.draft("b", to: platform.url("/take"))],
            lab: lab.url("/files"), to: [UploadFixture.study()])
        #expect(try Self.requests(lab).map(Self.key) == [Self.key.publicText])
        #expect(try Self.requests(platform).map(Self.key) == [nil])
    }

    @Test func reportsAreSignedAndNameTheDeviceAndAnotherOriginHearsNeither() async throws {
        let (lab, other) = (try LabServer(), try LabServer())
        try await AgentFixture.inFolder { path in
            let file = DeviceKeyFile(try StateFolder(path))
            let key = try file.prepare()
            func post(_ place: String) -> LabAnswer {
                LabConnection(server: ServerSettings(url: lab.url(place)), key: file, now: { ReportBench.start }).post(
                    Array("{}".utf8), to: "/reports", of: "P ż"
                ).answer
            }
            _ = post("")
            // It redirects to /take of the other server.
            let redirected = LabConnection(
                server: ServerSettings(url: lab.url("/to/\(other.port)?")), key: file, now: { ReportBench.start }
            )
            .post(Array("{}".utf8), to: "", of: "P").answer
            guard case .unavailable(let reason, _) = redirected else { throw CancellationError() }
            #expect(reason.contains("redirects to"))
            let first = try #require(try Self.requests(lab).first)
            #expect(first.line == "POST /reports" && Self.key(first) == key.publicText)
            #expect(first.fields["content-type"] == "application/json" && first.fields["studyd-device"] != nil)
            #expect(try Self.requests(other).isEmpty)
        }
    }

    /// As python's server answers them.
    @Test(arguments: [
        ("/status/401?", LabAnswer.keyUnknown), ("/status/403?", .revoked),
        ("/status/400?", .refused("answered 400 as asked")), ("/status/413?", .refused("answered 413 as asked")),
        ("/status/422?", .refused("answered 422 as asked")),
        ("/status/500?", .unavailable("answered 500 as asked", retryAfter: .zero)),
        ("/after/503/120?", .unavailable("answered 503 later", retryAfter: .seconds(120))),
        ("/take?", .unavailable("answered 200 true, which is no receipt", retryAfter: .zero)),
    ])
    func answersMeanWhatTheContractSays(path: String, answer: LabAnswer) async throws {
        let server = try LabServer()
        try await AgentFixture.inFolder { folder in
            let connection = LabConnection(
                server: ServerSettings(url: server.url(path)), key: DeviceKeyFile(try StateFolder(folder)),
                now: { ReportBench.start })
            #expect(connection.post([], to: "", of: "P").answer == answer)
        }
    }

    @Test(arguments: [
        (400, #"{"error":"the battery is 7","remedy":"send 0 to 1"}"#, "answered 400 the battery is 7; send 0 to 1"),
        (400, #"{"error":"no","remedy":null}"#, "answered 400 no"), (400, "[1]", "answered 400 [1]"),
        (507, "the disk is full", "not received: answered 507 the disk is full"),
    ])
    func aRefusalIsSaidInTheReceiversWords(_ status: Int, _ body: String, _ words: String) {
        #expect(LabAnswer(HTTPResponse(status: status, headers: [], body: Array(body.utf8))).words == words)
    }

    /// By the field alone, whatever the body says.
    @Test(arguments: [
        (401, "Studyd-Enrolment-Code", "refused", LabAnswer.codeRefused),
        (401, "studyd-enrolment-code", "refused", .codeRefused), (401, "Studyd-Enrolment-Code", "", .keyUnknown),
        (401, "WWW-Authenticate", "refused", .keyUnknown), (403, "Studyd-Enrolment-Code", "refused", .revoked),
    ])
    func aCodeIsRefusedWhereTheReceiverSaysSo(status: Int, field: String, value: String, answer: LabAnswer) {
        for error in ["no", "its enrolment code is none, was used"] {
            let body = Array(#"{"error":"\#(error)"}"#.utf8)
            let response = HTTPResponse(status: status, headers: [.init(name: field, value: value)], body: body)
            #expect(LabAnswer(response) == answer)
        }
    }

    @Test func onlyAReceiptIsOne() {
        func answer(_ status: Int, _ body: String) -> LabAnswer {
            LabAnswer(HTTPResponse(status: status, headers: [], body: Array(body.utf8)))
        }
        #expect(answer(200, #"{"received":17}"#) == .received("17"))
        #expect(answer(200, #"{"received":"2026-11-25"}"#) == .received("2026-11-25"))
        for body in ["", "{}", "[17]", #"{"received":null}"#, #"{"received":[17]}"#, "<html>", "17"] {
            if case .unavailable = answer(200, body) {} else { Issue.record("\(body)") }
        }
        // A login page of a network is no revocation.
        if case .unavailable = answer(403, "<html>log in") {} else { Issue.record("a page revokes") }
        if case .unavailable = answer(201, #"{"received":17}"#) {} else { Issue.record("201") }
    }
}
