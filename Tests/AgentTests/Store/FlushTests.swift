// SPDX-License-Identifier: Apache-2.0
import Base
import Foundation
import Study
import Testing

@testable import Agent

/// What may wait for a flush is there for everybody at once. SQLite writes it without one in WAL
/// mode with `synchronous=NORMAL` (https://sqlite.org/pragma.html#pragma_synchronous: a commit may
/// then roll back after a power loss, and is kept when the program ends).
@Suite(.timeLimit(.minutes(10)))
struct FlushTests {
    /// A store on the disk, and what is known of its log beside it.
    private struct Place {
        let folder = NSTemporaryDirectory() + "studyd-flush-\(UUID())"
        var path: String { folder + "/studyd.sqlite" }
        var head: Int64? { HeadFile(StoreFiles(path).head).read().head?.sequence }

        func open() throws -> StudyDatabase {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            return try StudyDatabase(.file(path))
        }

        func remove() { try? FileManager.default.removeItem(atPath: folder) }
    }

    private let edge = StoreEntry(events: [.pressed(button: 1, at: .zero)], stamp: Fixture.stamp(1))

    @Test func whatWaitsForAFlushIsReadByOthersAndNoHeadTellsOfIt() async throws {
        let place = Place()
        defer { place.remove() }
        let database = try place.open()
        try await database.append([StoreEntry(events: [.listOpened], stamp: Fixture.stamp(0))])
        #expect(place.head == 1)
        try await database.append([edge], flushing: false)
        let other = try StudyDatabase(.readOnly(place.path))
        #expect(try await other.events().map(\.sequence) == [1, 2])
        #expect(place.head == 1, "a power cut may take row 2, and it must not be missed then")
        try await database.flush()
        #expect(place.head == 2)
        #expect(try await database.verifyLog() == nil)
    }

    @Test func theNextCommitTakesItAlongAndOneOfNothingDoesNot() async throws {
        let place = Place()
        defer { place.remove() }
        let database = try place.open()
        try await database.append([edge], flushing: false)
        try await database.append([])
        #expect(place.head == nil)
        try await database.append([StoreEntry(events: [.listLeft], stamp: Fixture.stamp(2))])
        #expect(place.head == 2)
    }

    @Test func itIsFlushedOnceItHasWaitedForSoLong() async throws {
        let place = Place()
        defer { place.remove() }
        let database = try place.open()
        try await database.append([edge], flushing: false)
        for (second, head) in [(0, nil), (19, nil), (20, 1)] as [(Int64, Int64?)] {
            let condition = await database.condition(
                flushingAfter: .seconds(20), at: .zero + .seconds(second))
            #expect(place.head == head, "after \(second) s")
            #expect(condition == StoreCondition(memoryOnlyReason: nil, headFault: nil, flushFault: nil))
        }
    }

    /// The row of a start makes everything wait that is being sent: of this start nothing may be.
    @Test func theAgentHasStartedOnceItsFirstCommitIsWritten() async throws {
        let folder = NSTemporaryDirectory() + "\(UUID())"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let agent = try StudyDatabase(rescuing: folder + "/studyd.sqlite", recordings: folder, at: Fixture.stamp(0))
        try await agent.append([], sending: [Fixture.draft("a")], at: Fixture.stamp(1))
        #expect(await agent.hasStarted == false)
        try await agent.append([StoreEntry(events: [.agentStarted(version: "1")], stamp: Fixture.stamp(2))])
        #expect(await agent.hasStarted)
        let command = try StudyDatabase(.memory)
        #expect(await command.hasStarted, "a command starts nothing")
    }

    @Test func aFewThatAreSentTogetherBeginInOneTransactionAndAreGivenBackUntouched() async throws {
        let database = try StudyDatabase(.memory)
        let drafts = ["a", "b", "c"].map { Fixture.draft($0) } + [Fixture.draft("event", .events)]
        try await database.append([], sending: drafts, at: Fixture.stamp(0))
        let choice = UploadChoice(
            destination: "study", enrolment: nil, now: Fixture.stamp(1).wall, resettingBackoffBefore: nil,
            leastTriedFirst: false,
            longestWait: .seconds(900))
        let begun = try await database.startUploads(choice, most: 8) { Fixture.stamp(1, enrolment: $0) }
        #expect(begun.map(\.item.origin) == ["a", "b", "c"], "of one class")
        try await database.finishUpload(begun[0].item.id, .delivered(receipt: "200"), at: Fixture.stamp(2))
        try await database.returnUploads(begun.map(\.item.id), at: Fixture.stamp(3))
        let items = try await database.items()
        #expect(items.map(\.state) == [.delivered, .waiting, .waiting, .waiting])
        #expect(items.map(\.attempts) == [1, 0, 0, 0] && items.allSatisfy { $0.retryAt == nil })
        let one = try await database.startUploads(choice, most: 1) { Fixture.stamp(4, enrolment: $0) }
        #expect(one.map(\.item.origin) == ["b"])
    }
}
