// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Agent
@testable import Study

@Suite struct StudyFinderTests {
    private struct Page: PlatformDevice {
        let text: String
        func send(_ request: WireRequest) throws -> ServerAnswer { try download(request) }
        func download(_ request: WireRequest) throws -> ServerAnswer {
            ServerAnswer(status: 200, body: Array(text.utf8))
        }
        func secret(_ credential: String) throws -> String { "" }
    }

    /// The lab's page, or that on which a network asks for a password.
    @Test(arguments: ["<!doctype html><title>study-receiver</title>", "\n  <html>"])
    func aWebPageInPlaceOfAStudyIsNamed(text: String) {
        let error = #expect(throws: PlatformServerError.self) {
            try StudyFinder(.standard, over: Page(text: text)).find(
                JoinRequest(source: "http://lab.example/", arguments: PlatformArguments()), platform: nil)
        }
        #expect(error?.explanation.place == "http://lab.example/" && error?.explanation.remedy != nil)
    }

    @Test func anAddressOfAStudyIsRead() throws {
        let text = String(decoding: AgentFixture.protocolText(days: 3, times: [(9, 0)]), as: UTF8.self)
        let found = try StudyFinder(.standard, over: Page(text: text)).find(
            JoinRequest(source: "http://lab.example/study/s.json", arguments: PlatformArguments()), platform: nil)
        #expect(found.loaded.study.tasks.count == 1)
    }
}
