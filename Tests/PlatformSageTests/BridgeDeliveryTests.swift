// SPDX-License-Identifier: Apache-2.0
import Base
import Study
import SystemKit
import Testing

@testable import PlatformSage

/// What is asked of Bridge, and what is made of its answers. Paths, fields and statuses are those
/// of BridgeServer2 (dc19cdea): `UploadController`, `AuthenticationController`, `UploadRequest`,
/// `UploadSession`, `UploadValidationStatus`, `UploadService.EXPIRATION`.
@Suite struct BridgeDeliveryTests {
    /// A server of fixed answers, and the calls it got.
    private final class Server {
        var calls: [WireRequest] = []
        var answers: [String: ServerAnswer] = [
            "/v4/auth/signIn": .init(status: 200, body: Array(#"{"sessionToken":"S1","type":"UserSessionInfo"}"#.utf8)),
            "/v3/uploads": .init(
                status: 200,
                body: Array(
                    #"{"id":"U1","url":"https://s3.example/b/U1?X-Amz=1","expires":"2026-11-23T12:00:00.000Z","type":"UploadSession"}"#
                        .utf8)),
            "/b/U1": .init(status: 200, body: []),
            "/v3/uploads/U1/complete": .init(
                status: 200, body: Array(#"{"id":"U1","status":"validation_in_progress"}"#.utf8)),
        ]

        func transport(_ place: String?, _ now: String = "2026-11-22T12:00:00Z") throws -> WireTransport {
            WireTransport(
                now: try Instant(rfc3339: now), location: place,
                send: { [self] request in
                    calls.append(request)
                    let path = request.url.drop { $0 != ":" }.dropFirst(3).drop { $0 != "/" }.prefix { $0 != "?" }
                    return answers[String(path)] ?? .init(status: 500, body: [])
                }, secret: { "secret of \($0)" }, contentMD5: ContentMD5.header)
        }

        func delivery(_ request: WireRequest, _ place: String?, _ now: String) throws -> BridgeDelivery {
            BridgeDelivery(request: request, settings: settings, transport: try transport(place, now))
        }

        /// Steps until the last word.
        func run(_ request: WireRequest, _ now: String = "2026-11-22T12:00:00Z", from place: String? = nil) throws
            -> (verdict: Verdict?, places: [String?])
        {
            var places = [place]
            for _ in 0..<12 {
                let last = places.last ?? nil
                switch try delivery(request, last, now).step() {
                case .located(let next): places.append(next)
                case .finished(let verdict): return (verdict, places)
                case nil: return (nil, places)
                }
            }
            return (nil, places)
        }
        let settings = SageSettings(externalID: nil, credential: "pass")
    }

    private let request = WireRequest(
        method: "POST", url: "https://bridge.example",
        headers: [
            .init(name: "X-Participant", value: "p1"), .init(name: "X-Bridge-App", value: "lab"),
            .init(name: "X-Bridge-Name", value: "T-1.zip"), .init(name: "X-Bridge-Encrypted", value: "true"),
        ], body: Array("message digest".utf8))

    /// Ids are of letters, digits, `-` and `_` (`BridgeUtils.generateGuid`); what else a server says
    /// leads to no other of its addresses.
    @Test func anIDStaysOnePartOfTheAddress() throws {
        let server = Server()
        server.answers["/v3/uploads"] = .init(
            status: 200, body: Array(#"{"id":"09:azAZ-_/../?#","url":"https://s3.example/b/U1"}"#.utf8))
        _ = try server.run(request)
        #expect(server.calls.contains { $0.url == "https://bridge.example/v3/uploads/09_azAZ-_______/complete" })
    }

    @Test func anArchiveGoesInFourCallsOfWhichTheLastIsTheReceipt() throws {
        let server = Server()
        let (verdict, places) = try server.run(request)
        #expect(verdict == .delivered(receipt: "upload U1: validation_in_progress"))
        let methods = server.calls.map { "\($0.method) \($0.url)" }
        #expect(
            methods == [
                "POST https://bridge.example/v4/auth/signIn", "POST https://bridge.example/v3/uploads",
                "PUT https://s3.example/b/U1?X-Amz=1", "POST https://bridge.example/v4/auth/signIn",
                "POST https://bridge.example/v3/uploads/U1/complete",
            ])
        #expect(
            String(decoding: server.calls[0].body, as: UTF8.self)
                == #"{"appId":"lab","externalId":"p1","password":"secret of pass"}"#)
        // The MD5 of "message digest" is RFC 1321's own, f96b697d7cb7938d525a2f31aaf161d0.
        #expect(
            String(decoding: server.calls[1].body, as: UTF8.self)
                == #"{"name":"T-1.zip","contentLength":14,"contentMd5":"+WtpfXy3k41SWi8xqvFh0A==","contentType":"application/zip","encrypted":true,"zipped":true}"#
        )
        #expect(server.calls[1].headers.contains(.init(name: "Bridge-Session", value: "S1")))
        #expect(server.calls[2].body == request.body)
        #expect(server.calls[2].headers.contains(.init(name: "Content-MD5", value: "+WtpfXy3k41SWi8xqvFh0A==")))
        #expect(!places.compactMap(\.self).contains { $0.contains("S1") || $0.contains("secret") })
    }

    /// Bridge's CSV tables need `assessmentGuid` (BridgeWorkerPlatform 690b4f2, `Exporter3WorkerProcessor`),
    /// BridgeDownstream the other two (bc1c651, `s3_to_json_s3.py`), a record with an id and no revision ends its job.
    @Test(
        arguments: [
            ("", [:], []),
            (
                #","identifier":"morning","assessment_guid":"v0a2lR0umI_-EypG","assessment_revision":5"#,
                ["assessmentGuid": "v0a2lR0umI_-EypG", "assessmentId": "T", "assessmentRevision": "5"], []
            ), (#","assessment_guid":"v0a2lR0umI_-EypG""#, [:], ["assessment_revision"]),
            (#","assessment_revision":5"#, [:], ["assessment_guid"]),
            (#","assessment_guid":"","assessment_revision":0"#, [:], ["assessment_guid", "assessment_revision"]),
        ] as [(String, [String: String], [String])])
    func anAssessmentOfBridgeIsNamedInTheMetadataOfTheUpload(
        _ settings: String, _ metadata: [String: String], _ refused: [String]
    ) throws {
        let files = [
            "study.json":
                #"{"identifier":"S","app_id":"lab","destination":"https://bridge.example","task":[{"file":"t.json"\#(settings)}]}"#,
            "t.json": SageSample.task(#"{"type":"instruction","identifier":"a"}"#),
        ]
        do {
            let study = try SageSample.study(files)
            let submission = SageSample.submission(study.tasks[0], [:])
            let requests = study.writer.requests(
                for: .submitted(submission), at: submission.submitted, in: SageSample.context(study))
            let server = Server()
            _ = try server.run(try #require(requests.first))
            let sent = JSONPlace(root: try JSONNode(server.calls[1].body)).member("metadata")
            #expect((sent != nil) == !metadata.isEmpty)
            for (key, value) in metadata { #expect(sent?.member(key)?.text == value) }
            #expect(refused.isEmpty)
        } catch let error as StudyFormatError {
            #expect(error.problems.map { String($0.path.split(separator: ".").last ?? "") } == refused)
        }
    }

    /// Any 2xx says that the bytes are there (RFC 9110, 15.3): S3 answers 200, Azure's blobs
    /// 201, others 204.
    @Test(arguments: [200, 201, 204, 299]) func whateverSuccessTheStorageAnswersIsOne(status: Int) throws {
        let server = Server()
        server.answers["/b/U1"] = .init(status: status, body: [])
        #expect(try server.run(request).verdict == .delivered(receipt: "upload U1: validation_in_progress"))
        #expect(server.calls.filter { $0.method == "PUT" }.count == 1)
    }

    /// Among S3's are 400 `ExpiredToken`, and 403 `RequestTimeTooSkewed` and `AccessDenied` (Amazon S3
    /// API Reference, Error responses): a clock or a policy that somebody mends.
    @Test(arguments: [199, 300, 301, 308, 400, 401, 403, 404, 409, 410, 411, 429, 500, 503, 507])
    func whatTheStorageAnswersOtherwiseIsTriedAgain(status: Int) throws {
        let server = Server()
        server.answers["/b/U1"] = .init(status: status, body: [])
        #expect(try server.run(request).verdict == .retry(reason: "the storage answered with status \(status)"))
        #expect(!server.calls.contains { $0.url.hasSuffix("/complete") })
    }

    /// `UploadService.EXPIRATION` is a day (dc19cdea, UploadService.java:99).
    @Test(arguments: [400, 403, 404, 410, 503]) func anotherAddressIsAskedForWhenTheOldOneIsOver(status: Int) throws {
        let server = Server()
        server.answers["/b/U1"] = .init(status: status, body: [])
        let place = try server.run(request).places.last ?? nil
        let transport = try server.transport(place, "2026-11-23T11:59:59Z")
        #expect(
            try BridgeDelivery(request: request, settings: server.settings, transport: transport).step()
                == .finished(.retry(reason: "the storage answered with status \(status)")))
        server.calls = []
        let (verdict, _) = try server.run(request, "2026-11-23T12:00:00Z", from: place)
        // This server's addresses are all over.
        guard case .refused(let reason)? = verdict else {
            return #expect(Bool(false), "\(String(describing: verdict))")
        }
        #expect(server.calls.filter { $0.method == "PUT" }.count == 3)
        #expect(server.calls.filter { $0.url.hasSuffix("/v3/uploads") }.count == 2)
        #expect(reason.contains("3 times") && reason.contains("the storage did not take it"), "\(reason)")
    }

    /// `UploadController.upload` answers 201, `uploadComplete` 200: any success of either is one.
    @Test(arguments: [200, 201, 202, 204]) func anySuccessOfTheLastCallIsAReceipt(status: Int) throws {
        let server = Server()
        server.answers["/v3/uploads/U1/complete"] = .init(status: status, body: [])
        #expect(try server.run(request).verdict == .delivered(receipt: "upload U1: \(status)"))
        let asked = Server()
        asked.answers["/v3/uploads"] = .init(status: status, body: asked.answers["/v3/uploads"]?.body ?? [])
        #expect(try asked.run(request).verdict == .delivered(receipt: "upload U1: validation_in_progress"))
    }

    /// What is wrong with the request stays wrong; what is wrong with the server or the
    /// account may pass.
    @Test func whatTheUploadRequestIsAnsweredDecides() throws {
        for status in [300, 400, 401, 403, 404, 409, 412, 413, 422, 429, 500, 503] {
            let server = Server()
            server.answers["/v3/uploads"] = .init(status: status, body: [])
            let isRefused = if case .refused? = try server.run(request).verdict { true } else { false }
            #expect(isRefused == [400, 413, 422].contains(status), "\(status)")
        }
    }

    /// The plain destination's own statuses.
    @Test func aPlainPostIsJudgedByItsStatus() {
        for status in [
            199, 200, 201, 204, 299, 300, 301, 400, 401, 403, 404, 409, 410, 411, 412, 413, 414, 415, 416, 421, 422,
            423, 429, 500, 503,
        ] {
            let verdict = SageWire().verdict(status: status, body: [])
            switch status {
            case 200...299: #expect(verdict == .delivered(receipt: "\(status)"))
            case 400, 410, 412, 413, 415, 422:
                #expect(verdict == .refused(reason: "the server answered with status \(status)"))
            default: #expect(verdict == .retry(reason: "the server answered with status \(status)"))
            }
        }
    }

    @Test func whatWasTakenIsNotPutAgainAndIsCompletedAfterARestart() throws {
        let server = Server()
        server.answers["/v3/uploads/U1/complete"] = .init(status: 503, body: [])
        let (verdict, places) = try server.run(request)
        #expect(
            verdict
                == .retry(
                    reason: "the archive was accepted, but the report that it is complete was answered with status 503")
        )
        server.calls = []
        server.answers["/v3/uploads/U1/complete"] = .init(status: 200, body: [])
        let again = try server.run(request, from: places.last ?? nil)
        #expect(again.verdict == .delivered(receipt: "upload U1: 200"))
        #expect(!server.calls.contains { $0.method == "PUT" })
    }

    @Test func whatIsNeverCompletedIsPutAgainADayLaterAndRefusedAfterThreeRounds() throws {
        let server = Server()
        server.answers["/v3/uploads/U1/complete"] = .init(status: 503, body: [])
        var place: String?
        for _ in 0..<3 {
            place = try server.run(request, from: place).places.last ?? nil
            // The day is over: what the server no longer expects is begun again.
            guard case .located(let next)? = try server.delivery(request, place, "2026-11-23T12:00:01Z").step() else {
                return #expect(Bool(false))
            }
            place = next
        }
        guard case .refused(let reason)? = try server.run(request, from: place).verdict else {
            return #expect(Bool(false))
        }
        #expect(reason.contains("3 times") && reason.contains("did not confirm"))
        #expect(server.calls.filter { $0.method == "PUT" }.count == 3)
        #expect(Set(server.calls.filter { $0.method == "PUT" }.map(\.body)).count == 1)
    }

    @Test(arguments: [
        ("/v4/auth/signIn", 404, "no such account"), ("/v4/auth/signIn", 412, "has not consented"),
        ("/v3/uploads", 401, "status 401"), ("/b/U1", 500, "storage answered with status 500"),
        ("/v3/uploads/U1/complete", 401, "session has expired"),
    ])
    func whatAPersonCanMendIsTriedAgain(path: String, status: Int, words: String) throws {
        let server = Server()
        server.answers[path] = .init(status: status, body: [])
        guard case .retry(let reason)? = try server.run(request).verdict else { return #expect(Bool(false)) }
        #expect(reason.contains(words))
    }

    /// `UploadValidator` finds the same wrong again.
    @Test func aRequestThatBridgeFindsWrongIsRefusedWithItsWords() throws {
        let server = Server()
        server.answers["/v3/uploads"] = .init(
            status: 400, body: Array(#"{"message":"Content length is above the allowed maximum."}"#.utf8))
        #expect(
            try server.run(request).verdict
                == .refused(
                    reason:
                        "the upload request was answered with status 400: Content length is above the allowed maximum.")
        )
    }

    @Test func withoutAPasswordItWaitsAndSaysWhereToNameIt() throws {
        let server = Server()
        let step = try BridgeDelivery(
            request: request, settings: SageSettings(), transport: server.transport(nil)
        ).step()
        guard case .finished(.retry(let reason))? = step else { return #expect(Bool(false)) }
        #expect(reason.contains("[sage]") && server.calls.isEmpty)
    }

    @Test func anArchiveForAnotherServerIsOneRequest() throws {
        let plain = WireRequest(method: "POST", url: "https://lab.example", headers: [], body: [1])
        let delivery = try BridgeDelivery(request: plain, settings: SageSettings(), transport: Server().transport(nil))
        #expect(try delivery.step() == nil)
    }
}
