// SPDX-License-Identifier: Apache-2.0
import Base
import Database
import Foundation
import Testing

@testable import Agent
@testable import Study

/// A damaged store beside a write-ahead log with other images of its pages.
@Suite(.timeLimit(.minutes(10))) struct ForeignPagesTests {
    /// The files of a store, `studyd.sqlite` with everything in it, and what its write-ahead log was
    /// before SQLite moved it there.
    private func store(_ fill: (StudyDatabase) async throws -> Void) async throws -> (folder: String, log: Data) {
        let folder = NSTemporaryDirectory() + "pages-\(UUID())"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let database = try StudyDatabase(.file(folder + "/studyd.sqlite"))
        try await database.append([Fixture.enrolled], at: Fixture.stamp(0))
        try await fill(database)
        let log = try Data(contentsOf: URL(fileURLWithPath: folder + "/studyd.sqlite-wal"))
        try await database.checkpoint()
        return (folder, log)
    }

    /// Into an empty store, as a start does that finds it damaged.
    private func salvage(_ folder: String, beside log: Data) throws -> (salvage: Salvage, connection: Connection) {
        try log.write(to: URL(fileURLWithPath: folder + "/studyd.sqlite-wal"))
        let connection = try Connection(.memory)
        _ = try EventLog(connection)
        guard case .head(let head) = HeadFile(folder + "/studyd.head").read() else { throw CancellationError() }
        var salvage = Salvage(DamagedFile(folder + "/studyd.sqlite"), into: connection, head: head)
        try salvage.run()
        try salvage.dropRefuted()
        return (salvage, connection)
    }

    /// Of all places where `text` stands in the database file.
    private func spoil(_ text: String, in folder: String) throws {
        let file = URL(fileURLWithPath: folder + "/studyd.sqlite")
        var bytes = try Data(contentsOf: file)
        var start = bytes.startIndex
        while let found = bytes.range(of: Data(text.utf8), in: start..<bytes.endIndex) {
            bytes[found.lowerBound] ^= 1
            start = found.upperBound
        }
        try #require(start > bytes.startIndex, "\(text) is not there")
        try bytes.write(to: file)
    }

    @Test func ofTwoReadingsOfARequestTheOneIsKeptThatIsWhole() async throws {
        let (folder, log) = try await store { database in
            try await database.append([], sending: [Fixture.draft("a", body: "a dear answer")], at: Fixture.stamp(1))
        }
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try spoil("a dear answer", in: folder)
        let connection = try salvage(folder, beside: log).connection
        let bodies = try connection.rows("SELECT body FROM request") {
            String(decoding: try $0.bytes(0), as: UTF8.self)
        }
        #expect(bodies == ["a dear answer"])
    }

    /// A write-ahead log of another device's store: below the rows that ours has lost its own are not
    /// taken instead.
    @Test func belowAHoleTheLogDoesNotGoOnInAnother() async throws {
        func fill(_ whose: String, _ count: Int) -> (StudyDatabase) async throws -> Void {
            { database in
                for number in 2...count {
                    let event = StudyEvent.fault(place: "x", message: "\(whose) \(number)!")
                    try await database.append([event], at: Fixture.stamp(Int64(number)))
                }
            }
        }
        let (folder, _) = try await store(fill("ours", 80))
        let (other, log) = try await store(fill("theirs", 60))
        defer { for folder in [folder, other] { try? FileManager.default.removeItem(atPath: folder) } }
        for number in 50...60 { try spoil("ours \(number)!", in: folder) }
        let (salvage, connection) = try salvage(folder, beside: log)
        #expect(salvage.kept == 69 && salvage.lost == [[50, 60]], "\(salvage.lost)")
        let faults = try connection.rows("SELECT body FROM event WHERE kind = 'fault'") { try $0.string(0) }
        #expect(faults.count == 68 && faults.allSatisfy { $0.contains("ours ") })
    }
}

extension StudyDatabase {
    fileprivate func checkpoint() throws { try connection.execute("PRAGMA wal_checkpoint(TRUNCATE)") }
}
