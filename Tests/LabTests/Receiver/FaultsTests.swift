// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit
import Testing

@testable import Lab

@Suite struct FaultsTests {
    /// A client that gives up by itself: `hang` gives it nothing, neither an answer nor the end of
    /// the connection; `close` ends it.
    @Test(.timeLimit(.minutes(10)), arguments: [("hang", "timed out"), ("close", "closed"), ("500", "500")])
    func aFaultIsWhatAClientMeets(mode: String, met: String) async throws {
        let script = """
            import socket, sys
            s = socket.create_connection(('127.0.0.1', int(sys.argv[1].split(':')[2]))); s.settimeout(float(sys.argv[2]))
            s.sendall(b'POST /schema HTTP/1.1\\r\\nHost: 127.0.0.1\\r\\nContent-Length: 0\\r\\n\\r\\n')
            try: print((s.recv(100) or b'x closed').split()[1].decode())
            except TimeoutError: print('timed out')
            """
        try await withFolder { folder in
            try await withReceiver(folder, { $0.fault = Fault(mode) }, clock: SystemClock()) { url, _ in
                let told = try await run(["python3", "-c", script, url, mode == "hang" ? "2" : "120"])
                #expect(told.hasPrefix(met), "\(told)")
            }
        }
    }

    /// Those requests whose draw is below the share. What is lost was taken before, and nothing else that is met.
    @Test(
        .timeLimit(.minutes(10)),
        arguments: [(0, 0, false), (0.3, 0.29, true), (0.3, 0.3, false), (1, 0.999, true)] as [(Double, Double, Bool)])
    func aFaultMeetsItsShareOfRequests(share: Double, drawn: Double, isMet: Bool) async throws {
        let fields = SchemaPostTests.response.flatMap { ["--form-string", "\($0.0)=\($0.1)"] }
        for (mode, met) in [("500", "HTTP/1.1 500 "), ("hang", ""), ("close", ""), ("lost", "")] {
            let fault = try #require(Fault("\(mode):\(share)"))
            try await withFolder { folder in
                try await withReceiver(folder, { $0.fault = fault }, draw: { drawn }) { url, _ in
                    let answer = try await run(["curl", "-s", "-i", "--max-time", "300"] + fields + [url + "/schema"])
                    let status = isMet ? met : "HTTP/1.1 200 "
                    #expect(status.isEmpty ? answer.isEmpty : answer.hasPrefix(status), "\(mode): \(answer)")
                    let records = try await run(["curl", "-s", url + "/api/records"])
                    #expect(records.contains("ABDEG234") == (!isMet || mode == "lost"), "\(mode)")
                }
            }
        }
    }

    @Test(arguments: [
        ("500", Fault.Kind.status(500), 1), ("503:0.3", .status(503), 0.3), ("hang", .hang, 1), ("close:0", .close, 0),
        ("lost:0.5", .lost, 0.5),
    ]) func modesAreUnderstood(text: String, kind: Fault.Kind, share: Double) {
        #expect(Fault(text) == Fault(kind: kind, share: share))
    }

    @Test(arguments: ["", "200", "600", "500:", "500:2", "hang:-1", "lost:0.1:1", "none"])
    func otherWordsAreNone(text: String) {
        #expect(Fault(text) == nil)
    }
}
