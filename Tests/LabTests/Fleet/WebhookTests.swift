// SPDX-License-Identifier: Apache-2.0
import Base
import Foundation
import SystemKit
import Testing

@testable import Lab

/// Against Python's HTTP server, which reads the request by RFC 9110 on its own.
@Suite(.timeLimit(.minutes(10))) struct WebhookTests {
    private static let listener = """
        import http.server, json, sys
        class Answer(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers['Content-Length'])).decode()
                open(sys.argv[1], 'a').write(json.dumps([self.path, body] + [self.headers[n] for n in ('Title', 'Priority', 'Tags')]) + '\\n')
                self.send_response(int(self.path.rsplit('/', 1)[1]))
                self.send_header('Content-Length', '0')
                self.end_headers()
            def log_message(self, *_): pass
        server = http.server.HTTPServer(('127.0.0.1', 0), Answer)
        open(sys.argv[1] + '.port', 'w').write(str(server.server_port))
        server.handle_request()
        """

    private func exchange(
        _ notice: FleetNotice, status: Int, scheme: String = "http"
    ) async throws -> (WebhookAnswer, String) {
        let file = NSTemporaryDirectory() + "webhook-\(UUID().uuidString)"
        defer { for end in ["", ".port"] { try? FileManager.default.removeItem(atPath: file + end) } }
        async let served = run(["python3", "-c", Self.listener, file])
        var port = ""
        while port.isEmpty {
            port = (try? String(contentsOfFile: file + ".port", encoding: .utf8)) ?? ""
            try await Task.sleep(for: .milliseconds(20))
        }
        let webhook = try #require(Webhook("\(scheme)://127.0.0.1:\(port)/\(status)"))
        let answer = await webhook.send(notice)
        _ = try await served
        return (answer, (try? String(contentsOfFile: file, encoding: .utf8)) ?? "")
    }

    private static let notice = FleetNotice(
        id: 1, title: "Zoë 7: silent", body: "no report since 14:05 UTC\nZoë 7", priority: 5, tags: "warning,silent",
        attempts: 0)

    /// The fields are those of docs.ntfy.sh/publish: Title, Priority, Tags.
    @Test func aNoticeComesAsNtfyTakesIt() async throws {
        let (answer, line) = try await exchange(Self.notice, status: 200)
        #expect(answer == .taken)
        let told = try JSONReader.value(line).array?.map(\.string)
        #expect(
            told == [
                "/200", "no report since 14:05 UTC\nZoë 7", "=?UTF-8?B?Wm/DqyA3OiBzaWxlbnQ=?=", "5", "warning,silent",
            ])
    }

    @Test func whatIsWrongWithTLSIsSaid() async throws {
        guard case .later(let reason) = try await exchange(Self.notice, status: 200, scheme: "https").0 else {
            Issue.record("a server without TLS took a notice")
            return
        }
        #expect(reason.contains("SSL") && reason != "SSL connect error", "\(reason)")
    }

    /// binwiederhier/ntfy 81a486ad, server/util.go:179: each field goes through Go's `mime.WordDecoder`, which joins
    /// words with blanks between them. The words were read back by Python's `email.header`.
    @Test(arguments: [
        ("P007: silent", "P007: silent"), ("~", "~"), ("", ""), ("Zoë 7: silent", "=?UTF-8?B?Wm/DqyA3OiBzaWxlbnQ=?="),
        ("a\r\nTags: b", "=?UTF-8?B?YQ0KVGFnczogYg==?="),
        (
            "参与者参与者参与者参与者参与者参与者: silent",
            "=?UTF-8?B?5Y+C5LiO6ICF5Y+C5LiO6ICF5Y+C5LiO6ICF5Y+C5LiO6ICF5Y+C5LiO6ICF?= =?UTF-8?B?5Y+C5LiO6ICFOiBzaWxlbnQ=?="
        ),
    ])
    func aNameOfAnyScriptIsInTheTitle(text: String, field: String) { #expect(Webhook.field(text) == field) }

    @Test(
        arguments: [
            (204, .taken), (400, .refused("status 400")), (429, .later("status 429")), (503, .later("status 503")),
        ]
            as [(Int, WebhookAnswer)])
    func theStatusSaysWhatFollows(status: Int, expected: WebhookAnswer) async throws {
        #expect(try await exchange(Self.notice, status: status).0 == expected)
    }

    @Test func oneThatIsAwayIsForLater() async throws {
        let webhook = try #require(Webhook("http://127.0.0.1:9/"))
        guard case .later = await webhook.send(Self.notice) else {
            Issue.record("a closed port has taken it")
            return
        }
    }

    @Test(arguments: [
        "file:///etc/passwd", "http:/x", "gopher://x/", "http://a b/", "https://a\r\nX: y/", "ntfy.sh/lab", "",
    ])
    func otherAddressesAreRefused(url: String) { #expect(Webhook(url) == nil) }
}
