// SPDX-License-Identifier: Apache-2.0
import Base
import Foundation
import Study
import SystemKit
import Testing

@testable import Agent

/// What somebody does to the files of a store that is open. Python reads what is on the
/// disk afterwards.
@Suite(.serialized, .timeLimit(.minutes(10))) struct StoreFileWatchTests {
    enum Deed: String, CaseIterable, Sendable {
        case databaseRemoved, logRemoved, indexRemoved, allRemoved, databaseReplaced, folderReplaced
        case databaseEmptied, databaseHalved, logEmptied, logHalved, indexEmptied
        /// Emptied, and written on before anybody looks: as long as before, with a hole.
        case logEmptiedAndWrittenOn, indexEmptiedAndWrittenOn, databaseEmptiedAndCheckpointed

        func perform(_ folder: String, _ database: StudyDatabase) async throws {
            let path = folder + "/studyd.sqlite"
            switch self {
            case .databaseRemoved: unlink(path)
            case .logRemoved: unlink(path + "-wal")
            case .indexRemoved: unlink(path + "-shm")
            case .allRemoved: for end in ["", "-wal", "-shm"] { unlink(path + end) }
            case .databaseReplaced:
                try Data("something else".utf8).write(to: URL(fileURLWithPath: path + ".other"))
                rename(path + ".other", path)
            case .folderReplaced:
                for end in ["", "-wal", "-shm"] { rename(path + end, folder + "/away\(end)") }
                mkdir(path, 0o755)
            case .databaseEmptied: truncate(path, 0)
            case .databaseHalved: truncate(path, Self.size(path) / 2 / 4096 * 4096)
            case .logEmptied: truncate(path + "-wal", 0)
            case .logHalved: truncate(path + "-wal", Self.size(path + "-wal") / 2)
            case .indexEmptied: truncate(path + "-shm", 0)
            case .logEmptiedAndWrittenOn:
                truncate(path + "-wal", 0)
                _ = try? await database.append([.listOpened, .listLeft], at: Fixture.stamp(8000))
            case .indexEmptiedAndWrittenOn:
                truncate(path + "-shm", 0)
                _ = try? await database.append([.listOpened, .listLeft], at: Fixture.stamp(8000))
            case .databaseEmptiedAndCheckpointed:
                truncate(path, 0)
                try? await database.checkpoint()
            }
        }

        /// A process that had the files open still has all rows.
        var keepsAll: Bool {
            switch self {
            case .databaseEmptied, .databaseHalved, .logEmptied, .logHalved, .logEmptiedAndWrittenOn,
                .databaseEmptiedAndCheckpointed:
                false
            default: true
            }
        }

        /// SQLite makes the index again, and there is nothing to be done.
        var mayGoOn: Bool { self == .indexEmptied || self == .indexEmptiedAndWrittenOn }

        private static func size(_ path: String) -> off_t {
            var status = stat()
            return stat(path, &status) == 0 ? status.st_size : 0
        }
    }

    @Test(arguments: Deed.allCases) func whatIsDoneToTheFilesIsSeenAtTheNextLook(deed: Deed) async throws {
        try await Self.withStore { folder, database in
            let before = try await database.events()
            #expect(await database.checkFiles(at: Fixture.stamp(7000)) == nil)
            try await deed.perform(folder, database)
            let problem = await database.checkFiles(at: Fixture.stamp(9000))
            if let problem {
                #expect(problem.contains("while the agent ran"), "\(problem)")
                let record = try #require(try await database.repair(problem, at: Fixture.stamp(9000)))
                #expect(record.words.contains("while the agent ran"), "\(record.words)")
                if deed.keepsAll { #expect(record.lostRows == 0 && !record.isEndUnknown, "\(record.words)") }
            } else {
                #expect(deed.mayGoOn)
            }
            while try await database.catchUp() {}
            try await database.append([.graphsOpened], sending: [Fixture.draft("afterwards")], at: Fixture.stamp(9001))
            #expect(try await database.verifyLog() == nil)
            #expect(await database.checkFiles(at: Fixture.stamp(9002)) == nil, "it is told once")
            let kept = Set(try await database.events().map(\.sequence))
            if deed.keepsAll { #expect(kept.isSuperset(of: before.map(\.sequence))) }
            let named = Set(try await database.salvages().flatMap(\.lost).flatMap { Array($0[0]...$0[1]) })
            #expect(Set(before.map(\.sequence)).subtracting(kept).isSubset(of: named), "what is lost is named")
            // And all of it is on the disk, for the next process.
            let onDisk = try Self.read(folder)
            #expect(Set(onDisk) == kept)
        }
    }

    /// Longer than at the first look, and shorter than at the last.
    @Test(arguments: [("", "the database"), ("-wal", "its write-ahead log")])
    func aFileThatIsCutAfterItGrewIsSeen(ending: String, name: String) throws {
        let folder = try TemporaryFolder("place")
        let path = folder.path + "/studyd.sqlite"
        for end in ["", "-wal", "-shm"] { try Data(count: 4096).write(to: URL(fileURLWithPath: path + end)) }
        var watch = StoreFileWatch(StoreFiles(path))
        #expect(watch.detectChange() == nil)
        #expect(truncate(path + ending, 12_288) == 0 && watch.detectChange() == nil)
        #expect(truncate(path + ending, 8192) == 0)
        #expect(watch.detectChange() == .cut("\(name) was cut short while the agent ran"))
    }

    /// SQLite itself shortens the write-ahead log, and an administrator may have the file
    /// rewritten.
    @Test(arguments: ["PRAGMA wal_checkpoint(TRUNCATE)", "VACUUM; PRAGMA wal_checkpoint(TRUNCATE)"])
    func whatSQLiteDoesIsNoFault(sql: String) async throws {
        try await Self.withStore { folder, database in
            try await database.execute(sql)
            #expect(await database.checkFiles(at: Fixture.stamp(9000)) == nil)
            _ = try Damage.output(
                "/usr/bin/env", "python3", "-c",
                "import sqlite3, sys; c = sqlite3.connect(sys.argv[1], isolation_level=None); [c.execute(s).fetchall() for s in sys.argv[2].split(';')]",
                folder + "/studyd.sqlite", sql)
            #expect(await database.checkFiles(at: Fixture.stamp(9001)) == nil)
            #expect(try await database.salvages().isEmpty)
        }
    }

    /// A commit may come before the next look, and writes it again: as on tmpfs and ext4, where the
    /// new file often has the inode of the old one.
    @Test(arguments: HeadDeed.allCases, [false, true])
    func whatIsDoneToTheHeadIsToldOnceAndItIsWrittenAgain(deed: HeadDeed, beforeACommit: Bool) async throws {
        try await Self.withStore { folder, database in
            let head = folder + "/studyd.head"
            #expect(await database.checkFiles(at: Fixture.stamp(7000)) == nil)
            #expect(await database.headFault == nil)
            try deed.prepare(head)
            try await database.append([.listOpened], at: Fixture.stamp(8000))
            try await database.append([.listLeft], at: Fixture.stamp(8001))
            #expect(await database.checkFiles(at: Fixture.stamp(8002)) == nil)
            #expect(await database.headFault == nil, "what the store itself writes is no fault")
            try deed.perform(head)
            if beforeACommit { try await database.append([.listOpened], at: Fixture.stamp(8003)) }
            #expect(await database.checkFiles(at: Fixture.stamp(9000)) == nil)
            let fault = await database.headFault
            #expect(deed.isFault ? fault?.contains("\(deed.word) while the agent ran") == true : fault == nil)
            let last = try #require(try await database.events().last)
            #expect(HeadFile(head).read().head?.sequence == last.sequence)
            if deed.isFault {
                guard case .fault("store", _) = last.event else { return #expect(Bool(false), "\(last)") }
            }
            let count = try await database.events().count
            #expect(await database.checkFiles(at: Fixture.stamp(9001)) == nil)
            #expect(try await database.events().count == count, "it is told once")
        }
    }

    enum HeadDeed: String, CaseIterable, Sendable {
        case removed, emptied, olderCopyMovedThere, otherFileMovedThere, equalCopyMovedThere, rightsChanged

        var isFault: Bool { self != .equalCopyMovedThere && self != .rightsChanged }
        var word: String { self == .removed ? "removed" : "replaced" }

        func prepare(_ head: String) throws {
            if self == .olderCopyMovedThere { try copy(head) }
        }

        func perform(_ head: String) throws {
            switch self {
            case .removed: unlink(head)
            case .emptied: truncate(head, 0)
            case .olderCopyMovedThere: rename(head + ".copy", head)
            case .otherFileMovedThere:
                try Data(count: 8192).write(to: URL(fileURLWithPath: head + ".copy"))
                rename(head + ".copy", head)
            case .equalCopyMovedThere:
                try copy(head)
                rename(head + ".copy", head)
            case .rightsChanged: chmod(head, 0o600)
            }
        }

        private func copy(_ head: String) throws {
            try FileManager.default.copyItem(atPath: head, toPath: head + ".copy")
        }
    }

    /// A command that writes beside the agent goes on with the agent's turn.
    @Test func aHeadThatACommandWritesIsNoFault() async throws {
        try await Self.withStore { folder, database in
            let command = try StudyDatabase(.file(folder + "/studyd.sqlite"))
            for number in 0..<5 {
                try await command.append([.listOpened], at: Fixture.stamp(8000 + Int64(number)))
                let last = try await command.events().count
                #expect(HeadFile(folder + "/studyd.head").read().head?.sequence == Int64(last))
            }
            try await database.append([.listLeft], at: Fixture.stamp(8010))
            #expect(await database.checkFiles(at: Fixture.stamp(9000)) == nil)
            #expect(await database.headFault == nil)
        }
    }

    // MARK: - Stores

    private static func withStore(_ body: (String, StudyDatabase) async throws -> Void) async throws {
        let folder = NSTemporaryDirectory() + "place-\(UUID())"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await Damage.fill(folder + "/studyd.sqlite", 0..<10)
        let database = try StudyDatabase(
            rescuing: folder + "/studyd.sqlite", recordings: folder + "/recordings", at: Fixture.stamp(6000))
        try await Damage.fill(database, 10..<15)
        try await body(folder, database)
    }

    private static func read(_ folder: String) throws -> [Int64] {
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().path + "/wal_rows.py"
        let line = try Damage.output("/usr/bin/env", "python3", script, folder + "/studyd.sqlite")
        return try JSONDecoder().decode([[Int64]].self, from: Data(line.utf8))[0]
    }
}

extension StudyDatabase {
    fileprivate func execute(_ sql: String) throws {
        for statement in sql.split(separator: ";") { _ = try connection.rows(String(statement)) { _ in 0 } }
    }

    fileprivate func checkpoint() throws { try execute("PRAGMA wal_checkpoint(FULL)") }
}
