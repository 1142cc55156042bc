// SPDX-License-Identifier: Apache-2.0
import Database
import Foundation
import Testing

@testable import Agent

/// The head beside the log: to cut the log short or rewrite it unseen, one has to take the head
/// away too, and that is seen.
@Suite struct HeadTests {
    @Test func itIsThereBeforeTheFirstRow() async throws {
        try await Self.withFolder { folder in
            let database = try StudyDatabase(.file(folder + "/studyd.sqlite"))
            #expect(HeadFile(folder + "/studyd.head").read() == .begun)
            #expect(try Data(contentsOf: URL(fileURLWithPath: folder + "/studyd.head")).count == 8192)
            try await database.append([.listOpened], at: Fixture.stamp(0))
            let head = try #require(HeadFile(folder + "/studyd.head").read().head)
            #expect(head.sequence == 1)
            #expect(try Data(contentsOf: URL(fileURLWithPath: folder + "/studyd.head")).count == 8192)
        }
    }

    /// A log has nothing to lose before its first row: then its absence says nothing.
    @Test func aLogWithoutARowMakesItsHeadAgain() async throws {
        try await Self.withFolder { folder in
            let command = try StudyDatabase(.file(folder + "/studyd.sqlite"))
            unlink(folder + "/studyd.head")
            try await command.append([.listOpened], at: Fixture.stamp(0))
            #expect(HeadFile(folder + "/studyd.head").read().head?.sequence == 1)
            #expect(await command.headFault == nil)
            #expect(try await command.verifyLog() == nil)
        }
    }

    /// The power may go between the first commit and the first head.
    @Test func aLogWithItsFirstRowsAndAHeadThatTellsOfNoneIsWhole() async throws {
        try await Self.withFolder { folder in
            try HeadFile(folder + "/studyd.head").begin()
            let connection = try Connection(.file(folder + "/studyd.sqlite"))
            try EventLog(connection).append([.listOpened, .listLeft], at: Fixture.stamp(0))
            let database = try StudyDatabase(
                rescuing: folder + "/studyd.sqlite", recordings: folder + "/recordings", at: Fixture.stamp(1))
            #expect(database.foundDamage == nil)
            #expect(try await database.verifyLog() == nil)
        }
    }

    /// The power may go between making the file and writing it; of a log with rows it was emptied.
    @Test(arguments: [0, 8192]) func aHeadThatWasNeverWrittenIsThatOfANewLog(_ size: Int) async throws {
        try await Self.withFolder { folder in
            let (path, head) = (folder + "/studyd.sqlite", folder + "/studyd.head")
            func blank() throws { try Data(count: size).write(to: URL(fileURLWithPath: head)) }
            try blank()
            let database = try StudyDatabase(
                rescuing: path, recordings: folder + "/recordings", at: Fixture.stamp(1))
            #expect(database.foundDamage == nil)
            try await database.append([.listOpened], at: Fixture.stamp(2))
            #expect(HeadFile(head).read().head?.sequence == 1)
            #expect(try await database.verifyLog() == nil)
            try blank()
            #expect(try await database.verifyLog()?.problem.contains("head") == true)
        }
        try await Self.withFolder { folder in
            let path = folder + "/studyd.sqlite"
            try await StudyDatabase(.file(path)).append([.listOpened], at: Fixture.stamp(0))
            try Data(count: size).write(to: URL(fileURLWithPath: folder + "/studyd.head"))
            let agent = try StudyDatabase(rescuing: path, recordings: folder, at: Fixture.stamp(1))
            #expect(agent.foundDamage?.words.contains("the head of its log cannot be read") == true)
        }
    }

    /// A command that writes makes no head for a log that has lost its own: the agent's next start
    /// would believe it.
    @Test func aCommandMakesNoneForALogThatHasLostIt() async throws {
        try await Self.withFolder { folder in
            let path = folder + "/studyd.sqlite"
            try await StudyDatabase(.file(path)).append([.listOpened], at: Fixture.stamp(0))
            unlink(folder + "/studyd.head")
            let command = try StudyDatabase(.file(path))
            #expect(try await command.verifyLog()?.problem.contains("head") == true)
            try await command.append([.listLeft], at: Fixture.stamp(1))
            #expect(HeadFile(folder + "/studyd.head").read() == .none)
            #expect(await command.headFault != nil)
            let agent = try StudyDatabase(rescuing: path, recordings: folder, at: Fixture.stamp(2))
            #expect(agent.foundDamage?.words.contains("the head of its log is missing") == true)
            #expect(agent.foundDamage?.isEndUnknown == true)
            #expect(HeadFile(folder + "/studyd.head").read().head?.sequence == 3)
            let again = try StudyDatabase(rescuing: path, recordings: folder, at: Fixture.stamp(3))
            #expect(again.foundDamage == nil, "it is told once")
        }
    }

    /// Hand-over takes the head away first, and may be cut short there.
    @Test func aClosedLogNeedsNone() async throws {
        try await Self.withFolder { folder in
            let path = folder + "/studyd.sqlite"
            let database = try StudyDatabase(.file(path))
            try await database.append([Fixture.enrolled], at: Fixture.stamp(0))
            try await database.close(at: Fixture.stamp(1))
            StudyDatabase.forget(path)
            let agent = try StudyDatabase(rescuing: path, recordings: folder, at: Fixture.stamp(2))
            #expect(agent.foundDamage == nil)
        }
    }

    private static func withFolder(_ body: (String) async throws -> Void) async throws {
        let folder = NSTemporaryDirectory() + "head-\(UUID())"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await body(folder)
    }
}
