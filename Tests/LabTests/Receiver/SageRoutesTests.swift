// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Lab

/// Archives as Python's `zipfile` makes them, posted by curl.
@Suite(.timeLimit(.minutes(10))) struct SageRoutesTests {
    static let make =
        "import sys, zipfile\nwith zipfile.ZipFile(sys.argv[1], 'w') as z: z.writestr('metadata.json', '{}'); z.writestr('assessmentResult.json', '{}')"

    @Test func anArchiveIsKeptOnceUnderItsDigest() async throws {
        try await withFolder { folder in
            try await withReceiver(folder) { url, _ in
                let zip = folder + "/run.zip"
                _ = try await run(["python3", "-c", Self.make, zip])
                let digest = String(try await run(["sha256sum", zip]).prefix(64))
                let post = [
                    "curl", "-s", "-i", "-H", "Content-Type: application/zip", "--data-binary", "@" + zip,
                    url + "/sage",
                ]
                let first = try await run(post)
                #expect(
                    first.hasPrefix("HTTP/1.1 201") && first.contains(digest) && first.contains("\"duplicate\":false"))
                let second = try await run(post)
                #expect(second.hasPrefix("HTTP/1.1 200") && second.contains("\"duplicate\":true"))
                #expect(
                    try await run(["sh", "-c", "find \(folder) -path '*/sage/*' -type f"]).contains(
                        "/sage/\(digest).zip"))
            }
        }
    }

    /// studyd names the participant in `X-Participant` (`SageWire`); archives without a name count
    /// together.
    @Test func archivesCountWithTheirParticipant() async throws {
        try await withFolder { folder in
            try await withReceiver(folder, { $0.deviceQuota = 600 }) { url, _ in
                func post(_ number: Int, of participant: String) async throws -> String {
                    let zip = "\(folder)/\(number).zip"
                    let make = Self.make.replacing("'{}'", with: "'{\"n\":\(number)}'")
                    _ = try await run(["python3", "-c", make, zip])
                    return try await run([
                        "curl", "-s", "-i", "-H", "X-Participant: \(participant)", "--data-binary", "@" + zip,
                        url + "/sage",
                    ])
                }
                #expect(try await post(1, of: "P1").hasPrefix("HTTP/1.1 201"))
                #expect(try await post(2, of: "P1").hasPrefix("HTTP/1.1 201"))
                #expect(try await post(3, of: "P1").hasPrefix("HTTP/1.1 507"))
                #expect(try await post(3, of: "P2").hasPrefix("HTTP/1.1 201"))
                #expect(try await post(4, of: String(repeating: "x", count: 201)).hasPrefix("HTTP/1.1 400"))
                let devices = try await curl(url + "/api/devices")
                #expect(devices.contains("\"user\":\"P1\"") && devices.contains("\"files\":2"), "\(devices)")
            }
        }
    }

    /// A device without room for a hundred megabytes need not send them: the head alone is answered.
    @Test func anArchiveThatHasNoRoomIsRefusedBeforeItComes() async throws {
        try await withFolder { folder in
            try await withReceiver(folder, { $0.deviceQuota = 600 }) { url, _ in
                let port = try #require(url.split(separator: ":").last.flatMap { Int($0) })
                let head = "POST /sage HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Participant: P1\r\nContent-Length: 601\r\n\r\n"
                let answer = try await RawClient.exchange(port, [head])
                #expect(answer.hasPrefix("HTTP/1.1 507 "), "\(answer)")
            }
        }
    }

    @Test func whatIsNoArchiveOrCameIncompleteIsRefused() async throws {
        try await withFolder { folder in
            try await withReceiver(folder) { url, _ in
                let zip = folder + "/run.zip"
                _ = try await run(["python3", "-c", Self.make, zip])
                _ = try await run(["sh", "-c", "head -c 100 \(zip) > \(folder)/cut.zip"])
                // As a program has it that unpacks itself: the end is that of a zip, and the beginning is not.
                _ = try await run(["sh", "-c", "(printf x; cat \(zip)) > \(folder)/behind.zip"])
                for (data, words) in [
                    ("hello", "not a zip archive"), ("@\(folder)/cut.zip", "it has no end record"),
                    ("@\(folder)/behind.zip", "not a zip archive"),
                ] {
                    let answer = try await run(["curl", "-s", "-i", "--data-binary", data, url + "/sage"])
                    #expect(answer.hasPrefix("HTTP/1.1 400") && answer.contains(words), "\(data): \(answer)")
                }
                let sealed = try await run([
                    "curl", "-s", "-i", "-H", "Content-Type: application/pkcs7-mime", "--data-binary", "hello",
                    url + "/sage",
                ])
                #expect(sealed.hasPrefix("HTTP/1.1 400"))
            }
        }
    }
}
