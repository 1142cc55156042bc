// SPDX-License-Identifier: Apache-2.0
import Testing
import Times

@testable import StudyReceiver

/// 507 is WebDAV's "Insufficient Storage" (RFC 4918 §11.5); a device takes it for a plea to come later.
@Suite(.timeLimit(.minutes(10))) struct QuotaTests {
    private func create(_ url: String, _ length: Int, user: String) async throws -> String {
        let encoded = try await run(["base64", "-w0"], input: user)
        return try await curl(
            "-X", "POST", "-H", "Tus-Resumable: 1.0.0", "-H", "Upload-Length: \(length)", "-H",
            "Upload-Metadata: user_id \(encoded)",
            url + "/files")
    }

    @Test func aDeviceThatHasItsShareKeepsTheRestAndOthersDoNotNoticeIt() async throws {
        try await withFolder { folder in
            try await withReceiver(folder, { $0.deviceQuota = 10_000 }) { url, _ in
                #expect(try await create(url, 9_500, user: "ABDEG234").hasPrefix("HTTP/1.1 201"))
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

    /// A participant of MyStudies is known by a key; another's share is another's.
    @Test func aParticipantOfMyStudiesWhoHasTheirShareIsToldToComeLaterAndOthersDoNotNoticeIt() async throws {
        typealias Tests = MyStudiesRoutesTests
        try await Tests.withLab(quota: 2_000) { lab in
            let (first, second) = (try await Tests.enroll(lab.url), try await Tests.enroll(lab.url, "QWERTYUIE"))
            func send(_ key: String) async throws -> String {
                try await run([
                    "curl", "-s", "-i", "--max-time", "20", "-H", "Content-Type: application/json", "--data-binary",
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
        let archive = try Archive(.memory)
        let now = Instant(seconds: 1_780_000_000)
        #expect(try await archive.enroll("k", study: "S", token: nil, sharing: "true", at: now))
        let id = try #require(try await archive.participant("k")?.id)
        for _ in 0..<3 {
            _ = try await archive.keep(run: [1, 2, 3, 4], of: id, activity: "A", version: "1", at: now)
        }
        #expect(try await archive.runBytes(of: id) == 12)
        try await archive.withdraw(id, forgetsKey: false, deletes: true, at: now)
        #expect(try await archive.runBytes(of: id) == 0)
    }

    @Test func aDiskThatIsNearlyFullTakesNothingMore() async throws {
        try await withFolder { folder in
            try DiskFile.makeDirectory(folder)
            let quota = Quota(archive: try Archive(.memory), directory: folder, perDevice: .max, free: 0)
            try quota.checkDisk()
            #expect(throws: (any Error).self) { try quota.checkDisk(for: .max) }
            await #expect(throws: (any Error).self) { try await quota.admit(.max, of: "x") }
        }
    }

    @Test func whatIsDeletedOrTheSameIsGivenBack() async throws {
        try await withFolder { folder in
            try await withReceiver(folder, { $0.deviceQuota = 10_000 }) { url, _ in
                let created = try await create(url, 9_500, user: "a")
                let place =
                    created.split(whereSeparator: \.isNewline).first { $0.hasPrefix("Location: ") }?.dropFirst(10) ?? ""
                #expect(
                    try await curl("-X", "DELETE", "-H", "Tus-Resumable: 1.0.0", url + place).hasPrefix("HTTP/1.1 204"))
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
