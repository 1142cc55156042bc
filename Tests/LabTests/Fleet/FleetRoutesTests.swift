// SPDX-License-Identifier: Apache-2.0
import Base
import Database
import Foundation
import SystemKit
import Testing

@testable import Lab
@testable import StandIns

@Suite(.timeLimit(.minutes(10))) struct FleetRoutesTests {
    private static let device = TestDevice(1)
    private static let other = TestDevice(2)

    private func post(
        _ url: String, _ body: String, by device: TestDevice? = nil, _ more: [String] = []
    ) async throws -> String {
        let type = ("Content-Type", "application/json")
        let fields = try device?.options("POST", url, [type], body: body) ?? ["-H", "\(type.0): \(type.1)"]
        return try await run(
            ["curl", "-s", "-S", "-i", "--max-time", "60", "--data-binary", "@-"] + fields + more + [url], input: body)
    }

    private func json(_ url: String) async throws -> JSONValue {
        try JSONReader.value(try await run(["curl", "-s", url]))
    }

    @Test func aReportIsReceivedAndShown() async throws {
        try await withFolder { folder in
            try await withReceiver(folder) { url, _ in
                let low = try FleetSamples.value(["disk.low": "true"]).text
                let answer = try await post(url + "/reports", low, ["-H", "Studyd-Device: board-1"])
                #expect(answer.hasPrefix("HTTP/1.1 200") && answer.hasSuffix("{\"received\":17}\n"))
                let device = try await json(url + "/api/fleet")["devices"]?.array?.first
                #expect(device?["attention"]?.array?.first?["kind"] == .string("disk"))
                #expect(device?["report"]?["temperature"]?.double == 48.2)
                #expect(
                    try await json(url + "/api/prompts?device=board-1").array?.first?["reason"] == .string("device-off")
                )
                #expect(try await json(url + "/api/trends?device=board-1").array?.count == 1)
                let page = try await run(["curl", "-s", url + "/"])
                #expect(page.contains("1 of 1 device needs attention") && page.contains("low disk"))
            }
        }
    }

    private func post(_ url: String, _ body: String, _ more: [String]) async throws -> String {
        try await post(url, body, by: nil, more)
    }

    @Test func whatCannotBeBelievedIsNamedAndNotKept() async throws {
        try await withFolder { folder in
            try await withReceiver(folder) { url, _ in
                let secret = "a secret of somebody"
                for (body, status) in [
                    ("{", 400), ("[]", 400), (#"{"format":"studyd-report"}"#, 400),
                    (try FleetSamples.value(["power.battery": "7", "note": "\"\(secret)\""]).text, 400),
                ] {
                    let answer = try await post(url + "/reports", body)
                    #expect(answer.hasPrefix("HTTP/1.1 \(status)"), "\(answer)")
                    #expect(answer.contains(#""error":"#) && answer.contains(#""remedy":"#))
                }
                #expect(
                    try await post(url + "/reports", String(repeating: " ", count: 65_536)).hasPrefix("HTTP/1.1 400"))
                #expect(
                    try await post(url + "/reports", String(repeating: " ", count: 65_537)).hasPrefix("HTTP/1.1 413"))
                let other = try await post(
                    url + "/reports", FleetSamples.text, ["-H", "Studyd-Device: board-2"])
                #expect(other.hasPrefix("HTTP/1.1 400"))
                let refusals = try await run(["curl", "-s", url + "/api/refusals"])
                #expect(
                    refusals.contains("power.battery has to be a number from 0.0 to 1.0") && !refusals.contains(secret))
                #expect(try await json(url + "/api/fleet")["devices"]?.array?.isEmpty == true)
            }
        }
    }

    @Test func aManifestNamesWhatIsNeitherHereNorExplained() async throws {
        try await withFolder { folder in
            try await withReceiver(folder) { url, _ in
                let sum = try await run(["sha256sum"], input: "abc").prefix(64)
                let place = try await upload(url, "abc", name: "one.cwa", user: "P007", by: nil)
                #expect(place.hasPrefix("HTTP/1.1 204"))
                let fields = SchemaPostTests.log.flatMap { ["--form-string", "\($0.0)=\($0.1)"] }
                _ = try await run(["curl", "-s"] + fields + [url + "/schema"])
                func entry(_ id: String, _ sum: String, _ state: String, _ why: String = "null") -> String {
                    let fields =
                        #""name":"\#(id).cwa","sha256":"\#(sum)","bytes":3,"count":1,"state":"\#(state)","why":\#(why)"#
                    return #"{"kind":"recording","id":"\#(id)",\#(fields)}"#
                }
                let none = String(repeating: "0", count: 64)
                let entries = [
                    entry("1", String(sum), "delivered"), entry("2", none, "delivered"),
                    entry("3", none, "given up", #""the disk was full""#), entry("4", none, "waiting"),
                ]
                let manifest = #"""
                    {"format":"studyd-manifest","version":1,"device":"board-1","study":"mood","participant":"P007",
                    "enrolment":"e1","day":"2026-11-25","entries":[\#(entries.joined(separator: ","))]}
                    """#
                #expect(try await post(url + "/manifests", manifest).hasPrefix("HTTP/1.1 409"))
                _ = try await post(url + "/reports", FleetSamples.text)
                #expect(try await post(url + "/manifests", manifest).hasSuffix("{\"received\":\"2026-11-25\"}\n"))
                let missing = try await json(url + "/api/missing")["missing"]?.array
                #expect(missing?.map { $0["id"] } == [.string("2")])
                #expect(try await run(["curl", "-s", url + "/"]).contains("neither here nor explained"))
            }
        }
    }

    /// One file by tus, in one piece; what the last answer was.
    private func upload(
        _ url: String, _ content: String, name: String, user: String, by device: TestDevice?
    ) async throws -> String {
        func send(_ method: String, _ url: String, _ fields: [(String, String)], _ body: String = "") async throws
            -> String
        {
            let fields = [("Tus-Resumable", "1.0.0")] + fields
            let options =
                try device?.options(method, url, fields, body: body)
                ?? fields.flatMap { ["-H", "\($0.0): \($0.1)"] }
            let data = body.isEmpty ? [] : ["--data-binary", "@-"]
            return try await run(["curl", "-s", "-i", "-X", method] + options + data + [url], input: body)
        }
        let (name, user) = (Base64.encoded(Array(name.utf8)), Base64.encoded(Array(user.utf8)))
        let created = try await send(
            "POST", url + "/files",
            [
                ("Upload-Length", "\(content.utf8.count)"), ("Upload-Metadata", "user_id \(user),filename \(name)"),
            ])
        guard let line = created.split(whereSeparator: \.isNewline).first(where: { $0.hasPrefix("Location: ") }) else {
            return created
        }
        return try await send(
            "PATCH", url + line.dropFirst(10),
            [("Upload-Offset", "0"), ("Content-Type", "application/offset+octet-stream")], content)
    }

    @Test func aPinnedNameNeedsItsKeyForFilesAndReports() async throws {
        try await withFolder { folder in
            try await withReceiver(folder, { $0.deviceKeys = .pin }) { url, _ in
                #expect(try await post(url + "/reports", FleetSamples.text, by: Self.device).hasPrefix("HTTP/1.1 200"))
                for device in [nil, Self.other] {
                    let report = try await post(url + "/reports", FleetSamples.text, by: device)
                    #expect(report.hasPrefix("HTTP/1.1 401") && report.contains(#""remedy":"#))
                    #expect(report.contains("Accept-Signature: s=("))
                    let file = try await upload(url, "abc", name: "a", user: "P007", by: device)
                    #expect(file.hasPrefix("HTTP/1.1 401"), "\(file)")
                }
                #expect(
                    try await upload(url, "abc", name: "a", user: "P007", by: Self.device).hasPrefix("HTTP/1.1 204"))
                #expect(try await upload(url, "abc", name: "a", user: "P008", by: nil).hasPrefix("HTTP/1.1 204"))
                let kinds = try await json(url + "/api/fleet")["devices"]?.array?.first?["attention"]?.array
                #expect(kinds?.map { $0["kind"] } == [.string("cloned")])
            }
        }
    }

    @Test func aRevokedOneIsForbiddenAtOnceAndOthersAreNot() async throws {
        try await withFolder { folder in
            try await withReceiver(folder, { $0.deviceKeys = .pin }) { url, _ in
                _ = try await post(url + "/reports", FleetSamples.text, by: Self.device)
                try await DeviceKeys(.file(folder + "/devices.sqlite")).revoke("P007", at: StillClock().now)
                let report = try await post(url + "/reports", FleetSamples.text, by: Self.device)
                #expect(report.hasPrefix("HTTP/1.1 403") && report.contains("revoked") && report.contains("remedy"))
                #expect(
                    try await upload(url, "abc", name: "a", user: "P007", by: Self.device).hasPrefix("HTTP/1.1 403"))
                try await DeviceKeys(.file(folder + "/devices.sqlite")).revoke("ABDEG234", at: StillClock().now)
                let fields = SchemaPostTests.response.flatMap { ["--form-string", "\($0.0)=\($0.1)"] }
                let answer = try await run(["curl", "-s", "-i"] + fields + [url + "/schema"])
                #expect(answer.hasPrefix("HTTP/1.1 403"))
                // Those that the lost key signed; unsigned ones may be anyone's.
                let tries = try await json(url + "/api/refusals").array ?? []
                #expect(tries.map { $0["path"] } == [.string("/files"), .string("/reports")])
                #expect(tries.allSatisfy { $0["user"] == .string("P007") })
                let archive = ["-H", "X-Participant: ABDEG234", "--data-binary", "PK", url + "/sage"]
                #expect(try await run(["curl", "-s", "-i"] + archive).hasPrefix("HTTP/1.1 403"))
                let next = try FleetSamples.value(["participant": "\"P008\"", "device": "\"board-2\""]).text
                #expect(try await post(url + "/reports", next, by: Self.other).hasPrefix("HTTP/1.1 200"))
                let page = try await run(["curl", "-s", url + "/"])
                #expect(page.contains("revoked") && page.contains("1 of 2 devices needs attention"))
            }
        }
    }

    @Test(arguments: [(nil, 401), (2, 401), (1, 200)] as [(UInt8?, Int)])
    func whereKeysAreRequiredOnlyListedOnesAreGood(number: UInt8?, status: Int) async throws {
        try await withFolder { folder in
            try await withReceiver(folder, { $0.deviceKeys = .required }) { url, _ in
                let device = number.map(TestDevice.init)
                try await DeviceKeys(.file(folder + "/devices.sqlite")).add(
                    [("P007", Self.device.publicKey)], at: StillClock().now)
                #expect(try await post(url + "/reports", FleetSamples.text, by: device).hasPrefix("HTTP/1.1 \(status)"))
                let file = try await upload(url, "abc", name: "a", user: "P007", by: device)
                #expect(file.hasPrefix("HTTP/1.1 \(status == 200 ? 204 : status)"))
            }
        }
    }

    /// A name with a key is its device's alone; what has none is taken as platforms' apps send it.
    @Test func answersInANameWithAKeyHaveToBeSigned() async throws {
        try await withFolder { folder in
            try await withReceiver(folder, { $0.deviceKeys = .pin }) { url, _ in
                let form = SchemaPostTests.response.flatMap { ["--form-string", "\($0.0)=\($0.1)"] }
                #expect(try await run(["curl", "-s", "-i"] + form + [url + "/schema"]).hasPrefix("HTTP/1.1 200"))
                let report = try FleetSamples.value(["participant": "\"ABDEG234\""]).text
                #expect(try await post(url + "/reports", report, by: Self.device).hasPrefix("HTTP/1.1 200"))
                #expect(try await run(["curl", "-s", "-i"] + form + [url + "/schema"]).hasPrefix("HTTP/1.1 401"))
                let body = SchemaPostTests.response.map { "\($0.0)=\(Self.encoded($0.1))" }.joined(separator: "&")
                let type = ("Content-Type", "application/x-www-form-urlencoded")
                func send(_ device: TestDevice) async throws -> String {
                    let options = try device.options("POST", url + "/schema", [type], body: body)
                    return try await run(
                        ["curl", "-s", "-i", "--data-binary", "@-"] + options + [url + "/schema"], input: body)
                }
                #expect(try await send(Self.device).hasPrefix("HTTP/1.1 200"))
                #expect(try await send(Self.other).hasPrefix("HTTP/1.1 401"))
            }
        }
    }

    private static func encoded(_ text: String) -> String {
        text.utf8.map { byte in
            (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                ? String(UnicodeScalar(byte)) : "%" + [byte].hexadecimal
        }.joined()
    }

    @Test func theFleetIsBehindTheToken() async throws {
        try await withFolder { folder in
            try await withReceiver(folder, { $0.token = try? AccessToken("correct-horse-battery-staple") }) { url, _ in
                for path in ["/api/fleet", "/api/missing", "/api/prompts?device=x", "/api/trends?device=x"] {
                    let answer = try await curl(url + path)
                    #expect(answer.hasPrefix("HTTP/1.1 401"), "\(path)")
                }
                let answer = try await post(url + "/reports", FleetSamples.text)
                #expect(answer.hasPrefix("HTTP/1.1 200"))
            }
        }
    }

    private func manifest(_ entries: String) -> String {
        #"""
        {"format":"studyd-manifest","version":1,"device":"board-1","study":"mood","participant":"P007",
        "enrolment":"e1","day":"2026-11-25","entries":[\#(entries)]}
        """#
    }

    /// What has come since its manifest is no longer missing, and is not looked for again.
    @Test func whatComesAfterItsManifestIsNoLongerMissing() async throws {
        try await withFolder { folder in
            try await withReceiver(folder) { url, _ in
                let sum = try await run(["sha256sum"], input: "abc").prefix(64)
                _ = try await post(url + "/reports", FleetSamples.text)
                let fields = #""name":"1.cwa","sha256":"\#(sum)","bytes":3,"count":1,"state":"delivered","why":null"#
                let entry = #"{"kind":"recording","id":"1",\#(fields)}"#
                #expect(try await post(url + "/manifests", manifest(entry)).hasPrefix("HTTP/1.1 200"))
                let fleet = try FleetArchive(.file(folder + "/fleet.sqlite"))
                func missing() async throws -> [JSONValue?]? {
                    try await json(url + "/api/missing")["missing"]?.array?.map { $0["id"] }
                }
                #expect(try await missing() == [.string("1")])
                #expect(try await fleet.absent(limit: 9).count == 1)
                let place = try await upload(url, "abc", name: "1.cwa", user: "P007", by: nil)
                #expect(place.hasPrefix("HTTP/1.1 204"))
                #expect(try await missing() == [])
                #expect(try await fleet.absent(limit: 9).isEmpty)
            }
        }
    }

    private static let absentAnswer = #"""
        {"kind":"submission","id":"1","name":null,"sha256":"\#(String(repeating: "0", count: 64))","bytes":3,"count":1,
        "state":"delivered","why":null}
        """#

    /// Answers that do not come here are no holes, whatever came of the participant's other study.
    @Test(arguments: [("s", 0), ("mood", 1)])
    func anAnswerIsMissingWhereThatStudysAnswersCome(study: String, count: Int) async throws {
        try await withFolder { folder in
            try await withReceiver(folder) { url, _ in
                let form = SchemaPostTests.response.flatMap { name, value in
                    let new = ["user_id": "P007", "study_id": study][name] ?? value
                    return ["--form-string", "\(name)=\(new)"]
                }
                _ = try await run(["curl", "-s"] + form + [url + "/schema"])
                _ = try await post(url + "/reports", FleetSamples.text)
                #expect(try await post(url + "/manifests", manifest(Self.absentAnswer)).hasPrefix("HTTP/1.1 200"))
                #expect(try await json(url + "/api/missing")["missing"]?.array?.count == count)
            }
        }
    }

    @Test(arguments: ["mystudies", "esmira"])
    func anAnswerIsMissingWhereAPlayedServerTakesThem(platform: String) async throws {
        try await withFolder { folder in
            try await withReceiver(folder) { url, _ in
                if platform == "mystudies" {
                    let store = try MyStudiesStore(.file(folder + "/mystudies.sqlite"))
                    _ = try await store.enroll("P007", study: "2601", token: nil, sharing: "NA", at: StillClock().now)
                } else {
                    let store = try ESMiraStore(.file(folder + "/esmira.sqlite"))
                    try await store.transaction { tables in
                        try tables.save(ESMiraUser(name: "P007", number: 1, joined: 0), of: 2601)
                    }
                }
                _ = try await post(url + "/reports", FleetSamples.value(["study": "\"2601\""]).text)
                let body = manifest(Self.absentAnswer).replacing("\"mood\"", with: "\"2601\"")
                #expect(try await post(url + "/manifests", body).hasPrefix("HTTP/1.1 200"))
                #expect(try await json(url + "/api/missing")["missing"]?.array?.count == 1)
            }
        }
    }

    /// An empty file, or a database without tables, is left where a server was stopped while it began.
    @Test(arguments: ["esmira", "mystudies"], [false, true])
    func noAnswerIsMissingWhereAPlayedServerHasNoTables(platform: String, isDatabase: Bool) async throws {
        try await withFolder { folder in
            try await withReceiver(folder) { url, _ in
                let path = "\(folder)/\(platform).sqlite"
                try Data().write(to: URL(fileURLWithPath: path))
                if isDatabase { try Connection(.file(path)).execute("CREATE TABLE t (c); DROP TABLE t") }
                _ = try await post(url + "/reports", FleetSamples.value(["study": "\"2601\""]).text)
                let text = manifest(Self.absentAnswer).replacing("\"mood\"", with: "\"2601\"")
                #expect(try await post(url + "/manifests", text).hasPrefix("HTTP/1.1 200"))
                #expect(try await json(url + "/api/missing")["missing"]?.array?.isEmpty == true)
                #expect(try await curl(url + "/").hasPrefix("HTTP/1.1 200"))
            }
        }
    }

    /// The digests of what was posted may be lost with a restore; a run may be deleted after it was posted.
    @Test(arguments: [(true, false, 0), (false, true, 1)])
    func anAnswerOfFDAMyStudiesIsHereWhereItsRunIs(isKept: Bool, isPosted: Bool, count: Int) async throws {
        try await withFolder { folder in
            try await withReceiver(folder) { url, _ in
                let (store, body) = (try MyStudiesStore(.file(folder + "/mystudies.sqlite")), Array("{}".utf8))
                _ = try await store.enroll("P007", study: "2601", token: nil, sharing: "NA", at: StillClock().now)
                let participant = try #require(try await store.participant("P007"))
                if isKept {
                    _ = try await store.keep(
                        run: body, of: participant.id, activity: "Diary", version: "1.0", at: StillClock().now)
                }
                _ = try await post(url + "/reports", FleetSamples.value(["study": "\"2601\""]).text)
                let answer = Self.absentAnswer.replacing(
                    String(repeating: "0", count: 64), with: try Digest(of: body).description)
                let text = manifest(answer).replacing("\"mood\"", with: "\"2601\"")
                #expect(try await post(url + "/manifests", text).hasPrefix("HTTP/1.1 200"))
                if isPosted { try await FleetArchive(.file(folder + "/fleet.sqlite")).notePosted(body) }
                #expect(try await json(url + "/api/missing")["missing"]?.array?.count == count)
            }
        }
    }

    /// Ten thousand are looked at; of one more it is said that there may be others, as of any table that is too long.
    @Test(arguments: [(10_000, 200), (10_001, 413)])
    func moreThanCanBeLookedAtIsSaid(count: Int, status: Int) async throws {
        try await withFolder { folder in
            try await withReceiver(folder) { url, _ in
                // They still wait, which is no hole within a week.
                try Connection(.file(folder + "/fleet.sqlite")).execute(
                    """
                    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
                    INSERT INTO produced (device, kind, id, participant, day, state, received, here)
                    SELECT 'd', 'recording', i, 'P007', '2026-11-25', 'waiting', \(StillClock().now.milliseconds), 0 FROM n
                    """)
                let answer = try await curl(url + "/api/missing")
                #expect(answer.hasPrefix("HTTP/1.1 \(status)"), "\(answer)")
                #expect(answer.contains(#""missing":[]"#) == (status == 200))
            }
        }
    }

    /// As after a restore, which lets all be looked for again.
    @Test func moreThanCanBeLookedAtAtOnceMayHaveArrived() async throws {
        try await withFolder { folder in
            try await withReceiver(folder) { url, _ in
                let place = try await upload(url, "abc", name: "1.cwa", user: "P007", by: nil)
                #expect(place.hasPrefix("HTTP/1.1 204"))
                try Connection(.file(folder + "/fleet.sqlite")).execute(
                    """
                    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10001)
                    INSERT INTO produced (device, kind, id, participant, day, name, state, received, here)
                    SELECT 'd', 'recording', i, 'P007', '2026-11-25', '1.cwa', 'delivered', 0, 0 FROM n
                    """)
                let answer = try await curl(url + "/api/missing")
                #expect(answer.hasPrefix("HTTP/1.1 200") && answer.contains(#""missing":[]"#), "\(answer)")
            }
        }
    }

    @Test(arguments: [(40, false), (41, true)]) func oneRequestLooksTwentyTimes(count: Int, isCut: Bool) async throws {
        try await withFolder { folder in
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            let routes = try Self.routes(FleetArchive(.file(folder + "/fleet.sqlite")), looksAt: 2)
            try await routes.archive.noteSage("5a", bytes: 1, of: "P007", at: .epoch)
            try Connection(.file(folder + "/fleet.sqlite")).execute(
                """
                WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
                INSERT INTO produced (device, kind, id, participant, day, sha256, state, received, here)
                SELECT 'd', 'recording', i, 'P007', '2026-11-25', '5a', 'delivered', 0, 0 FROM n
                """)
            #expect(try await routes.holes().isCut == isCut)
            let next = try await routes.holes()
            #expect(!next.isCut && next.items.isEmpty)
        }
    }

    private static func routes(_ fleet: FleetArchive, looksAt limit: Int) throws -> FleetRoutes {
        let (clock, keys, archive) = (StillClock(), try DeviceKeys(.memory), try Archive(.memory))
        let gate = DeviceGate(
            keys: keys, register: try LabRegister(.memory), archive: archive, mode: .off, clock: clock,
            signatures: SignatureCheck(clock: clock, secret: []))
        let watch = try FleetWatch(
            .memory, archive: fleet, keys: keys, limitsFile: "", expectedVersion: nil, makesNotices: false,
            since: .epoch, report: { _ in })
        return FleetRoutes(
            fleet: fleet, watch: watch, archive: archive, gate: gate,
            quota: Quota(archive: archive, directory: "/", perDevice: .max, free: 0),
            faults: Faults(nil, clock: clock, draw: { 0 }), clock: clock, absentLimit: limit)
    }
}
