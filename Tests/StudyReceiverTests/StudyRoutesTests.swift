// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import StudyReceiver

@Suite(.timeLimit(.minutes(10))) struct StudyRoutesTests {
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
                let other = try await curl("--path-as-is", url + "/study/..%2Freceiver.sqlite")
                #expect(other.hasPrefix("HTTP/1.1 404"))
            }
        }
    }
}
