// SPDX-License-Identifier: Apache-2.0
import Agent
import Base
import Foundation
import Study
import SystemKit
import Testing

@testable import Lab

/// The site files of `docs/proxy` in the programs that they are for.
@Suite(
    .enabled(
        if: !ProxySite.Program.installed.isEmpty, "nginx and Caddy are missing: apt-get install nginx-light caddy"),
    .timeLimit(.minutes(10)))
struct ProxySiteTests {
    private static let token = "a token of the lab"

    private func withLab(
        _ program: ProxySite.Program,
        _ body: @Sendable @escaping (_ site: ProxySite, _ receiver: String, _ folder: String) async throws -> Void
    ) async throws {
        try await withFolder { folder in
            let study = folder + "/mood.json"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            try #"{"properties":{"post_url":"https://elsewhere.example.org/"},"modules":[]}"#.write(
                toFile: study, atomically: true, encoding: .utf8)
            let token = try AccessToken(Self.token)
            try await withReceiver(
                folder + "/data",
                {
                    ($0.names, $0.proxies) = (["localhost"], ["127.0.0.1"])
                    ($0.studies, $0.token) = ([study], token)
                }
            ) { receiver, _ in
                try await ProxySite.with(program, to: String(receiver.dropFirst(7)), in: folder) { site in
                    try await body(site, receiver, folder)
                }
            }
        }
    }

    /// Asks the receiver itself.
    private func kept(_ path: String, at receiver: String) async throws -> String {
        try await curl("-H", "Authorization: Bearer \(Self.token)", receiver + path)
    }

    @Test(arguments: ProxySite.Program.installed)
    func aStudyIsHandedOutAndItsAnswerComesBack(through program: ProxySite.Program) async throws {
        try await withLab(program) { site, receiver, folder in
            let secure = ["curl", "-s", "-S", "-i", "--max-time", "60", "--cacert", site.authority]
            let study = try await run(secure + [site.url + "/study/mood.json"])
            // The receiver knows that it was asked by https.
            #expect(study.contains(#""post_url":"https://localhost"#), "\(study)")
            let fields = SchemaPostTests.response.flatMap { ["--form-string", "\($0.0)=\($0.1)"] }
            let answer = try await run(secure + fields + [site.url + "/schema"])
            #expect(answer.contains(" 200") && answer.hasSuffix("true"), "\(answer)")
            #expect(try await kept("/api/records", at: receiver).contains("survey_response"))
            // The page asks for the token, as it does without a proxy.
            #expect(try await run(secure + [site.url + "/"]).contains(" 401"))
            let page = try await run(secure + ["-u", "x:" + Self.token, site.url + "/"])
            #expect(page.contains(" 200") && page.contains("<html"), "\(page.prefix(300))")
            let fault = try await run(secure + ["-X", "POST", site.url + "/control/fault?mode=500"])
            #expect(fault.contains(" 404"), "\(fault)")
            let hole = folder + "/hole"
            try await run(["truncate", "-s", "101M", hole])
            let large = try await run(secure + ["-X", "POST", "-T", hole, site.url + "/schema"])
            #expect(large.contains(" 413"), "\(large)")
        }
    }

    /// Sends the first 5 MB of a piece and keeps the connection until 4 MB of it are confirmed to
    /// another one; then it is gone.
    private static let broken = """
        import socket, ssl, sys, time
        port, authority, path, name = int(sys.argv[1]), sys.argv[2], sys.argv[3], sys.argv[4]
        context = ssl.create_default_context(cafile=authority)
        def connected():
            return context.wrap_socket(socket.create_connection(('127.0.0.1', port), 120), server_hostname='localhost')
        def head(method, more=''):
            return (method + ' ' + path + ' HTTP/1.1\\r\\nHost: localhost\\r\\nTus-Resumable: 1.0.0\\r\\n' + more + '\\r\\n').encode()
        content = open(name, 'rb').read()
        upload = connected()
        upload.sendall(head('PATCH', 'Upload-Offset: 0\\r\\nContent-Type: application/offset+octet-stream\\r\\n'
                            'Content-Length: %d\\r\\n' % len(content)) + content[:5 << 20])
        end = time.time() + 120
        while time.time() < end:
            asking = connected()
            asking.sendall(head('HEAD', 'Connection: close\\r\\n'))
            answer = b''
            while piece := asking.recv(65536): answer += piece
            offset = [int(l.split(b':')[1]) for l in answer.split(b'\\r\\n') if l.lower().startswith(b'upload-offset:')]
            if offset and offset[0] > 0: break
            time.sleep(0.02)
        print(offset[0] if offset else answer.decode())
        """

    /// studyd's own client makes the place, a connection breaks within the body, and studyd goes on
    /// where the receiver is. A proxy that buffers bodies would have passed nothing on.
    @Test(arguments: ProxySite.Program.installed)
    func aRecordingThatBrokeOffIsResumed(through program: ProxySite.Program) async throws {
        try await withLab(program) { site, receiver, folder in
            let bytes = (0..<UInt32(9 << 18)).map { $0 }.withUnsafeBytes { [UInt8]($0) }
            try Data(bytes).write(to: URL(fileURLWithPath: folder + "/motion.cwa"))
            let sum = try Digest(of: bytes).description
            var job = recording("motion.cwa", Int64(bytes.count), sum, in: folder)
            guard case .located(let place?) = try await step(job, site) else {
                Issue.record("no place was made")
                return
            }
            job.location = place
            let path = String(place.dropFirst(site.url.count))
            let confirmed = try await run(
                ["python3", "-c", Self.broken, String(site.port), site.authority, path, folder + "/motion.cwa"])
            #expect((Int(confirmed.dropLast()) ?? 0) >= 4 << 20, "\(confirmed)")
            let (receipt, offsets) = try await delivered(&job, site)
            #expect((offsets.first ?? 0) >= 4 << 20, "\(offsets)")
            #expect(receipt.contains(sum), "\(receipt)")
            #expect(try await kept("/api/files", at: receiver).contains(sum))
        }
    }

    private func recording(_ name: String, _ bytes: Int64, _ sum: String, in folder: String) -> DeliveryJob {
        let file = FileReference(
            path: name, sha256: sum, bytes: bytes, contentType: "application/x-cwa", recording: "1",
            metadata: ["participant": "P"])
        let queued = QueuedItem(
            id: "1", origin: "recording 1", itemClass: .motion, destination: "recordings", requestDigest: nil,
            bytes: bytes, file: file)
        let item = OutboxItem(
            item: queued, enrolment: "e", state: .waiting, attempts: 0, retryAt: nil,
            note: nil)
        return DeliveryJob(
            item: item, content: .file(file), directory: folder, location: nil, offset: nil, chunk: 1 << 20)
    }

    /// One step by studyd's client.
    private func step(_ job: DeliveryJob, _ site: ProxySite) async throws -> DeliveryStep {
        try await onThread {
            let client = try HTTPClient(userAgent: "studyd", certificateAuthority: site.authority)
            return try TusDestination(name: "recordings", endpoint: site.url + "/files").send(job, by: client)
        }
    }

    /// Steps until the receipt, and where the receiver said that it was.
    private func delivered(_ job: inout DeliveryJob, _ site: ProxySite) async throws -> (String, [Int64]) {
        var offsets: [Int64] = []
        for _ in 0..<200 {
            switch try await step(job, site) {
            case .progressed(let offset):
                job.offset = offset
                if let offset { offsets.append(offset) }
            case .finished(.delivered(let receipt)): return (receipt, offsets)
            // The receiver may not know yet that the other connection is gone.
            case .finished(.retry), .later:
                job.offset = nil
                try await Task.sleep(for: .milliseconds(50))
            case let other: throw ProxySite.Complaint(description: "\(other)")
            }
        }
        throw ProxySite.Complaint(description: "not delivered after 200 steps: \(offsets)")
    }

    @Test(arguments: ProxySite.Program.installed)
    func nothingIsSaidToAnotherNameOrWithoutTLS(through program: ProxySite.Program) async throws {
        try await withLab(program) { site, receiver, _ in
            let others = [
                // A client that does not check certificates.
                ["-k", "--resolve", "other.example:\(site.port):127.0.0.1", "https://other.example:\(site.port)"],
                ["-k", "https://127.0.0.1:\(site.port)"],
                ["--cacert", site.authority, "-H", "Host: other.example", site.url],
                [site.plainURL], ["-H", "Host: other.example", site.plainURL],
                ["http://localhost:\(site.port)"],
            ]
            for words in others {
                let options = ["curl", "-s", "-S", "-i", "--max-time", "60"] + words.dropLast()
                let url = words.last ?? ""
                let study = try await run(options + [url + "/study/mood.json"])
                #expect(!study.contains("post_url") && !study.contains(" 200"), "\(words): \(study)")
                let fields = SchemaPostTests.response.flatMap { ["--form-string", "\($0.0)=\($0.1)"] }
                let answer = try await run(options + fields + [url + "/schema"])
                #expect(!answer.contains(" 200") && !answer.contains("true"), "\(words): \(answer)")
            }
            #expect(try await kept("/api/records", at: receiver).contains("\r\n\r\n[]"))
        }
    }

    /// Limits count for each client: it is the proxy's word that tells them apart, not theirs.
    @Test(arguments: ProxySite.Program.installed)
    func aClientCannotSayThatItIsAnother(through program: ProxySite.Program) async throws {
        var router = Router()
        router.on("GET", "/who") { .text($0.origin.client + " \($0.origin.isLoopback) \($0.origin.isSecure)") }
        try await withFolder { folder in
            try await withServer(router, proxies: TrustedProxies(["127.0.0.1"])) { port, _ in
                try await ProxySite.with(program, to: "127.0.0.1:\(port)", in: folder) { site in
                    let answer = try await curl(
                        "--cacert", site.authority, "--interface", "127.0.0.7", "-H", "X-Forwarded-For: 192.0.2.1",
                        "-H",
                        "X-Forwarded-Proto: http", site.url + "/who")
                    #expect(answer.hasSuffix("127.0.0.7 false true"), "\(answer)")
                }
            }
        }
    }
}
