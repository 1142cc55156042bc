// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Lab

@Suite(.timeLimit(.minutes(10))) struct SchemaRoutesTests {
    private func forms(_ fields: [(String, String)]) -> [String] {
        fields.flatMap { ["--form-string", "\($0.0)=\($0.1)"] }
    }
    private func send(_ fields: [(String, String)], to url: String) async throws -> String {
        try await run(["curl", "-s", "-S", "-i"] + forms(fields) + [url])
    }

    @Test func curlsMultipartIsTakenAnsweredAndListed() async throws {
        try await withFolder { folder in
            try await withReceiver(folder) { url, _ in
                let answer = try await send(SchemaPostTests.log, to: url + "/schema/any/path")
                #expect(answer.hasPrefix("HTTP/1.1 200"))
                #expect(answer.hasSuffix("\r\n\r\ntrue"))
                let records = try await curl(url + "/api/records?user=ABDEG234")
                #expect(records.contains(#""page":"home","event":"entry""#))
                #expect(records.contains(#""warnings":[]"#))
            }
        }
    }

    /// Of participants that no device reports of, what they sent names the study: in a form, or beside
    /// a file ("study c2xlZXA=" is "study sleep" in Base64, by tus 1.0.0).
    @Test func participantsWithoutReportsAreFoundByTheirStudy() async throws {
        try await withFolder { folder in
            try await withReceiver(folder) { url, _ in
                for (user, study) in [("AAAAA222", "mood"), ("BBBBB222", "sleep")] {
                    let fields = SchemaPostTests.log.map { name, value in
                        (name, ["user_id": user, "study_id": study][name] ?? value)
                    }
                    #expect(try await send(fields, to: url + "/schema").hasPrefix("HTTP/1.1 200"))
                }
                _ = try await curl(
                    "-X", "POST", "-H", "Tus-Resumable: 1.0.0", "-H", "Upload-Length: 1", "-H",
                    "Upload-Metadata: user_id Q0NDQ0MyMjI=,study c2xlZXA=", url + "/files")
                for (study, found) in [
                    ("mood", ["AAAAA222"]), ("sleep", ["BBBBB222", "CCCCC222"]), ("none", []),
                ] {
                    let table = try await curl(url + "/tables/participants.json?study=\(study)")
                    for user in ["AAAAA222", "BBBBB222", "CCCCC222"] {
                        #expect(table.contains(user) == found.contains(user), "\(study) \(table)")
                    }
                }
                #expect(try await curl(url + "/").contains(#"<option value="sleep""#))
            }
        }
    }

    @Test func urlEncodedFieldsAreTakenToo() async throws {
        try await withFolder { folder in
            try await withReceiver(folder) { url, _ in
                let data = SchemaPostTests.response.flatMap { ["--data-urlencode", "\($0.0)=\($0.1)"] }
                let answer = try await run(["curl", "-s", "-i"] + data + [url + "/schema"])
                #expect(answer.hasSuffix("true"))
                let records = try await curl(url + "/api/records")
                #expect(records.contains(#""latencySeconds":81"#))
            }
        }
    }

    @Test func aRepeatedRecordIsStoredAgainAndMarked() async throws {
        try await withFolder { folder in
            try await withReceiver(folder) { url, _ in
                for _ in 0..<2 { _ = try await send(SchemaPostTests.response, to: url + "/schema") }
                let records = try await curl(url + "/api/records")
                #expect(records.contains(#""id":2,"#) && records.contains(#""duplicateOf":1"#))
                let page = try await curl(url + "/")
                #expect(page.contains("duplicate of 1"))
            }
        }
    }

    @Test func anythingElseIsRefusedWithReasonsAndShown() async throws {
        try await withFolder { folder in
            try await withReceiver(folder) { url, _ in
                let answer = try await send(Array(SchemaPostTests.log.dropLast()), to: url + "/schema")
                #expect(answer.hasPrefix("HTTP/1.1 400") && answer.contains("platform is missing"))
                let json = try await curl("-H", "Content-Type: application/json", "-d", "{}", url + "/schema")
                #expect(json.hasPrefix("HTTP/1.1 400"))
                let broken = try await curl(
                    "-H", "Content-Type: multipart/form-data; boundary=b", "-d", "--b no", url + "/schema")
                #expect(broken.hasPrefix("HTTP/1.1 400"))
                let records = try await curl(url + "/api/records")
                #expect(records.hasSuffix("[]\n"))
                let page = try await curl(url + "/")
                #expect(page.contains("platform is missing"))
            }
        }
    }

    @Test func anOversizedBodyIsRefusedAndTheServerLivesOn() async throws {
        try await withFolder { folder in
            try await withReceiver(folder) { url, _ in
                let script = "import sys; sys.stdout.write('a=' + 'x' * 3000000)"
                let answer = try await run(
                    ["sh", "-c", "python3 -c \"\(script)\" | curl -s -i --data-binary @- \(url)/schema"])
                #expect(answer.contains("HTTP/1.1 413"))
                let page = try await curl(url + "/")
                #expect(page.contains("Nothing has arrived yet"))
            }
        }
    }

    @Test func recordsSurviveARestart() async throws {
        try await withFolder { folder in
            try await withReceiver(folder) { url, _ in _ = try await send(SchemaPostTests.log, to: url + "/schema") }
            try await withReceiver(folder) { url, _ in
                let devices = try await curl(url + "/api/devices")
                #expect(devices.contains(#""user":"ABDEG234""#) && devices.contains(#""logs":1"#))
            }
        }
    }

    @Test(arguments: [
        ("503:0.5", "HTTP/1.1 503", 0), ("close", "Empty reply", 0), ("hang", "Empty reply", 0),
        ("lost", "Empty reply", 1),
    ])
    func faultsMeetTheDevice(mode: String, answered: String, stored: Int) async throws {
        try await withFolder { folder in
            try await withReceiver(folder) { url, _ in
                let set = try await curl("-X", "POST", url + "/control/fault?mode=\(mode)")
                #expect(set.hasPrefix("HTTP/1.1 200"))
                let answer = try await send(SchemaPostTests.log, to: url + "/schema")
                #expect(answer.contains(answered) && !answer.contains("200 OK"))
                _ = try await curl("-X", "POST", url + "/control/fault?mode=none")
                let records = try await curl(url + "/api/records")
                #expect(records.contains("\"id\":") == (stored > 0))
                let after = try await send(SchemaPostTests.log, to: url + "/schema")
                #expect(after.hasSuffix("true"))
            }
        }
    }

    @Test func theAnswerCanBeSetButNotByAForeignPage() async throws {
        try await withFolder { folder in
            try await withReceiver(folder) { url, _ in
                let foreign = try await curl(
                    "-X", "POST", "-H", "Origin: http://evil.example", url + "/control/answer?body=false")
                #expect(foreign.hasPrefix("HTTP/1.1 403"))
                _ = try await curl("-X", "POST", url + "/control/answer?body=false")
                let answer = try await send(SchemaPostTests.log, to: url + "/schema")
                #expect(answer.hasSuffix("\r\n\r\nfalse"))
            }
        }
    }

    @Test func whatDevicesSendIsEscapedOnThePage() async throws {
        try await withFolder { folder in
            try await withReceiver(folder) { url, _ in
                var fields = SchemaPostTests.response
                fields[1].1 = "<script>u</script>"
                fields[4].1 = "\"><script>m</script>"
                fields[5].1 = #"{"<script>q":"<script>a</script>"}"#
                _ = try await send(fields, to: url + "/schema")
                let page = try await curl(url + "/")
                #expect(page.contains("&lt;script&gt;u") && page.contains("&lt;script&gt;a"))
                #expect(!page.contains("<script"))
            }
        }
    }
}
