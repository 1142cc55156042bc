// SPDX-License-Identifier: Apache-2.0
import SystemKit
import Testing

@testable import Lab

@Suite(.timeLimit(.minutes(10))) struct StudyRoutesTests {
    /// A device that enrols from here sends here: by the name and port under which the file was
    /// asked for. Numbers and order stay as they were written.
    @Test func aStudyNamesTheServerThatServesIt() async throws {
        let study =
            #"{"properties":{"study_id":"X","post_url":"http://127.0.0.1:8080/schema","n":1.50},"modules":[{"text":"a \"post_url\": \"no\""}]}"#
        try await withFolder { folder in
            try await run(["sh", "-c", "mkdir -p '\(folder)'; cat > '\(folder)/x.json'"], input: study)
            for keeps in [false, true] {
                try await withReceiver(
                    folder,
                    {
                        $0.studies = ["\(folder)/x.json"]
                        $0.keepsPostURL = keeps
                        $0.names = ["lab.example"]
                        $0.proxies = ["127.0.0.1"]
                    }
                ) { url, _ in
                    func address(_ arguments: String...) async throws -> String {
                        let script =
                            "import json, sys; s = json.load(sys.stdin); assert s['modules'][0]['text'] == 'a \"post_url\": \"no\"'; assert '1.50' in sys.argv[1] and list(s)[0] == 'properties'; print(s['properties']['post_url'], end='')"
                        let text = try await run(["curl", "-s"] + arguments + [url + "/study/x.json"])
                        return try await run(["python3", "-c", script, text], input: text)
                    }
                    let original = "http://127.0.0.1:8080/schema"
                    let (got, posted) = (try await address(), try await address("-d", "seed=f2d91e73"))
                    #expect(Set([got, posted]) == [keeps ? original : url + "/schema"])
                    let proxied = try await address("-H", "Host: lab.example", "-H", "X-Forwarded-Proto: https")
                    #expect(proxied == (keeps ? original : "https://lab.example/schema"))
                }
            }
        }
    }

    @Test(arguments: ["[]", "{", #"{"properties":[]}"#, #"{"modules":[]}"#])
    func whatIsNoStudyIsServedAsItIs(text: String) { #expect(StudyRoutes.study(text, to: "http://x/") == nil) }

    @Test(arguments: [(false, "HTTP/1.1 200"), (true, "HTTP/1.1 405")])
    func aProtocolIsGivenAsAnAppOrABrowserAsks(refusesPost: Bool, answered: String) async throws {
        try await withFolder { folder in
            try await run(["mkdir", "-p", folder])
            try await run(["sh", "-c", "printf '{\"modules\":[]}' > '\(folder)/my study.json'"])
            try await withReceiver(
                folder,
                {
                    $0.studies = ["\(folder)/my study.json"]
                    $0.refusesPost = refusesPost
                }
            ) { url, _ in
                let posted = try await curl("-d", "seed=f2d91e73", url + "/study/my%20study.json")
                #expect(posted.hasPrefix(answered))
                let got = try await curl(url + "/study/my%20study.json")
                #expect(got.hasSuffix("{\"modules\":[]}"))
                #expect(try BoundedFile.text(folder + "/studies/my study.json") == "{\"modules\":[]}", "it is kept")
                let other = try await curl("--path-as-is", url + "/study/..%2Freceiver.sqlite")
                #expect(other.hasPrefix("HTTP/1.1 404"))
            }
        }
    }
}
