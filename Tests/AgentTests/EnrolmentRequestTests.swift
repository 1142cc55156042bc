// SPDX-License-Identifier: Apache-2.0
import Base
import Study
import SystemKit
import Testing

@testable import Agent

@Suite struct EnrolmentRequestTests {
    @Test func everythingThatIsAskedForIsWishedFor() async throws {
        try await AgentFixture.inFolder { folder in
            let path = folder + "/study.json"
            try AtomicFile.write(AgentFixture.protocolText(days: 1, times: [(9, 0)]), to: path)
            var request = EnrolmentRequest(source: path)
            let plain = try request.loadOptions(.standard)
            #expect(plain.participant == nil && plain.seed == nil && plain.postURL == nil && plain.consent == nil)
            #expect(plain.rules == nil && plain.deviceKey == nil && plain.code == nil && plain.join == nil)
            #expect(!plain.allowsSilence && plain.without.isEmpty && plain.holdTimes == .usual)

            let key = DeviceKey()
            (request.participant, request.seed, request.postURL) = ("P1", 7, "https://study.example/post")
            (request.allowsSilence, request.without, request.holdTimes) = (true, ["kick"], .slow)
            (request.deviceKey, request.code) = (key.text, "7K3M-Q0ZD-WX5B")
            request.consent = .init(text: TakeoverFixture.consent, file: "consent.json")
            let options = try request.loadOptions(.standard)
            #expect(options.loaded.study.studyID == "GENERATED")
            #expect(options.participant == "P1" && options.seed == 7 && options.postURL == "https://study.example/post")
            #expect(options.allowsSilence && options.without == ["kick"] && options.holdTimes == .slow)
            #expect(options.deviceKey == key && options.code == EnrolmentCode("7K3M-Q0ZD-WX5B") && options.code != nil)
            let consent = try ConsentRecord(parsing: Array(TakeoverFixture.consent.utf8), file: "consent.json")
            #expect(options.consent == consent)

            request.consent = .init(text: "{}", file: "consent.json")
            #expect { try request.loadOptions(.standard) } throws: { "\($0)".contains("consent.json") }
        }
    }

    @Test func aStudyThatCannotBeReadIsNamedBeforeItsProblems() async throws {
        try await AgentFixture.inFolder { folder in
            let path = folder + "/study.json"
            try AtomicFile.write(Array("[1".utf8), to: path)
            let error = #expect(throws: UnreadableStudy.self) {
                try EnrolmentRequest(source: path).loadOptions(.standard)
            }
            #expect(error?.description.hasPrefix("\(path): cannot be run:\n$ (line 1): expected JSON") == true)
        }
    }
}
