// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit
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
            try StudyFinder(platforms: .standard, device: Page(text: text)).find(
                JoinRequest(source: "http://lab.example/", arguments: PlatformArguments()), platform: nil)
        }
        #expect(error?.explanation.place == "http://lab.example/" && error?.explanation.remedy != nil)
    }

    @Test func anAddressOfAStudyIsRead() throws {
        let text = String(decoding: AgentFixture.protocolText(days: 3, times: [(9, 0)]), as: UTF8.self)
        let found = try StudyFinder(platforms: .standard, device: Page(text: text)).find(
            JoinRequest(source: "http://lab.example/study/s.json", arguments: PlatformArguments()), platform: nil)
        #expect(found.loaded.study.tasks.count == 1)
    }

    /// A folder with a study of SageResearch, of one instruction.
    private static func find(_ settings: String) async throws -> LoadedStudy {
        try await AgentFixture.inFolder { folder in
            let task = #"{"type":"assessment","identifier":"T","steps":[{"type":"instruction","identifier":"a"}]}"#
            for (name, text) in [("t.json", task), ("u.json", task), ("study.toml", settings)] {
                try AtomicFile.write(Array(text.utf8), to: "\(folder)/\(name)", mode: 0o600)
            }
            return try LoadedStudy.load(folder)
        }
    }

    private static let settings = """
        # The walk
        platform = "sage"
        identifier = "S"
        certificate = \"\"\"
        -----BEGIN CERTIFICATE-----
        \"\"\"

        [[task]]
        file = "t.json"
        times = ["09:00",
            "25:00"]

        [[task]]
        file = "u.json"
        identifier = "U"
        times = ["09:00"]
        anchor = "T/day"
        last_day = "x"
        """

    @Test func whatIsWrongInTheSettingsHasItsLineInTheFile() async throws {
        let error = await #expect(throws: StudyFormatError.self) { try await Self.find(Self.settings) }
        let places = try #require(error).problems.map { "\($0.path) \($0.line ?? 0)" }
        #expect(
            Set(places) == [
                "study.toml:$.certificate 4", "study.toml:$.task[0].times[1] 11", "study.toml:$.task[1].anchor 17",
                "study.toml:$.task[1].last_day 18",
            ])
    }

    /// The line of the table that lacks it; the whole file has none.
    @Test(
        arguments: [
            ("platform = 'sage'\n\n[[task]]\nfile = 't.json'", "study.toml:$.identifier", nil),
            ("identifier = 'S'\n\n[[task]]\n# none", "study.toml:$.task[0].file", 3),
        ] as [(String, String, Int?)])
    func whatIsMissingInTheSettingsHasTheLineOfItsTable(_ settings: String, _ path: String, _ line: Int?) async throws {
        let error = await #expect(throws: StudyFormatError.self) { try await Self.find(settings) }
        let problem = try #require(error).problems.first { $0.path == path }
        #expect(try #require(problem).line == line)
    }

    /// The bytes stay: an enrolment before an update of studyd has the same digest.
    @Test func aWarningHasItsLineAndTheStudyItsBytes() async throws {
        let text = "identifier = 'S'\n\n[[task]]\nfile = 't.json'\n\nfoo = 1\n"
        let found = try await Self.find(text)
        let remarks = found.study.remarks.filter { $0.path.hasPrefix("study.toml") }
        #expect(remarks.map(\.path) == ["study.toml:$.task[0].foo"] && remarks.map(\.line) == [6])
        #expect(String(decoding: found.bytes, as: UTF8.self).contains(#"{\"identifier\":\"S\",\"task\":[{"#))
    }

    /// To readers of FDA MyStudies `study.toml` comes as `study.json`, which is also the name of a file of the study's
    /// server.
    @Test(
        arguments: [
            ("identifier = 'S'\nname = 5\n", nil, "study.toml:$.name 2"),
            ("identifier = 'S'\nname = 5\n", "{\"studyVersion\":\"1.0\"}", "study.toml:$.name 2"),
            ("language = 'de'\n", "{\n\"identifier\":\"S\",\n\"name\":5}", "study.json:$.name 3"),
        ] as [(String, String?, String)])
    func whatIsWrongInSettingsOfMyStudiesHasItsLine(settings: String, served: String?, place: String) async throws {
        let activity = #"{"activity":{"metadata":{"activityId":"A","version":"1.0","name":"A"},"steps":[]}}"#
        let error = await #expect(throws: StudyFormatError.self) {
            try await AgentFixture.inFolder { folder in
                var files = [("A.json", activity), ("study.toml", settings)]
                if let served { files.append(("study.json", served)) }
                for (name, text) in files {
                    try AtomicFile.write(Array(text.utf8), to: "\(folder)/\(name)", mode: 0o600)
                }
                return try LoadedStudy.load(folder, platform: PlatformName(rawValue: "mystudies"))
            }
        }
        let places = try #require(error).problems.map { "\($0.path) \($0.line ?? 0)" }
        #expect(places.contains(place), "\(places)")
    }
}
