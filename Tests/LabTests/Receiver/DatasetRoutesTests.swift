// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

@testable import Lab

/// Datasets over HTTP, written by a shell's script in place of the export; curl is the client.
@Suite(.timeLimit(.minutes(10))) struct DatasetRoutesTests {
    /// What it does is its participant's name. It says who it is where `begun` is read.
    private static let script = """
        #!/bin/sh
        case "$*" in
        *=words*) printf '%s\\n' "$*" "$TMPDIR" ;;
        *=silent*) echo $$ > "$3/begun"; exec sleep 3000 ;;
        *=forever*) echo $$ > "$3/begun"; exec cat /dev/zero ;;
        *=refused*) printf 'Error: it holds 2 studies\\nuse --study\\nUsage: export\\n' >&2; exit 1 ;;
        *=wordy*) head -c 100000 /dev/zero | tr '\\0' x >&2; printf '\\nError: it holds 2 studies\\n' >&2; exit 1 ;;
        *=broken*) head -c 100000 /dev/zero; exit 1 ;;
        *=crashed*) kill -SEGV $$ ;;
        esac
        """

    private func withExports(
        token: String? = nil, _ body: @Sendable @escaping (_ url: String, _ folder: String) async throws -> Void
    ) async throws {
        try await withFolder { folder in
            let data = folder + "/data"
            try FileManager.default.createDirectory(
                atPath: data + "/downloads/7/left", withIntermediateDirectories: true)
            // By another process: this one's children hold what it writes open for a moment ("text file busy").
            try await run(["sh", "-c", "cat > '\(folder)/export' && chmod +x '\(folder)/export'"], input: Self.script)
            try await run(["mkfifo", data + "/begun"])
            try await withReceiver(
                data,
                {
                    $0.exporter = folder + "/export"
                    $0.token = token.flatMap { try? AccessToken($0) }
                }
            ) { url, _ in
                #expect(!FileManager.default.fileExists(atPath: data + "/downloads"), "what was left is gone")
                try await body(url, data)
            }
        }
    }

    private static func words(_ items: String) -> String {
        "export --data DATA -o - --with-holes" + (items.isEmpty ? "" : " " + items)
    }

    // MARK: What is asked for

    @Test(arguments: [
        ("", "--participant=words --without-recordings"),
        ("&recordings=1", "--participant=words"), ("&recordings=0", "--participant=words --without-recordings"),
        (
            "&study=mood%202&day=2026-12-31",
            "--study=mood 2 --participant=words --from=2026-12-31 --until=2027-01-01 --without-recordings"
        ),
        // The clock stands at 2026-05-28T20:26:40Z.
        ("&days=1", "--participant=words --from=2026-05-28 --without-recordings"),
        ("&days=28", "--participant=words --from=2026-05-01 --without-recordings"),
        ("&days=all", "--participant=words --without-recordings"),
        ("&study=--key=/etc/passwd", "--study=--key=/etc/passwd --participant=words --without-recordings"),
    ]) func theAddressBecomesOptionsOfTheCommand(items: String, options: String) async throws {
        try await withExports { url, folder in
            let answer = try await curl(url + "/dataset.zip?user=words" + items)
            #expect(answer.hasPrefix("HTTP/1.1 200"))
            #expect(answer.lowercased().contains("content-type: application/zip\r\n"))
            let lines = answer.split(separator: "\r\n\r\n").last?.split(separator: "\n").map(String.init) ?? []
            #expect(lines.first == Self.words(options).replacing("DATA", with: folder), "\(answer)")
            #expect(lines.last == folder + "/downloads/1")
            #expect(!FileManager.default.fileExists(atPath: folder + "/downloads/1"))
        }
    }

    @Test(arguments: ["recordings=2", "day=yesterday", "days=0", "study=" + String(repeating: "x", count: 201)])
    func whatIsNoSuchValueIsRefused(items: String) async throws {
        try await withExports { url, _ in
            let answer = try await curl(url + "/dataset.zip?user=words&" + items)
            #expect(answer.hasPrefix("HTTP/1.1 400"), "\(answer)")
        }
    }

    /// RFC 9110, 9.3.2 and RFC 9112, 6.3: a head alone; before 1.1 up to the end of the connection.
    @Test func aHeadStartsNothingAndAnOldClientGetsItAll() async throws {
        try await withExports { url, _ in
            let head = try await curl("-I", url + "/dataset.zip?user=silent&study=mood")
            #expect(head.hasPrefix("HTTP/1.1 200") && head.contains("filename=\"mood-silent.zip\""))
            let old = try await curl("-0", url + "/dataset.zip?user=words")
            #expect(old.hasPrefix("HTTP/1.0 200") && !old.lowercased().contains("chunked"))
            #expect(old.contains("--participant=words"))
        }
    }

    @Test func onlyWhoMayReadGetsIt() async throws {
        try await withExports(token: "correct-horse-battery-staple") { url, _ in
            #expect(try await curl(url + "/dataset.zip?user=words").hasPrefix("HTTP/1.1 401"))
            let answer = try await curl("-u", "lab:correct-horse-battery-staple", url + "/dataset.zip?user=words")
            #expect(answer.hasPrefix("HTTP/1.1 200"))
        }
    }

    // MARK: What goes wrong

    @Test func whatTheCommandRefusesIsToldInItsWords() async throws {
        try await withExports { url, _ in
            let answer = try await curl(url + "/dataset.zip?user=refused")
            #expect(answer.hasPrefix("HTTP/1.1 400"))
            #expect(answer.hasSuffix("no dataset: it holds 2 studies\nuse study=\n"), "\(answer)")
            let long = try await curl(url + "/dataset.zip?user=wordy")
            #expect(long.hasPrefix("HTTP/1.1 400") && long.hasSuffix("it holds 2 studies\n"), "\(long.suffix(200))")
            #expect(try await curl(url + "/dataset.zip?user=crashed").hasPrefix("HTTP/1.1 500"))
        }
    }

    /// curl(1), exit codes: 18 is a partial file.
    @Test func oneThatIsBrokenOffIsSeenToBe() async throws {
        try await withExports { url, _ in
            let output = try await run([
                "sh", "-c", "curl -s -o /dev/null '\(url)/dataset.zip?user=broken'; echo ended with $?",
            ])
            #expect(output == "ended with 18\n")
        }
    }

    /// A client that goes before anything comes, and one that goes in the middle of it.
    @Test(arguments: ["silent", "forever"]) func theExportEndsWithItsClient(user: String) async throws {
        try await withExports { url, folder in
            let client = try await Self.begin(url + "/dataset.zip?user=\(user)")
            let export = try await Self.begun(folder)
            try await run(["kill", "-KILL", client])
            try await run(["tail", "--pid=" + export, "-f", "/dev/null"])
            #expect(try await Self.soon(url).hasPrefix("HTTP/1.1 200"))
            #expect(!FileManager.default.fileExists(atPath: folder + "/downloads/1"))
        }
    }

    @Test func twoAreWrittenAtOnceAndAThirdIsAskedToWait() async throws {
        try await withExports { url, folder in
            var clients: [String] = []
            for _ in 0..<2 {
                clients.append(try await Self.begin(url + "/dataset.zip?user=silent"))
                _ = try await Self.begun(folder)
            }
            let third = try await curl(url + "/dataset.zip?user=words")
            #expect(third.hasPrefix("HTTP/1.1 503") && third.contains("Retry-After: 60"))
            #expect(try await curl(url + "/api/devices").hasPrefix("HTTP/1.1 200"), "the rest is answered")
            try await run(["kill", "-KILL", clients[0]])
            #expect(try await Self.soon(url).hasPrefix("HTTP/1.1 200"))
            try await run(["kill", "-KILL", clients[1]])
        }
    }

    /// A client that runs on: its process.
    private static func begin(_ url: String) async throws -> String {
        let script = "curl -s --max-time 300 -o /dev/null '\(url)' >/dev/null 2>&1 & echo $!"
        return try await run(["sh", "-c", script]).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Waits until an export has begun: its process.
    private static func begun(_ folder: String) async throws -> String {
        try await run(["cat", folder + "/begun"]).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// The answer when there is room again.
    private static func soon(_ url: String) async throws -> String {
        while true {
            let answer = try await curl(url + "/dataset.zip?user=words")
            if !answer.hasPrefix("HTTP/1.1 503") { return answer }
        }
    }
}
