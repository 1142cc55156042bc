// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit
import Testing

@testable import Lab
@testable import StandIns

/// 507 is WebDAV's "Insufficient Storage" (RFC 4918 §11.5); a device takes it for a
/// plea to come later.
@Suite(.timeLimit(.minutes(10))) struct QuotaTests {
    private func create(_ url: String, _ length: Int, user: String) async throws -> String {
        let encoded = try await run(["base64", "-w0"], input: user)
        return try await curl(
            "-X", "POST", "-H", "Tus-Resumable: 1.0.0", "-H", "Upload-Length: \(length)", "-H",
            "Upload-Metadata: user_id \(encoded)",
            url + "/files")
    }

    private func place(_ created: String, _ url: String) throws -> String {
        let line = try #require(
            created.split(whereSeparator: \.isNewline).first { $0.hasPrefix("Location: ") }, "\(created)")
        return url + line.dropFirst(10)
    }

    private func patch(_ place: String, at offset: Int, _ bytes: Int) async throws -> String {
        try await run(
            [
                "curl", "-s", "-S", "-i", "--max-time", "300", "-X", "PATCH", "-H", "Tus-Resumable: 1.0.0", "-H",
                "Upload-Offset: \(offset)", "-H",
                "Content-Type: application/offset+octet-stream", "-H", "Expect:", "--data-binary", "@-", place,
            ], input: String(repeating: "x", count: bytes))
    }

    @Test func aDeviceThatHasItsShareKeepsTheRestAndOthersDoNotNoticeIt() async throws {
        try await withFolder { folder in
            try await withReceiver(folder, { $0.deviceQuota = 10_000 }) { url, _ in
                let first = try place(try await create(url, 9_900, user: "ABDEG234"), url)
                #expect(try await patch(first, at: 0, 9_500).hasPrefix("HTTP/1.1 204"))
                #expect(try await create(url, 600, user: "ABDEG234").hasPrefix("HTTP/1.1 507"))
                #expect(try await create(url, 600, user: "other").hasPrefix("HTTP/1.1 201"))
                let fields = SchemaPostTests.response.flatMap { ["--form-string", "\($0.0)=\($0.1)"] }
                let answers = try await [0, 1].asyncMap { _ in
                    try await run(["curl", "-s", "-i"] + fields + [url + "/schema"])
                }
                #expect(answers.allSatisfy { $0.hasPrefix("HTTP/1.1 507") }, "\(answers)")
                let devices = try await curl(url + "/api/devices")
                #expect(devices.contains(#""user":"ABDEG234""#) && devices.contains(#""bytes":9500"#))
            }
        }
    }

    /// Twenty uploads, announced in a participant's name without a byte, of which a device may have sixteen.
    @Test func announcementsTakeNoRoom() async throws {
        try await withFolder { folder in
            // Not of GiB: what is announced has to fit on the disk, on which other tests write, too.
            try await withReceiver(folder, { $0.deviceQuota = 64_000 }) { url, _ in
                for _ in 0..<20 { _ = try place(try await create(url, 4_000, user: "ABDEG234"), url) }
                let fields = SchemaPostTests.response.flatMap { ["--form-string", "\($0.0)=\($0.1)"] }
                #expect(try await run(["curl", "-s", "-i"] + fields + [url + "/schema"]).hasPrefix("HTTP/1.1 200"))
                #expect(try await create(url, 4_000, user: "ABDEG234").hasPrefix("HTTP/1.1 201"))
            }
        }
    }

    /// Of several that each fit no more comes than fits of all together; a plea to come later (507)
    /// leaves what came, and other devices are served.
    @Test func whatComesCountsByteForByte() async throws {
        try await withFolder { folder in
            try await withReceiver(folder, { $0.deviceQuota = 10_000 }) { url, _ in
                let first = try place(try await create(url, 9_000, user: "a"), url)
                let second = try place(try await create(url, 9_000, user: "a"), url)
                #expect(try await patch(first, at: 0, 6_000).hasPrefix("HTTP/1.1 204"))
                #expect(try await patch(second, at: 0, 6_000).hasPrefix("HTTP/1.1 507"))
                #expect(try await patch(first, at: 6_000, 3_000).hasPrefix("HTTP/1.1 204"))
                #expect(try await curl(url + "/api/devices").contains("\"bytes\":9000"))
            }
        }
    }

    /// A hundred and five beginnings, empty or of a byte each, in the name of a participant with a
    /// recording that has half come.
    @Test(arguments: [0, 1]) func emptyBeginningsDoNotPushOutWhatHasCome(bytes: Int) async throws {
        try await withFolder { folder in
            try await withReceiver(folder) { url, _ in
                let half = try place(try await create(url, 9_000, user: "a"), url)
                #expect(try await patch(half, at: 0, 4_500).hasPrefix("HTTP/1.1 204"))
                let script = """
                    import http.client, sys
                    c = http.client.HTTPConnection('127.0.0.1', int(sys.argv[1].split(':')[2]))
                    def ask(method, path, fields, body=b''):
                        c.request(method, path, body, {'Tus-Resumable': '1.0.0', **fields}); r = c.getresponse(); r.read(); return r
                    for _ in range(105):
                        r = ask('POST', '/files', {'Upload-Length': '10', 'Upload-Metadata': 'user_id YQ=='})
                        if \(bytes): ask('PATCH', r.getheader('Location'), {'Upload-Offset': '0', 'Content-Type': 'application/offset+octet-stream'}, b'x')
                    """
                try await run(["python3", "-c", script, url])
                #expect(try await curl("-I", "-H", "Tus-Resumable: 1.0.0", half).contains("Upload-Offset: 4500"))
                #expect(try await patch(half, at: 4_500, 4_500).hasPrefix("HTTP/1.1 204"))
                // And one that begins now is not the first to go.
                let new = try place(try await create(url, 10, user: "a"), url)
                #expect(try await patch(new, at: 0, 10).hasPrefix("HTTP/1.1 204"))
            }
        }
    }

    /// A participant of MyStudies is known by a key; another's share is another's.
    @Test func aParticipantOfMyStudiesWhoHasTheirShareIsToldToComeLaterAndOthersDoNotNoticeIt() async throws {
        typealias Tests = MyStudiesRoutesTests
        try await Tests.withLab(quota: 2_000) { lab in
            let (first, second) = (try await Tests.enroll(lab.url), try await Tests.enroll(lab.url, "QWERTYUIE"))
            func send(_ key: String) async throws -> String {
                try await run([
                    "curl", "-s", "-i", "--max-time", "300", "-H", "Content-Type: application/json", "--data-binary",
                    Tests.run(key, Tests.good), lab.url + "/response-processResponse.api",
                ])
            }
            let size = Tests.run(first, Tests.good).utf8.count
            for number in 1...2_000 / size + 1 {
                let answer = try await send(first)
                #expect(
                    answer.hasPrefix(number * size <= 2_000 ? "HTTP/1.1 200" : "HTTP/1.1 507"), "\(number): \(answer)")
            }
            #expect(try await send(second).hasPrefix("HTTP/1.1 200"))
            // Who leaves with everything gives it back: the count falls with what was kept.
            let left = try await curl(
                "-X", "POST", lab.url + "/response-withdrawFromStudy.api?participantId=\(first)&delete=true")
            #expect(left.contains("\"success\":true"), "\(left)")
        }
    }

    @Test func whatIsKeptOfAnAccountIsBoundedToo() async throws {
        try await MyStudiesRegistrationTests.withSession(quota: 3_000) { session in
            let name = String(repeating: "x", count: 900)
            var answers: [String] = []
            for number in 1...5 {
                let body = #"{"studyId":"S1","activity":[{"activityId":"A\#(number)","activityRunId":"\#(name)"}]}"#
                answers.append(try await session.post("updateActivityState", body))
            }
            #expect(answers[0].hasPrefix("HTTP/1.1 200") && answers[4].hasPrefix("HTTP/1.1 507"), "\(answers)")
        }
    }

    @Test func bytesOfRunsAreCountedAsTheyComeAndGo() async throws {
        let store = try MyStudiesStore(.memory)
        let now = Instant(seconds: 1_780_000_000)
        #expect(try await store.enroll("k", study: "S", token: nil, sharing: "true", at: now))
        let id = try #require(try await store.participant("k")?.id)
        for _ in 0..<3 {
            _ = try await store.keep(run: [1, 2, 3, 4], of: id, activity: "A", version: "1", at: now)
        }
        #expect(try await store.runBytes(of: id) == 12)
        try await store.withdraw(id, forgetsKey: false, deletes: true, at: now)
        #expect(try await store.runBytes(of: id) == 0)
    }

    @Test func aDiskThatIsNearlyFullTakesNothingMore() async throws {
        try await withFolder { folder in
            try File.makeFolder(folder)
            let quota = Quota(archive: try Archive(.memory), directory: folder, perDevice: .max, free: 0)
            try quota.checkDisk()
            #expect(throws: (any Error).self) { try quota.checkDisk(for: .max) }
            await #expect(throws: (any Error).self) { try await quota.admit(.max, of: "x") }
        }
    }

    /// To the last byte, and nothing where all is used already.
    @Test(
        arguments: [
            (0, 100, true), (99, 1, true), (100, 0, true), (0, 101, false), (99, 2, false), (100, 1, false),
            (101, 0, false), (0, .max, false), (.max, .max, false),
        ] as [(Int64, Int64, Bool)])
    func aShareIsUsedToItsLastByte(used: Int64, bytes: Int64, fits: Bool) async throws {
        try await withFolder { folder in
            try File.makeFolder(folder)
            let quota = Quota(archive: try Archive(.memory), directory: folder, perDevice: 100, free: 0)
            var status: Int?
            do throws(HTTPFailure) { try quota.check(bytes, beside: used, of: "device", 100) } catch {
                status = error.status
            }
            #expect(status == (fits ? nil : 507))
        }
    }

    /// Files of a device with a key take no room from its answers: nor from the reasons why one is refused, else it
    /// would be sent for ever (507), and the lab would not see why.
    @Test(arguments: [(true, 0), (false, 507)]) func aRefusalIsNotedBesideFilesThatFillAll(isKeyed: Bool, status: Int)
        async throws
    {
        try await withFolder { folder in
            try File.makeFolder(folder)
            let archive = try Archive(.memory)
            let keys = try DeviceKeys(.memory)
            if isKeyed { try await keys.add([("a", TestDevice(1).publicKey)], at: .epoch) }
            let quota = Quota(archive: archive, directory: folder, perDevice: 1000, free: 0, keys: keys)
            let uploads = try UploadFolder(folder, archive, quota: quota, retention: .seconds(60))
            _ = try await uploads.create(
                Upload(
                    id: "u", user: "a", kind: "", name: "f", metadata: "{}", length: 1000, offset: 0, created: .epoch,
                    changed: .epoch, expected: nil, mismatches: 0))
            try await uploads.begin("u", at: 0, checksum: nil, length: nil)
            try await uploads.append("u", [UInt8](repeating: 1, count: 1000), now: .epoch)
            _ = try await uploads.end("u", isWhole: true, now: .epoch)
            try await quota.admitRefusal(of: "a")
            try await archive.refuse(["x"], path: "/schema", user: "a", at: .epoch)
            let failure: HTTPFailure?
            do {
                try await quota.admitRefusal(of: "a")
                failure = nil
            } catch { failure = error as? HTTPFailure }
            #expect(failure?.status ?? 0 == status)
            // Refusals count themselves, with a key and without.
            for _ in 0..<10 {
                try await archive.refuse(
                    [String(repeating: "x", count: 100)], path: "/schema", user: "a", at: .epoch)
            }
            await #expect(throws: HTTPFailure.self) { try await quota.admitRefusal(of: "a") }
        }
    }

    /// Where only the holder of a key can send files, posts of strangers take no room from them.
    @Test(arguments: [false, true]) func postsTakeRoomFromFilesUnlessTheNameHasAKey(isKeyed: Bool) async throws {
        try await withFolder { folder in
            try File.makeFolder(folder)
            let (archive, keys) = (try Archive(.memory), try DeviceKeys(.memory))
            if isKeyed { try await keys.add([("ABDEG234", TestDevice(1).publicKey)], at: .epoch) }
            let post = SchemaPostTests.post(SchemaPostTests.response)
            try await archive.store(post, path: "/schema", at: Instant(seconds: 1_780_000_000))
            let posted = try #require(try await archive.device("ABDEG234")).bytes
            try #require(posted > 100)
            let quota = Quota(archive: archive, directory: folder, perDevice: posted + 100, free: 0, keys: keys)
            let room = isKeyed ? posted + 100 : 100
            try await quota.admitFile(room, of: "ABDEG234")
            let failure = await #expect(throws: HTTPFailure.self) {
                try await quota.admitFile(room + 1, of: "ABDEG234")
            }
            #expect(failure?.status == 507)
            // Another post finds what the first has left, key or not.
            try await quota.admit(100, of: "ABDEG234")
            await #expect(throws: HTTPFailure.self) { try await quota.admit(101, of: "ABDEG234") }
        }
    }

    @Test func whatIsDeletedOrTheSameIsGivenBack() async throws {
        try await withFolder { folder in
            try await withReceiver(folder, { $0.deviceQuota = 10_000 }) { url, _ in
                let upload = try place(try await create(url, 9_900, user: "a"), url)
                #expect(try await patch(upload, at: 0, 9_500).hasPrefix("HTTP/1.1 204"))
                #expect(try await create(url, 9_500, user: "a").hasPrefix("HTTP/1.1 507"))
                #expect(
                    try await curl("-X", "DELETE", "-H", "Tus-Resumable: 1.0.0", upload).hasPrefix("HTTP/1.1 204"))
                #expect(try await create(url, 9_500, user: "a").hasPrefix("HTTP/1.1 201"))
            }
        }
    }
}

extension Array {
    /// One after the other.
    fileprivate func asyncMap<Value>(_ body: (Element) async throws -> Value) async rethrows -> [Value] {
        var values: [Value] = []
        for element in self { values.append(try await body(element)) }
        return values
    }
}
