// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Lab

/// Requests as a browser sends them (the Fetch standard's `Origin`, RFC 6454 §7; RFC 9110 §7.2 and
/// §15.5.20; RFC 9112 §3.2), sent by curl.
@Suite(.timeLimit(.minutes(10))) struct HostGateTests {
    @Test(arguments: [
        ("Host: 127.0.0.1:8080", 200), ("Host: localhost", 200), ("Host: LOCALHOST.:1", 200), ("Host: [::1]:80", 200),
        ("Host: 192.0.2.7", 200), ("Host: lab.example.org:8443", 200), ("Host: box.localhost", 200),
        // A name that its owner points at 127.0.0.1 once the page is open.
        ("Host: rebind.evil.example", 421), ("Host: 127.0.0.1.evil.example", 421), ("Host: 0x7f000001", 421),
        ("Host: 127.1", 421), ("Host: evil.example:8080", 421), ("Host:", 400),
    ]) func namesThatAreNotOursAreMisdirected(field: String, status: Int) async throws {
        try await withFolder { folder in
            try await withReceiver(folder, { $0.names = ["lab.example.org"] }) { url, _ in
                for path in ["/", "/api/records", "/study/x"] {
                    let answer = try await curl("-H", field, url + path)
                    // curl leaves an empty field out: then there is no Host at all.
                    #expect(
                        answer.hasPrefix("HTTP/1.1 \(path == "/study/x" && status == 200 ? 404 : status)"),
                        "\(answer.prefix(80))")
                }
            }
        }
    }

    @Test(
        arguments: [
            (nil, 200), ("http://HOST", 200), ("https://HOST", 200), ("https://app.example.org", 200),
            ("http://evil.example", 403), ("null", 403), ("http://HOST.evil.example", 403), ("http://localhost:1", 403),
            ("file://", 403),
        ] as [(String?, Int)]) func pagesOfOthersSendNothing(origin: String?, status: Int) async throws
    {
        try await withFolder { folder in
            try await withReceiver(folder, { $0.origins = ["https://app.example.org"] }) { url, _ in
                let fields = SchemaPostTests.log.flatMap { ["--form-string", "\($0.0)=\($0.1)"] }
                let written = origin?.replacing("HOST", with: url.dropFirst("http://".count))
                let answer = try await run(
                    ["curl", "-s", "-i"] + fields + (written.map { ["-H", "Origin: \($0)"] } ?? []) + [url + "/schema"])
                #expect(answer.hasPrefix("HTTP/1.1 \(status)"))
                let kept = try await curl(url + "/api/records")
                #expect(kept.hasSuffix("[]\n") == (status != 200))
            }
        }
    }

    @Test func twoHostsAreABadRequest() async throws {
        try await withFolder { folder in
            try await withReceiver(folder) { url, _ in
                let script = """
                    import socket, sys
                    s = socket.create_connection(('127.0.0.1', int(sys.argv[1].split(':')[2])))
                    s.sendall(b'GET /api/records HTTP/1.1\\r\\nHost: localhost\\r\\nHost: evil.example\\r\\nConnection: close\\r\\n\\r\\n')
                    print(s.makefile('rb').readline())
                    """
                let answer = try await run(["python3", "-c", script, url])
                #expect(answer.contains("400 Bad Request"))
            }
        }
    }

    @Test(arguments: [
        ("127.0.0.1", true), ("::1", true), ("localhost", true), ("0.0.0.0", false), ("::", false),
        ("127.example.org", false),
    ])
    func whatOnlyThisMachineReachesIsKnown(host: String, isLoopback: Bool) {
        #expect(HostGate.isLoopback(host) == isLoopback)
    }
}
