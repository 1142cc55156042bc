// SPDX-License-Identifier: Apache-2.0
import Base
import Foundation
import SystemKit
import Testing

@testable import Lab

/// Small uploads that become large, made by zstd's own tool, and what is left over by
/// clients that go away.
@Suite(.timeLimit(.minutes(10))) struct BombTests {
    /// 256 MB of zeros in some 20 kB, with its digests by sha256sum.
    private static func bomb(_ folder: String) async throws -> (path: String, sum: String, content: String) {
        try File.makeFolder(folder)
        let path = folder + "/bomb.zst"
        try await run(["sh", "-c", "head -c 268435456 /dev/zero | zstd -q -19 --long=27 -o \(path)"])
        let sum = try await run(["sha256sum", path]).prefix(64)
        let content = try await run(["sh", "-c", "head -c 268435456 /dev/zero | sha256sum"]).prefix(64)
        return (path, String(sum), String(content))
    }

    private static let hasZstd = ["/usr/bin/zstd", "/usr/local/bin/zstd"].contains {
        FileManager.default.isExecutableFile(atPath: $0)
    }

    private func create(_ url: String, _ bomb: (path: String, sum: String, content: String), length: Int) async throws
        -> String
    {
        let size = try #require(FileManager.default.attributesOfItem(atPath: bomb.path)[.size] as? Int)
        let pairs = [
            ("sha256", bomb.sum), ("content_encoding", "zstd"), ("content_filename", "a.cwa"),
            ("content_sha256", bomb.content),
            ("content_length", String(length)),
        ]
        let metadata = pairs.map { "\($0.0) \(Data($0.1.utf8).base64EncodedString())" }.joined(separator: ",")
        return try await curl(
            "-X", "POST", "-H", "Tus-Resumable: 1.0.0", "-H", "Upload-Length: \(size)", "-H",
            "Upload-Metadata: \(metadata)",
            url + "/files")
    }

    private func place(_ answer: String) throws -> String {
        let line = try #require(answer.split(whereSeparator: \.isNewline).first { $0.hasPrefix("Location: ") })
        return String(line.dropFirst(10))
    }

    private func send(_ url: String, _ bomb: (path: String, sum: String, content: String), _ place: String) async throws
        -> String
    {
        try await curl(
            "-X", "PATCH", "-H", "Tus-Resumable: 1.0.0", "-H", "Upload-Offset: 0", "-H",
            "Content-Type: application/offset+octet-stream", "--data-binary", "@\(bomb.path)", url + place)
    }

    @Test(.enabled(if: hasZstd, "no zstd tool: apt install zstd"))
    func whatBecomesMoreThanItSaidIsBrokenOffThereAndWhatSaysTooMuchIsNotBegun() async throws {
        try await withFolder { folder in
            let bomb = try await Self.bomb(folder + "/bombs")
            try await withReceiver(folder, { $0.deviceQuota = 100_000_000 }) { url, _ in
                #expect(try await create(url, bomb, length: 268_435_456).hasPrefix("HTTP/1.1 507"))
                let there = try place(try await create(url, bomb, length: 1000))
                #expect(try await send(url, bomb, there).hasPrefix("HTTP/1.1 460"))
                let kept = try FileManager.default.contentsOfDirectory(atPath: folder + "/partial").map {
                    try FileManager.default.attributesOfItem(atPath: "\(folder)/partial/\($0)")[.size] as? Int ?? 0
                }
                #expect(kept.reduce(0, +) < 1_000_000)
            }
        }
    }

    @Test(.enabled(if: hasZstd, "no zstd tool: apt install zstd"))
    func othersAreServedWhileALargeOneIsRestored() async throws {
        try await withFolder { folder in
            let bomb = try await Self.bomb(folder + "/bombs")
            try await withReceiver(folder) { url, _ in
                let there = try place(try await create(url, bomb, length: 268_435_456))
                async let sent = send(url, bomb, there)
                var heads: [String] = []
                var others = 0
                while heads.last?.contains("Upload-SHA256") != true, heads.count < 10_000 {
                    heads.append(try await curl("-I", "-H", "Tus-Resumable: 1.0.0", url + there))
                    others += try await curl(url + "/api/files").hasPrefix("HTTP/1.1 200") ? 1 : 0
                }
                let last = try await sent
                #expect(last.contains("Upload-SHA256: \(bomb.content)"))
                #expect(others == heads.count)
                // Until it is looked at, no answer says that all of it is there.
                #expect(
                    heads.dropLast().allSatisfy { $0.hasPrefix("HTTP/1.1 423") || $0.contains("Upload-Offset: 0\r\n") })
            }
        }
    }

    /// The server ended between the last byte and the look at the whole.
    @Test func aCompleteUploadThatWasNotCheckedIsCheckedOnRequest() async throws {
        try await withFolder { folder in
            try File.makeFolder(folder + "/partial")
            let bytes = Data("all of it".utf8)
            let clock = StillClock()
            let archive = try Archive(.file(folder + "/receiver.sqlite"))
            for (id, expected) in [
                ("good", "3ab0b1af13fbc4ba9ae7f02e4be4dcb3dbba8da6a1b1b4aae8c9fd7b3ba4c9a8"), ("unsaid", nil),
            ] {
                try bytes.write(to: URL(fileURLWithPath: "\(folder)/partial/\(id)"))
                _ = try await archive.create(
                    Upload(
                        id: id, user: "P", kind: "", name: id, metadata: "{}", length: 9, offset: 9, created: clock.now,
                        changed: clock.now, expected: expected, mismatches: 0))
            }
            try await withReceiver(folder) { url, _ in
                let unsaid = try await curl("-I", "-H", "Tus-Resumable: 1.0.0", url + "/files/unsaid")
                let sum = try await run(["sh", "-c", "printf 'all of it' | sha256sum"]).prefix(64)
                #expect(unsaid.contains("Upload-SHA256: \(sum)"), "\(unsaid)")
                let wrong = try await curl("-I", "-H", "Tus-Resumable: 1.0.0", url + "/files/good")
                #expect(
                    wrong.hasPrefix("HTTP/1.1 460") && wrong.contains("Upload-Offset: 0"), "another sum was announced")
            }
        }
    }

    /// tus, expiration extension: `Upload-Expires` is a date of HTTP; what is past
    /// it is 404 or 410.
    @Test func anAbandonedUploadExpiresAndSaysWhen() async throws {
        try await withFolder { folder in
            let clock = MovableClock()
            try await withReceiver(folder, { $0.uploadRetention = .seconds(3600) }, clock: clock) { url, _ in
                func create() async throws -> String {
                    try await curl(
                        "-X", "POST", "-H", "Tus-Resumable: 1.0.0", "-H", "Upload-Length: 10", url + "/files")
                }
                let first = try await create()
                #expect(first.contains("Upload-Expires: Thu, 28 May 2026 21:26:40 GMT"), "\(first)")
                let there = try place(first)
                clock.advance(.seconds(3500))
                _ = try await create()
                #expect(try await curl("-I", "-H", "Tus-Resumable: 1.0.0", url + there).hasPrefix("HTTP/1.1 200"))
                clock.advance(.seconds(200))
                _ = try await create()
                #expect(try await curl("-I", "-H", "Tus-Resumable: 1.0.0", url + there).hasPrefix("HTTP/1.1 404"))
                #expect(try FileManager.default.contentsOfDirectory(atPath: folder + "/partial").count == 2)
            }
        }
    }

    @Test func aDeviceThatBeginsAgainAndAgainLosesItsOldestBeginning() async throws {
        try await withFolder { folder in
            try await withReceiver(folder) { url, _ in
                let script = """
                    import http.client, sys
                    c = http.client.HTTPConnection('127.0.0.1', int(sys.argv[1].split(':')[2]))
                    for _ in range(\(TusRoutes.unfinished + 5)):
                        c.request('POST', '/files', headers={'Tus-Resumable': '1.0.0', 'Upload-Length': '10', 'Content-Length': '0'})
                        r = c.getresponse(); r.read(); print(r.status)
                    """
                let answers = try await run(["python3", "-c", script, url]).split(separator: "\n")
                #expect(answers.count == TusRoutes.unfinished + 5 && Set(answers) == ["201"])
                #expect(
                    try FileManager.default.contentsOfDirectory(atPath: folder + "/partial").count
                        == TusRoutes.unfinished)
            }
        }
    }
}
