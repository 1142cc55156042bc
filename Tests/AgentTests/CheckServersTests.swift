// SPDX-License-Identifier: Apache-2.0
import Base
import Glibc
import Study
import SystemKit
import Testing

@testable import Agent

@Suite struct CheckServersTests {
    /// A study that was left may have answers for several servers, of which three are asked.
    @Test func serversAreNamedByWhatIsSentThere() async throws {
        try await AgentFixture.inFolder { folder in
            let configuration = try AgentConfiguration(
                parsing: """
                    board = "b"
                    state = "\(folder)"
                    [upload]
                    recordings = "https://lab.example/files"
                    [report]
                    url = "https://lab.example"
                    """, file: "studyd.toml")
            func servers() async throws -> [String] {
                try await CheckServer.all(of: configuration).map { "\($0.name): \($0.url)" }
            }
            let lab = ["recordings: https://lab.example/files", "report: https://lab.example"]
            #expect(try await servers() == lab)
            #expect(access(folder + "/studyd.sqlite", F_OK) != 0, "no store is made")

            let database = try StudyDatabase(.file(folder + "/studyd.sqlite"))
            #expect(try await servers() == lab)
            let record = EnrolmentRecord(
                Fixture.enrolment, platform: PlatformName(rawValue: "schema"), source: "study.json",
                fileDigest: try Digest(of: []), postURL: "https://study.example/post")
            let drafts = (1...4).map { number in
                OutboxDraft(
                    origin: "\(number)", itemClass: .answers, destination: "study",
                    content: .request(
                        WireRequest(
                            method: "POST", url: "https://s\(number).example/post", headers: [], body: [UInt8(number)]))
                )
            }
            try await database.append([.enrolled(enrolment: record)], sending: drafts, at: Fixture.stamp(1))
            #expect(try await servers() == ["study: https://study.example/post"] + lab)

            try await database.withdraw(deletesUnsent: false, sending: [], at: Fixture.stamp(2))
            let left = [
                "study you left: https://s1.example/post", "study you left (2): https://s2.example/post",
                "study you left (3): https://s3.example/post",
            ]
            #expect(try await servers() == left + lab)
        }
    }
}
