// SPDX-License-Identifier: Apache-2.0
import Glibc
import Patience
import Testing

/// The pictures of a study on the sheet of its cards.
@Suite struct CardPicturesTests {
    private static let programs = ["/usr/bin/python3", "/usr/bin/base64"]
    private static let isPossible: Bool = {
        for path in programs where access(path, X_OK) != 0 {
            print("SKIPPED: no server gives out pictures, because \(path) is not there")
            return false
        }
        return true
    }()

    /// Python's http.server gives out a PNG (its first bytes, by RFC 2083 §3.1) and a page; base64 of coreutils says
    /// what stands on the sheet.
    @Test(.timeLimit(.minutes(20)), .enabled(if: isPossible))
    func aPictureIsOnTheSheetAndWhatIsNoneStaysALinkAndIsNamed() async throws {
        try await Stage.with { stage in
            let server = try stage.start([
                "/usr/bin/python3", "-u", "-c",
                """
                import http.server, os
                os.chdir('\(stage.folder)')
                open('a.png', 'wb').write(bytes([137]) + b'PNG\\r\\n\\x1a\\n' + bytes(40))
                open('page.png', 'w').write('<html>not found</html>')
                server = http.server.HTTPServer(('127.0.0.1', 0), http.server.SimpleHTTPRequestHandler)
                print(server.server_port, flush=True)
                server.serve_forever()
                """,
            ])
            let port = try await eventually("the server listens") {
                server.output.hasSuffix("\n") ? server.output.split(separator: "\n").first.map(String.init) : nil
            }
            func picture(_ name: String) -> String {
                #"{"id":"\#(name)","type":"media","subtype":"image","src":"http://127.0.0.1:\#(port)/\#(name)","text":"See?"}"#
            }
            let study = stage.folder + "/study.json"
            try Files.write(
                LabStudy(
                    postURL: "https://example.org/p",
                    modules: [
                        LabStudy.module(
                            "faces", sticky: true, times: [(0, 0)], offset: -1, graph: nil,
                            questions: [picture("a.png"), picture("page.png"), LabStudy.slider("level")])
                    ]
                ).text, to: study)
            let cards = stage.folder + "/cards.html"
            let made = try await stage.studyd(
                "cards", study, "--board", Programs.package + "/boards/simulated.toml", "-o", cards)
            #expect(made.code == 0, "\(made)")
            let named = made.errors.split(separator: "\n").filter { $0.contains("picture") }
            #expect(
                named.count == 1 && named[0].hasPrefix("studyd: card 2: the picture is left as a link: "), "\(named)")
            #expect(named.first?.contains("page.png") == true)
            let encoded = try stage.start(["/usr/bin/base64", "-w0", stage.folder + "/a.png"])
            #expect(try await encoded.ended() == 0)
            let sheet = Files.text(cards)
            #expect(sheet.contains("data:image/png;base64," + encoded.output))
            #expect(sheet.contains("http://127.0.0.1:\(port)/page.png") && !sheet.contains("/a.png"))
            try await server.kill9()
        }
    }
}
