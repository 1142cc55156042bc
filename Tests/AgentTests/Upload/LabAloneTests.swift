// SPDX-License-Identifier: Apache-2.0
import Base
import Foundation
import Study
import SystemKit
import Testing

@testable import Agent

/// What two real servers hear: how a participant keeps to the study goes to the lab's receiver
/// alone.
@Suite(.enabled(if: LabServer.isAvailable, "python3 is missing"), .timeLimit(.minutes(10))) struct LabAloneTests {
    private static let told = ["studyd-compliance", "studyd-log"]

    private func heard(_ server: LabServer) throws -> [[String]] {
        let data = try #require(FileManager.default.contents(atURL: server.url("/requests")))
        let requests = try #require(JSONSerialization.jsonObject(with: data) as? [[String: Any]])
        return requests.filter { $0["method"] as? String == "POST" }.map { request in
            (request["headers"] as? [[String]] ?? []).map { $0[0].lowercased() }.filter(Self.told.contains)
        }
    }

    private static let missed: Occurrence = {
        let due = Instant(seconds: 1_799_999_000)
        return Occurrence(
            id: "u/1", task: "u", taskIndex: 0, number: 1, local: LocalDateTime(due, offset: 0), due: due, expires: due)
    }()

    @Test func complianceGoesToTheLabsReceiverAlone() async throws {
        let (lab, platform) = (try LabServer(), try LabServer())
        let clock = HastyClock()
        let database = try StudyDatabase(.memory)
        try await UploadFixture.append(
            [UploadFixture.draft("a", to: lab.url("/take")), UploadFixture.draft("b", to: platform.url("/take"))],
            to: database,
            [.concluded(occurrence: OccurrenceRecord(Self.missed), outcome: .missed(.deviceOff))])
        let uploader = Uploader(
            database, to: [UploadFixture.study()],
            context: UploadFixture.context(clock, lab: lab.url("/files")), seed: 1, userAgent: "t")
        let running = Task { await uploader.run() }
        try await database.reaches { $0.items[.delivered] == 2 }
        uploader.stop()
        await running.value
        #expect(try heard(lab).map { $0.sorted() } == [Self.told])
        #expect(try heard(platform) == [[]])
    }

    /// RFC 6454 §4: scheme, host and port; the rest of an address does not make another server.
    @Test(arguments: [
        ("http://lab.example/files", "http://LAB.example:80/schema?x", true),
        ("https://lab.example", "https://lab.example:443/a", true),
        ("http://lab.example", "https://lab.example", false),
        ("http://lab.example:8080", "http://lab.example:8081", false),
        ("http://lab.example", "http://lab.example.org", false),
        ("http://lab.example", "http://lab.example@evil.org/", false),
        ("http://[::1]:80/x", "http://[::1]/y", true), ("http://u:p@lab.example/", "http://lab.example", true),
    ])
    func anOriginIsSchemeHostAndPort(left: String, right: String, isSame: Bool) {
        #expect((WebOrigin(left) == WebOrigin(right)) == isSame && WebOrigin(left) != nil)
    }

    @Test(arguments: ["", "lab.example/files", "://x", "http://", "http://lab.example@/files", "http://:80/files"])
    func whatIsNoAddressHasNone(text: String) {
        #expect(WebOrigin(text) == nil)
    }
}

extension FileManager {
    /// What an address gives.
    fileprivate func contents(atURL url: String) -> Data? {
        URL(string: url).flatMap { url in
            let curl = Process()
            let output = Pipe()
            curl.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            curl.arguments = ["curl", "-s", url.absoluteString]
            curl.standardOutput = output
            guard (try? curl.run()) != nil else { return nil }
            return output.fileHandleForReading.readDataToEndOfFile()
        }
    }
}
