// SPDX-License-Identifier: Apache-2.0
import Agent
import Base
import Foundation
import Study
import SystemKit
import Testing

/// The example of docs/adding/destination.md: compiled here, read from a configuration, and played as the agent plays a destination.
@Suite struct DestinationPageTests {
    static let catalog = DestinationCatalog(DestinationCatalog.standard.kinds + [FolderDestination.self])

    private static func file(_ path: String) throws -> String {
        let root = #filePath.replacing("Tests/AgentTests/Upload/Adding/DestinationPageTests.swift", with: "")
        return try String(contentsOfFile: root + path, encoding: .utf8)
    }

    @Test func thePageShowsTheExampleAsItIsCompiled() throws {
        let page = try Self.file("docs/adding/destination.md")
        let example = try Self.file("Tests/AgentTests/Upload/Adding/FolderDestination.swift")
        let code = try #require(example.range(of: "/// Puts").map { example[$0.lowerBound...] })
        #expect(page.contains("```swift\n" + code + "```\n"))
    }

    @Test func answersAndRecordingsGoToATableOfThatKind() async throws {
        let folder = try UploadFixture.folder()
        let disk = try UploadFixture.folder()
        defer { for path in [folder, disk] { try? FileManager.default.removeItem(atPath: path) } }
        let table = "board = 'b'\n[[destination]]\nkind = 'folder'\nname = 'disk'\ntakes = 'both'\npath = '\(disk)'"
        let configuration = try AgentConfiguration(parsing: table, file: "s.toml", catalog: Self.catalog)
        let database = try StudyDatabase(.memory, recordings: folder)
        guard case .file(let reference) = try UploadFixture.file("a.cwa", bytes: 9_000, in: folder).content else {
            return
        }
        let file = OutboxDraft(
            origin: "recording 1", itemClass: .motion, destination: "disk", content: .file(reference))
        let answer = UploadFixture.draft("yes", to: "https://example.org/in", destination: "disk")
        try await UploadFixture.append([file, answer], to: database)
        let uploader = Uploader(
            database, to: configuration.destinations.map(\.destination),
            context: UploadFixture.context(HastyClock(haste: 20), recordings: folder), seed: 3, userAgent: "t"
        )
        async let running: Void = uploader.run()
        try await database.reaches { $0.items[.delivered] == 2 }
        uploader.stop()
        await running
        #expect(try Digest(ofFile: disk + "/a.cwa").description == reference.sha256)
        let answers = try FileManager.default.contentsOfDirectory(atPath: disk).filter { $0.hasSuffix(".answers") }
        #expect(try answers.map { try String(contentsOfFile: "\(disk)/\($0)", encoding: .utf8) } == ["yes"])
    }

    @Test func aDiskThatIsNotThereIsWaitedFor() async throws {
        let table = "board = 'b'\n[[destination]]\nkind = 'folder'\ntakes = 'both'\npath = '/nowhere/at/all'"
        let configuration = try AgentConfiguration(parsing: table, file: "s.toml", catalog: Self.catalog)
        let database = try StudyDatabase(.memory)
        let draft = UploadFixture.draft("yes", to: "https://example.org/in", destination: "folder")
        try await UploadFixture.append([draft], to: database)
        let uploader = Uploader(
            database, to: configuration.destinations.map(\.destination), context: UploadFixture.context(HastyClock()),
            seed: 3, userAgent: "t")
        async let running: Void = uploader.run()
        try await database.tries()
        uploader.stop()
        await running
        #expect(
            try await database.items().map(\.note) == ["path: /nowhere/at/all is not there; plug the disk in"])
    }

    @Test(arguments: [(1_024, true), (1_025, false)]) func whatIsLargerThanItsSizeIsRefused(
        bytes: Int, isTaken: Bool
    ) throws {
        let folder = try UploadFixture.folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let settings = DestinationSettings(
            name: "disk", takes: .both, values: ["path": .text(folder), "largest_kib": .number(1)])
        let item = QueuedItem(
            id: "i", origin: "o", itemClass: .answers, destination: "disk", requestDigest: nil, bytes: Int64(bytes),
            file: nil)
        let request = WireRequest(method: "POST", url: "", headers: [], body: [1])
        let job = DeliveryJob(
            item: OutboxItem(
                item: item, enrolment: "e", state: .sending, attempts: 1, retryAt: nil,
                note: nil), content: .request(request), directory: "/", location: nil, offset: nil)
        let step = try FolderDestination(settings).send(job, by: HTTPClient(userAgent: "t"))
        let isDelivered = if case .finished(.delivered) = step { true } else { false }
        #expect(isDelivered == isTaken)
    }
}
