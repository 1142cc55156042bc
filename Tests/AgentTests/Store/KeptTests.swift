// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Agent
@testable import Study

@Suite struct KeptTests {
    private static let policy = RetentionPolicy(diskCap: 20_000, keepDelivered: .zero, keepAnswers: .seconds(3600))

    private func draft(_ name: String, bytes: Int = 100) -> OutboxDraft {
        OutboxDraft(
            origin: name, itemClass: .answers, destination: "study",
            content: .request(
                WireRequest(
                    method: "POST", url: "http://x/\(name)", headers: [], body: [UInt8](repeating: 1, count: bytes))))
    }

    private func delivered(_ database: StudyDatabase, _ name: String, bytes: Int = 100, at second: Int64) async throws
        -> String
    {
        try await database.append([], sending: [draft(name, bytes: bytes)], at: Fixture.stamp(second))
        let id = try #require(try await database.items(in: .waiting).last?.item.id)
        #expect(try await database.startUpload(id, at: Fixture.stamp(second)))
        try await database.finishUpload(id, .delivered(receipt: "200 <html>"), at: Fixture.stamp(second))
        return id
    }

    @Test func aDeliveredAnswerIsSentAgainWithTheVeryBytesUntilItsGraceIsOver() async throws {
        let database = try StudyDatabase(.memory)
        let id = try await delivered(database, "a", at: 10)
        let before = try await database.content(of: try #require(try await database.item(id)))
        #expect(try await database.kept() == .init(count: 1, bytes: 100, oldest: Fixture.stamp(10).wall))
        try await database.applyRetention(Self.policy, at: Fixture.stamp(3600))
        #expect(
            try await database.resendDelivered(
                from: Fixture.stamp(11).wall, until: Fixture.stamp(99).wall, at: Fixture.stamp(3601)) == 0)
        #expect(
            try await database.resendDelivered(
                from: Fixture.stamp(10).wall, until: Fixture.stamp(11).wall, at: Fixture.stamp(3601)) == 1)
        let again = try #require(try await database.items(in: .waiting).first)
        #expect(again.item.id == id)
        #expect(try await database.content(of: again) == before)
        #expect(try await database.counts().items == [.waiting: 1])
        // While it waits to be sent again nothing of it goes.
        try await database.applyRetention(Self.policy, at: Fixture.stamp(99_999))
        #expect(try await database.content(of: again) == before)
        #expect(try await database.startUpload(id, at: Fixture.stamp(100_000)))
        try await database.finishUpload(id, .delivered(receipt: "200 1"), at: Fixture.stamp(100_000))
        try await database.applyRetention(Self.policy, at: Fixture.stamp(103_601))
        await #expect(throws: StoreError.missingContent(item: id)) { try await database.content(of: again) }
        #expect(try await database.kept() == nil)
        await #expect(throws: StoreError.missingContent(item: id)) {
            try await database.resendDelivered(id, at: Fixture.stamp(103_602))
        }
        #expect(try await database.verifyLog() == nil)
        let projections = try await database.projectionDump()
        try await database.rebuildProjections()
        #expect(try await database.projectionDump() == projections)
    }

    /// For a lab that lost its data: what was removed cannot be sent, and what waits again is not removed.
    @Test func recordingsWhoseFilesAreHereAreSentAgain() async throws {
        let database = try StudyDatabase(.memory)
        for (second, id) in [(10, "1"), (20, "2"), (30, "3")] as [(Int64, String)] {
            let recording = Fixture.recording(id, .motion)
            try await database.append(
                [.recordingSealed(recording: recording)], sending: [Fixture.file(of: recording)],
                at: Fixture.stamp(second))
            let item = try #require(try await database.items(in: .waiting).last?.item.id)
            #expect(try await database.startUpload(item, at: Fixture.stamp(second)))
            try await database.finishUpload(item, .delivered(receipt: "r"), at: Fixture.stamp(second))
        }
        let policy = RetentionPolicy(
            diskCap: 1_000_000, keepDelivered: .seconds(90), keepAnswers: .seconds(3600))
        try await database.applyRetention(policy, at: Fixture.stamp(100))
        func resend(to destination: String, _ from: Int64, _ until: Int64) async throws -> Int {
            try await database.resendRecordings(
                to: destination, from: Fixture.stamp(from).wall, until: Fixture.stamp(until).wall,
                at: Fixture.stamp(101))
        }
        #expect(try await database.recordingDestinations() == ["files"])
        #expect(try await resend(to: "bucket", 0, 99) == 0)
        #expect(try await resend(to: "files", 0, 20) == 0, "the first one's files are gone")
        #expect(try await resend(to: "files", 0, 30) == 1)
        #expect(try await database.items(in: .waiting).map(\.item.file?.recording) == ["2"])
        try await database.applyRetention(policy, at: Fixture.stamp(99_999))
        #expect(try await database.recordingViews().filter { $0.removed == nil }.map(\.recording.id) == ["2"])
        let projections = try await database.projectionDump()
        try await database.rebuildProjections()
        #expect(try await database.projectionDump() == projections)
    }

    @Test func whatIsKeptTakesATwentiethOfTheDisksCapAtMostAndTheOldestGoFirst() async throws {
        let database = try StudyDatabase(.memory)
        var ids: [String] = []
        for number in 0..<4 { ids.append(try await delivered(database, "a\(number)", bytes: 400, at: Int64(number))) }
        try await database.append([], sending: [draft("waits", bytes: 5000)], at: Fixture.stamp(9))
        try await database.applyRetention(Self.policy, at: Fixture.stamp(10))
        #expect(try await database.keptIDs() == Set(ids.suffix(2)))
        let waiting = try #require(try await database.items(in: .waiting).first)
        _ = try await database.content(of: waiting)
    }

    /// `[disk] keep_answers` is for a server that lost its disk: neither a restart nor a clock that
    /// jumped takes what it is to be given again.
    @Test(arguments: [10, 366]) func whileAgesAreUnknownEveryAnswerStays(days: Int64) async throws {
        let database = try StudyDatabase(.memory)
        let id = try await delivered(database, "a", at: 0)
        let policy = RetentionPolicy(diskCap: 20_000, keepDelivered: .zero, keepAnswers: .seconds(30 * 86_400))
        try await database.applyRetention(policy.keepingAge, at: Fixture.stamp(days * 86_400))
        #expect(try await database.keptIDs() == [id])
        try await database.applyRetention(policy, at: Fixture.stamp(days * 86_400))
        #expect(try await database.keptIDs() == (days < 30 ? [id] : []))
    }

    @Test func leavingWithEverythingDeletedKeepsNothing() async throws {
        let database = try StudyDatabase(.memory)
        _ = try await delivered(database, "a", at: 1)
        try await database.withdraw(deletesUnsent: true, sending: [], at: Fixture.stamp(2))
        #expect(try await database.kept() == nil)
    }

    @Test func whatGaveWayToSomethingElseWaitsWithoutAFailure() async throws {
        let database = try StudyDatabase(.memory)
        try await database.append([], sending: [draft("a")], at: Fixture.stamp(0))
        let id = try #require(try await database.items().first?.item.id)
        #expect(try await database.startUpload(id, at: Fixture.stamp(1)))
        try await database.finishUpload(id, .paused, at: Fixture.stamp(2))
        let item = try #require(try await database.item(id))
        #expect(item.state == .waiting && item.attempts == 0 && item.retryAt == nil)
        #expect(
            try await database.nextItem(for: "study", at: Fixture.stamp(2).wall, longestWait: .seconds(900))?.item.id
                == id)
    }
}
