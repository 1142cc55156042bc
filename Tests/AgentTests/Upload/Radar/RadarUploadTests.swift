// SPDX-License-Identifier: Apache-2.0
import Base
import Foundation
import Patience
import Study
import SystemKit
import Testing

@testable import Agent

/// Recordings as files, against an upload backend that is as strict as radar-upload-source-connector's source (`radar_upload.py`).
@Suite(.serialized, .enabled(if: RadarPlatform.isThere), .timeLimit(.minutes(10))) struct RadarUploadTests {
    private static func platform(
        _ more: [String: String] = [:], _ numbers: [String: Int] = [:]
    ) throws -> RadarPlatform {
        try RadarPlatform(nil, ["upload_source_type": "studyd"].merging(more) { $1 }, numbers)
    }

    /// A sealed file with its description, as the recorder leaves them.
    private func recording(
        _ text: String = "samples", number: Int = 7, kind: String = "accelerometer", ending: String = "cwa",
        type: String = "application/x-cwa", _ metadata: [String: String] = [:], on platform: RadarPlatform
    ) throws -> OutboxDraft {
        let base = "\(number.padded(6))-\(kind)"
        let description = "{\"identifier\":\"ż\",\"startDate\":\"2026-03-02T11:00:00.250+01:00\"}\n"
        try AtomicFile.write(Array(description.utf8), to: "\(platform.folder)/\(base).json")
        let all = ["measure": kind, "identifier": kind].merging(metadata) { $1 }
        return try platform.recording("\(base).\(ending)", text, all, type: type)
    }

    private func files(_ record: JSONNode) -> [String: String] {
        guard case .object(let members)? = record["files"]?.content else { return [:] }
        return Dictionary(uniqueKeysWithValues: members.map { ($0.key, $0.value.text ?? "") })
    }

    private func status(_ record: JSONNode) -> String? { record["metadata"]?["status"]?.text }

    // MARK: What arrives

    @Test func aRecordingIsARecordWithItsDescriptionAndDigest() throws {
        let platform = try Self.platform()
        let receipt = try platform.send(recording(on: platform)).receipt
        #expect(
            receipt
                == platform.server.url(
                    "/upload/api/records/1 has 7 bytes of 000007-accelerometer.cwa: READY, revision 2"))
        let record = try #require(try platform.uploads().first)
        let files = files(record)
        #expect(files["000007-accelerometer.cwa"] == "samples" && files.count == 3)
        #expect(files["000007-accelerometer.json"]?.contains("startDate") == true)
        #expect(record["sourceType"]?.text == "studyd" && record["userId"]?.text == "sub-1")
        #expect(
            record["asked"]?.value.text == "{\"time\":\"2026-03-02T10:00:00.250\",\"timeZoneOffset\":0}",
            "a local time without an offset, as java.time.LocalDateTime reads it")
        #expect(
            try platform.requests().suffix(5).map { $0.replacing(" token", with: "") }
                == [
                    "GET /upload/api/records", "POST /upload/api/records", "GET /upload/api/records/1",
                    "PUT /upload/api/records/1/contents/000007-accelerometer.cwa", "GET /upload/api/records/1",
                    "POST /upload/api/records/1/metadata",
                ].suffix(5))
        // coreutils reads what lies beside it.
        let folder = try UploadFixture.folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        for (name, text) in files { try Data(text.utf8).write(to: URL(filePath: "\(folder)/\(name)")) }
        let check = Process()
        check.executableURL = URL(filePath: "/usr/bin/env")
        check.currentDirectoryURL = URL(filePath: folder)
        check.arguments = ["sha256sum", "--check", "--strict", "--quiet", "000007-accelerometer.cwa.sha256"]
        try check.run()
        check.waitAsleep()
        #expect(check.terminationStatus == 0)
    }

    @Test(arguments: [
        ("sound", "flac", "audio/flac", [:]), ("features", "csv.age", "application/x-age", [:]),
        ("features", "csv", "text/csv", ["task": "t", "run": "1"]),
    ]) func whatCannotBeRecordsGoesAsAFile(
        _ kind: String, _ ending: String, _ type: String, _ metadata: [String: String]
    ) throws {
        let platform = try Self.platform()
        let draft = try recording(kind: kind, ending: ending, type: type, metadata, on: platform)
        #expect(try platform.send(draft).receipt?.contains("000007-\(kind).\(ending): READY") == true)
        #expect(try platform.uploads().count == 1)
    }

    @Test func whatHasATopicStaysRecords() throws {
        let platform = try Self.platform()
        try platform.set(RadarDestinationTests.features)
        #expect(try platform.send(platform.features(3)).receipt?.hasPrefix("studyd_features has 3 rows") == true)
        #expect(try platform.uploads().isEmpty)
    }

    /// Its rows went no further, as after a loss of the network: removed while it is open it would keep its space.
    @Test func aFileOfRowsIsClosedWhenAnotherGoesAsAFile() throws {
        let platform = try Self.platform()
        try platform.set(RadarDestinationTests.features)
        try platform.destination.open(platform.client)
        let job = platform.job(try platform.features(2_345))
        guard case .located = try platform.destination.send(job, by: platform.client) else {
            Issue.record("it did not begin")
            return
        }
        #expect(try platform.isOpen("000001-features.csv"))
        #expect(try platform.send(recording(on: platform)).receipt != nil)
        #expect(try !platform.isOpen("000001-features.csv"))
    }

    /// The participant's project is asked for where nothing was registered.
    @Test func aSourceThatWasMadeByHandIsEnough() throws {
        let platform = try Self.platform(["source_id": "by-hand", "source_producer": ""])
        #expect(try platform.send(recording(on: platform)).receipt != nil)
        let record = try #require(try platform.uploads().first)
        #expect(record["projectId"]?.text == "radar" && record["sourceId"]?.text == "by-hand")
    }

    // MARK: Half done

    /// Each answer in turn is lost after the server did what was asked; then the device is switched off.
    @Test(
        arguments: [
            "GET /upload/api/records", "POST /upload/api/records", "GET /upload/api/records/1",
            "PUT /upload/api/records/1", "POST /upload/api/records/1/metadata",
        ], [true, false])
    func whatIsHalfDoneIsFoundAgainAndNotDoubled(lost: String, isPlaceKept: Bool) throws {
        let platform = try Self.platform()
        var job = platform.job(try recording(on: platform))
        try platform.set("{\"lost\":\"\(lost)\"}")
        // On a connection that was used before, libcurl itself asks again.
        let first = try? platform.send(&job)
        try platform.restart()
        if !isPlaceKept { job.location = nil }
        job.offset = nil
        #expect(try first?.receipt ?? platform.send(&job).receipt != nil)
        let records = try platform.uploads()
        #expect(records.count == 1 && records.first.flatMap(status) == "READY")
    }

    /// RecordResourceTest.create: of a file that was cut nothing is kept, and the record takes it again.
    @Test func aFileThatIsCutAtAnyByteArrivesWhole() throws {
        let platform = try Self.platform()
        let (small, large) = (
            String(repeating: "x", count: 40), String(repeating: "0123456789abcdef", count: 20_000)
        )
        let cuts = (0..<40).map { (small, $0) } + [0, 1, 65_536, 319_999].map { (large, $0) }
        for (place, (text, cut)) in cuts.enumerated() {
            try platform.set("{\"cut\":\(cut)}")
            var job = platform.job(try recording(text, number: place + 1, on: platform))
            let end = try (try? platform.send(&job)) ?? platform.send(&job)
            #expect(end.receipt != nil, "\(cut): \(end)")
        }
        let records = try platform.uploads()
        #expect(records.count == cuts.count && records.allSatisfy { status($0) == "READY" })
        #expect(records.flatMap { files($0).values }.filter { $0 == small || $0 == large }.count == cuts.count)
    }

    /// After the answer to READY was lost, by the time the device asks again.
    @Test(arguments: [
        ("PROCESSING", "PROCESSING, revision 3"), ("SUCCEEDED", "SUCCEEDED, revision 3"),
        ("FAILED", "FAILED, revision 3: No records in data"),
    ]) func whatAConverterMadeOfItIsInTheReceipt(_ status: String, _ words: String) throws {
        let platform = try Self.platform()
        var job = platform.job(try recording(on: platform))
        try platform.set("{\"upload_next\":[{\"on\":\"/metadata\",\"status\":504,\"after\":true}]}")
        #expect(try platform.send(&job).retry?.contains("504") == true)
        try platform.set("{\"turn\":{\"1\":\"\(status)\"}}")
        job.offset = nil
        #expect(try platform.send(&job).receipt?.hasSuffix(words) == true)
        #expect(try platform.uploads().count == 1)
    }

    @Test func aRecordThatWasClosedWithoutTheFileIsNotTaken() throws {
        let platform = try Self.platform()
        var job = platform.job(try recording(on: platform))
        try platform.set("{\"upload_next\":[{\"on\":\"PUT\",\"status\":500}]}")
        #expect(try platform.send(&job).retry != nil)
        try platform.set("{\"turn\":{\"1\":\"FAILED\"}}")
        job.offset = nil
        #expect(try platform.send(&job).receipt?.contains("/records/2 has 7 bytes") == true)
    }

    /// A replaced card counts from 1 again.
    @Test(arguments: ["SAMPLES", "longer samples"]) func theSameNameIsNotTheSameFile(other: String) throws {
        let platform = try Self.platform()
        for text in ["samples", other, "samples"] {
            #expect(try platform.send(recording(text, on: platform)).receipt != nil)
        }
        let texts = try platform.uploads().map { files($0)["000007-accelerometer.cwa"] }
        #expect(texts == ["samples", other], "what it has is not sent a second time")
    }

    // MARK: What is in the way

    /// Sends one recording while the next request that contains `on` is answered so; then the same again.
    private func twice(
        _ on: String, _ status: Int, _ more: String, number: Int, on platform: RadarPlatform
    ) throws -> (first: DeliveryStep, second: DeliveryStep) {
        try platform.set("{\"upload_next\":[{\"on\":\"\(on)\",\"status\":\(status),\(more)}]}")
        var job = platform.job(try recording(number: number, on: platform))
        let first = try platform.send(&job)
        job.offset = nil
        return (first, try platform.send(&job))
    }

    @Test func whatTheServerLacksStopsNothingElse() throws {
        let platform = try Self.platform()
        let rows = [
            ("POST /records", 404, "{\"error\":\"project_not_found\"}", "see that it has project 'radar'"),
            ("POST /records", 400, "{\"error\":\"field_missing\"}", "settings of source type 'studyd'"),
            ("POST /records", 400, "{\"error\":\"source_type_not_found\"}", "sourceTypes of its upload.yml"),
            ("GET /records", 404, "{}", "no upload backend is at http"),
            ("PUT", 413, "\"<html>413</html>\"", "have shorter files by 'rotate', or send recordings to a bucket"),
            ("PUT", 413, "{\"error\":\"request_entity_too_large\"}", "proxy-body-size"),
            ("PUT", 503, "{\"error\":\"timeout\"}", "took longer than the 30 s"),
        ]
        for (place, (on, status, body, words)) in rows.enumerated() {
            let (first, second) = try twice(on, status, "\"body\":\(body)", number: place + 1, on: platform)
            #expect(first.held?.contains(words) == true, "\(first)")
            #expect(second.receipt != nil, "\(second)")
        }
        #expect(try platform.uploads().count == rows.count)
        try platform.set("{\"backend\":false}")
        #expect(try platform.send(recording(number: 99, on: platform)).held?.contains("set upload_url") == true)
        #expect(try platform.send(RadarPlatform.answer()).receipt != nil)
    }

    @Test func aSourceTypeThatIsMissingIsNamed() throws {
        let platform = try Self.platform(["upload_source_type": "other"])
        var job = platform.job(try recording(on: platform))
        let words = "the upload backend has no source type 'other'; add it to sourceTypes of its upload.yml"
        #expect(try platform.send(&job).held?.hasPrefix(words) == true)
        try platform.set(RadarDestinationTests.features)
        #expect {
            _ = try platform.destination.inspect(by: platform.client, at: RadarPlatform.now)
        } throws: {
            "\($0)".contains(words)
        }
        try platform.set("{\"source_types\":{\"other\":{\"timeRequired\":true,\"sourceIdRequired\":true}}}")
        #expect(try platform.send(&job).receipt != nil)
        let found = try platform.destination.inspect(by: platform.client, at: RadarPlatform.now)
        #expect(
            found?.contains("4 topics, source type 'other' for files there; paired until") == true, "\(found ?? "")")
    }

    @Test func whatMayPassIsTriedAgain() throws {
        let platform = try Self.platform()
        let rows = [
            ("POST /records", 500, "500"), ("PUT", 500, "500"), ("PUT", 507, "507"), ("/metadata", 502, "502"),
            ("GET /records", 400, "400"), ("PUT", 415, "415"), ("PUT", 201, "no receipt"), ("/metadata", 200, "200"),
        ]
        for (place, (on, status, words)) in rows.enumerated() {
            let (first, second) = try twice(
                on, status, "\"body\":{\"error\":\"x\"}", number: place + 1, on: platform)
            #expect(first.retry?.contains(words) == true, "\(first)")
            #expect(second.receipt != nil, "\(second)")
        }
        #expect(try platform.uploads().count == rows.count)
    }

    @Test func aBusyServerIsLeftAloneAsLongAsItAsks() throws {
        let platform = try Self.platform()
        for (place, on) in ["GET /records", "POST /records", "PUT", "/metadata"].enumerated() {
            for status in [429, 503] {
                let number = 2 * place + (status == 429 ? 1 : 2)
                let (first, second) = try twice(
                    on, status, "\"headers\":{\"Retry-After\":\"7\"}", number: number, on: platform)
                guard case .later(_, .seconds(7)) = first else {
                    Issue.record("\(on) \(status): \(first)")
                    continue
                }
                #expect(second.receipt != nil)
            }
        }
    }

    @Test func aLoginPageIsNoAnswer() throws {
        let platform = try Self.platform()
        for (place, on) in ["GET /records", "POST /records", "PUT", "/metadata"].enumerated() {
            let (first, second) = try twice(on, 200, "\"body\":\"<html>log in\"", number: place + 1, on: platform)
            guard case .foreign(_, isPortal: true) = first else {
                Issue.record("\(on): \(first)")
                continue
            }
            #expect(second.receipt != nil)
        }
    }

    /// Somebody else changed or removed the record meanwhile.
    @Test(arguments: [("PUT", 409), ("/metadata", 409), ("GET /records/1", 410), ("PUT", 404), ("/metadata", 410)])
    func theServerIsAskedAgainAfterAConflict(on: String, status: Int) throws {
        let platform = try Self.platform()
        try platform.set("{\"upload_next\":[{\"on\":\"\(on)\",\"status\":\(status)}]}")
        #expect(try platform.send(recording(on: platform)).receipt != nil)
        #expect(try platform.uploads().count == 1, "the record that is there still is found")
    }

    @Test func anExpiredTokenIsRenewedOnce() throws {
        let platform = try Self.platform()
        _ = try platform.send(RadarPlatform.answer())
        try platform.set("{\"revoke\":true}")
        let before = try platform.requests().filter { $0.contains("/oauth/token") }.count
        #expect(try platform.send(recording(on: platform)).receipt != nil)
        #expect(try platform.requests().filter { $0.contains("/oauth/token") }.count == before + 1)
    }

    /// Years before and after: by its own clock it holds no good token.
    @Test(arguments: [-20, 20]) func aWrongClockCostsATokenAndNoRecording(years: Int) throws {
        let platform = try Self.platform()
        let draft = try recording(on: platform)
        var job = platform.job(draft, now: RadarPlatform.now + .seconds(years * 365 * 86_400))
        #expect(try platform.send(&job).receipt != nil)
        #expect(try platform.send(recording("more", number: 8, on: platform)).receipt != nil)
    }

    /// `jwtResourceName` of the backend; the clients that ManagementPortal ships with lack it.
    @Test func aTokenThatIsNotForTheBackendIsExplained() throws {
        let platform = try Self.platform()
        try platform.set("{\"audience\":[\"res_gateway\",\"res_ManagementPortal\"]}")
        #expect(try platform.send(recording(on: platform)).held?.contains("the resource res_upload") == true)
        #expect(try platform.send(RadarPlatform.answer()).receipt != nil)
        try platform.set("{\"audience\":[\"res_gateway\",\"res_upload\"],\"revoke\":true}")
        #expect(try platform.send(recording(on: platform)).receipt != nil)
    }

    @Test func aWithdrawalStopsFilesToo() throws {
        let platform = try Self.platform()
        var job = platform.job(try recording(on: platform))
        try platform.set("{\"upload_next\":[{\"on\":\"PUT\",\"status\":500}]}")
        #expect(try platform.send(&job).retry != nil)
        try platform.set("{\"inactive\":true,\"revoke\":true}")
        job.offset = nil
        #expect(try platform.send(&job).block?.contains("sub-1 is not active") == true)
        try platform.set("{\"inactive\":false,\"revoke\":true}")
        #expect(try platform.send(&job).receipt != nil && platform.uploads().count == 1)
    }

    /// 200 MB in radar-helm-charts; smaller files go on.
    @Test func aFileThatIsTooLargeForTheIngressStopsNoOther() throws {
        let platform = try Self.platform()
        try platform.set("{\"body\":1000}")
        let large = String(repeating: "x", count: 1001)
        #expect(try platform.send(recording(large, on: platform)).held?.contains("1001 bytes") == true)
        #expect(try platform.send(recording(number: 8, on: platform)).receipt != nil)
        try platform.set("{\"body\":1001}")
        #expect(try platform.send(recording(large, on: platform)).receipt != nil)
        #expect(try platform.uploads().count == 2)
    }

    @Test func aServerThatTakesAndNeverAnswersIsGivenUp() throws {
        let platform = try Self.platform([:], ["timeout_seconds": 1])
        try platform.set("{\"mute\":\"PUT\"}")
        var job = platform.job(try recording(on: platform))
        let began = ContinuousClock.now
        #expect(throws: TransportError.self) { try platform.send(&job) }
        #expect(ContinuousClock.now - began < patience && job.location == "records/1")
        try platform.set("{\"mute\":\"\"}")
        job.offset = nil
        #expect(try platform.send(&job).receipt != nil && platform.uploads().count == 1)
    }

    @Test func anEmptyFileIsRefused() throws {
        let platform = try Self.platform()
        #expect(try platform.send(recording("", on: platform)).refusal?.hasSuffix("is empty") == true)
    }

    /// What another way of sending kept as its place, before the configuration was changed.
    @Test func aPlaceOfAnotherKindIsForgotten() throws {
        let platform = try Self.platform()
        for (number, place) in ["1000 0 ", "records/", "records/x", "https://lab.example/1"].enumerated() {
            var job = platform.job(try recording(number: number + 1, on: platform))
            job.location = place
            #expect(try platform.send(&job).receipt != nil, "\(place)")
        }
    }

    // MARK: The agent

    @Test func aRecordingGoesThroughOutboxAndLane() async throws {
        let platform = try Self.platform()
        let database = try StudyDatabase(.memory, recordings: platform.folder)
        let made = UploadFixture.context(HastyClock(haste: 20))
        let uploader = Uploader(
            database, to: [platform.destination],
            context: UploadContext(
                clock: made.clock, recordings: platform.folder, stamp: made.stamp, report: made.report),
            seed: 1, userAgent: "t")
        try await UploadFixture.append([recording(on: platform)], to: database)
        try platform.set("{\"upload_next\":[{\"on\":\"PUT\",\"status\":500}]}")
        async let running: Void = uploader.run()
        try await database.reaches { $0.items[.delivered] == 1 }
        uploader.stop()
        await running
        #expect(try platform.uploads().count == 1)
    }

    @Test(arguments: [
        ("accelerometer", "cwa", true), ("sound", "flac", true), ("features", "features", true),
    ]) func allRecordingsGoThere(_ kind: String, _ format: String, _ isTaken: Bool) throws {
        let platform = try Self.platform()
        var description = RecordingDescription(fileName: "a", contentType: "text/csv", countedUnit: .samples)
        (description.kind, description.identifier, description.format) = (kind, kind, format)
        let routes = DeliveryRoutes([ConfiguredDestination(platform.destination, takes: .both)])
        #expect(routes.recordings(description) == ["radar"])
        description.task = .init(task: "t", run: "r", step: "s", recorders: [])
        description.age = .init(recipients: 1, contentType: "text/csv")
        #expect(routes.recordings(description) == ["radar"])
        #expect(!routes.takesDescriptions("radar"), "it is in the record")
    }

    @Test(arguments: [
        ("", ""), ("upload_url = 'https://u.example/api/'", ""), ("upload_url = 'u.example'", "upload_url"),
        ("[seal]\nrecipients = ['\(RadarDestinationTests.age)']", ""),
        ("features_topic = 'a'\n[seal]\nrecipients = ['\(RadarDestinationTests.age)']", "reads recordings, and sealed"),
    ]) func itsTableIsCheckedWithItsLines(_ more: String, _ words: String) {
        let text =
            "board = 'b'\n[[destination]]\nkind = 'radar'\ntakes = 'both'\nurl = 'https://r.example'\n"
            + "enrolment = 'radar'\nclient_id = 'studyd'\nsource_id = 's'\nupload_source_type = 'studyd'\n\(more)\n"
        do {
            _ = try AgentConfiguration(parsing: text, file: "s.toml")
            #expect(words.isEmpty)
        } catch {
            #expect(!words.isEmpty && "\(error)".contains(words) && "\(error)".hasPrefix("s.toml:"), "\(error)")
        }
    }

    // MARK: The backend's published cases

    /// What its tests ask for, so that the stand-in is as strict. Each row after the first works on record 1.
    ///
    /// | case | source (radar-upload-source-connector a3b0a48) |
    /// |---|---|
    /// | health | radar-upload-backend RecordResourceTest.create |
    /// | created, READY at revision 1 | integration-test TestBase.createRecord, .markReady; RecordRepositoryImplTest.create |
    /// | a second file, one of the same name | RecordRepositoryImplTest.updateContent, .deleteContent |
    /// | name in the address | RecordMapperImplTest |
    /// | source types | UploadBackendClientIntegrationTest.requestAllConnectors, .requestConnectorConfigurations |
    /// | refusals | RecordResource.kt (validateNewRecord, putContents), RecordRepositoryImpl.kt (updateMetadata) |
    @Test func theStandInAnswersAsTheBackendsTestsSay() throws {
        let platform = try Self.platform(["source_id": "s1", "source_producer": ""])
        _ = try platform.send(RadarPlatform.answer())
        let pairings = try RadarPairings(in: platform.folder + "/destinations/radar.json")
        func ask(
            _ method: String, _ path: String, _ body: String? = nil, _ type: String = "application/json",
            isKnown: Bool = true
        ) throws -> (status: Int, body: String) {
            platform.client.credentials.token = isKnown ? pairings.all.last?.access : nil
            let response = try platform.client.send(
                HTTPRequest(
                    method: method, url: platform.server.url("/upload/api" + path),
                    headers: type.isEmpty ? [] : [.init(name: "Content-Type", value: type)],
                    body: body.map { .bytes(Array($0.utf8)) } ?? .none))
            return (response.status, String(decoding: response.body, as: UTF8.self))
        }
        let data = "\"data\":{\"projectId\":\"radar\",\"userId\":\"sub-1\",\"sourceId\":\"s1\"}"
        let ours = "{\(data),\"sourceType\":\"studyd\"}"
        let rows: [(String, String, String?, String, Int, String)] = [
            ("GET", "/health", nil, "", 200, ""),
            ("POST", "/records", ours, "application/json", 201, "\"status\": \"INCOMPLETE\""),
            ("PUT", "/records/1/contents/test2.jpg", "something", "text/plain", 201, "\"size\": 9"),
            ("PUT", "/records/1/contents/test2.jpg", "else", "text/plain", 201, "\"size\": 9"),
            ("GET", "/records/1/contents/test2.jpg", nil, "", 200, "else"),
            ("DELETE", "/records/1/contents/test2.jpg", nil, "", 204, ""),
            ("DELETE", "/records/1/contents/test2.jpg", nil, "", 404, "file_not_found"),
            (
                "PUT", "/records/1/contents/test%20123%20(1).zip", "a", "application/zip", 201,
                "/upload/api/records/1/contents/test%20123%20%281%29.zip\""
            ),
            ("PUT", "/records/1/contents/a", "", "text/plain", 400, "content-length-not-specified"),
            ("PUT", "/records/1/contents/a", "a", "", 500, "unknown"),
            ("PUT", "/records/9/contents/a", "a", "text/plain", 404, "record_not_found"),
            (
                "POST", "/records/1/metadata", "{\"status\":\"READY\",\"revision\":2}", "application/json", 409,
                "_revision"
            ),
            (
                "POST", "/records/1/metadata", "{\"status\":\"DONE\",\"revision\":1}", "application/json", 400,
                "unknown_"
            ),
            (
                "POST", "/records/1/metadata", "{\"status\":\"SUCCEEDED\",\"revision\":1}", "application/json", 409,
                "incompatible_status"
            ),
            (
                "POST", "/records/1/metadata", "{\"status\":\"READY\",\"revision\":1}", "application/json", 200,
                "\"revision\": 2, \"status\": \"READY\""
            ),
            ("PUT", "/records/1/contents/a", "a", "text/plain", 409, "incompatible_status"),
            ("GET", "/records/1/metadata", nil, "", 200, "\"revision\": 2"),
            ("GET", "/records?projectId=radar&userId=sub-1&size=1", nil, "", 200, "\"totalElements\": 1"),
            ("GET", "/records?userId=sub-1", nil, "", 400, "missing_project"),
            ("GET", "/records?projectId=radar&userId=sub-2", nil, "", 403, "permission_mismatch"),
            ("POST", "/records", "{\(data),\"sourceType\":\"x\"}", "application/json", 400, "source_type_not_found"),
            ("POST", "/records", "{\(data)}", "application/json", 400, "field_missing"),
            (
                "POST", "/records", ours.replacing("radar", with: "nowhere"), "application/json", 404,
                "project_not_found"
            ),
            ("POST", "/records", "{\"id\":1,\(ours.dropFirst())", "application/json", 400, "field_forbidden"),
            ("POST", "/records", "{\"metadata\":{},\(ours.dropFirst())", "application/json", 400, "field_forbidden"),
            ("GET", "/source-types", nil, "", 200, "studyd"), ("GET", "/source-types/studyd", nil, "", 200, "studyd"),
            ("GET", "/source-types/x", nil, "", 404, ""),
        ]
        for (method, path, body, type, status, words) in rows {
            let answer = try ask(method, path, body, type)
            #expect(
                answer.status == status && (words.isEmpty || answer.body.contains(words)),
                "\(method) \(path): \(answer)")
        }
        #expect(try ask("GET", "/records/1", isKnown: false).status == 401)
        #expect(try ask("GET", "/source-types", isKnown: false).status == 200, "it needs no token")
    }
}
