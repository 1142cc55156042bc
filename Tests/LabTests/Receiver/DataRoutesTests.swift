// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Lab

@Suite(.timeLimit(.minutes(10))) struct DataRoutesTests {
    @Test func recordsComeInPagesNewestFirst() async throws {
        try await withFolder { folder in
            try await withReceiver(folder) { url, _ in
                let fields = SchemaPostTests.log.flatMap { ["--form-string", "\($0.0)=\($0.1)"] }
                for _ in 0..<3 { try await run(["curl", "-s"] + fields + [url + "/schema"]) }
                let ids =
                    "import json,sys,urllib.request as u; print([r['id'] for r in json.load(u.urlopen(sys.argv[1]))])"
                let first = try await run(["python3", "-c", ids, url + "/api/records?limit=2"])
                #expect(first == "[3, 2]\n")
                let second = try await run(["python3", "-c", ids, url + "/api/records?limit=2&before=2"])
                #expect(second == "[1]\n")
                let other = try await run(["python3", "-c", ids, url + "/api/records?user=other"])
                #expect(other == "[]\n")
            }
        }
    }

    @Test(arguments: [
        ("/api/records?limit=x", 400), ("/api/records?limit=0", 400), ("/files/1/content", 404),
        ("/files/x/content", 404), ("/files/..%2F..%2Fetc%2Fpasswd/content", 404), ("/nothing", 404),
        ("/api/files", 200),
    ]) func otherQuestionsAreAnsweredPlainly(path: String, status: Int) async throws {
        try await withFolder { folder in
            try await withReceiver(folder) { url, _ in
                let answer = try await curl("--path-as-is", url + path)
                #expect(answer.hasPrefix("HTTP/1.1 \(status)"))
            }
        }
    }

    /// A device's log says what was drawn; every other file is given out as no type that a browser runs.
    @Test(arguments: [
        ("log-000000001-000000021.jsonl.gz", 403), ("log-000000001-000000021.jsonl", 200), ("log-1.csv", 200),
        ("catalog-1.jsonl.gz", 200), ("events.jsonl.gz", 200), ("log-1.jsonl.gz.txt", 200),
    ]) func everyFileIsGivenOutButADevicesLog(name: String, status: Int) async throws {
        try await withFolder { folder in
            try await withReceiver(folder) { url, _ in
                try await LabSchemaTests.send(url, name, "what was drawn")
                let answer = try await curl(url + "/files/1/content")
                #expect(answer.hasPrefix("HTTP/1.1 \(status)"), "\(answer)")
                #expect(answer.hasSuffix("what was drawn") == (status == 200), "\(answer)")
                guard status == 200 else { return }
                let head = answer.lowercased()
                #expect(head.contains("content-type: application/octet-stream"))
                #expect(head.contains("x-content-type-options: nosniff") && head.contains("filename=\"\(name)\""))
            }
        }
    }
}
