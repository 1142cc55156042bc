// SPDX-License-Identifier: Apache-2.0
import Base
import Foundation
import Study
import Testing

@testable import Agent

/// A write-ahead log that is damaged in the middle: SQLite reads up to there and writes over the
/// rest, so the store reads it first. What can be found in it says `wal_rows.py`, which was written
/// after SQLite's description of its format and asks for no checksum.
@Suite(.serialized, .timeLimit(.minutes(10))) struct WriteAheadDamageTests {
    private static let frame = 24 + 4096
    /// Twenty answers, all of them in the write-ahead log.
    private static let original = Task { try await make() }

    private struct Found {
        let bySQLite: Set<Int64>
        let byPython: Set<Int64>
    }

    /// One frame after another would take minutes: `WriteAheadFramesTests` has every one, and here
    /// five kinds of damage take turns.
    @Test(.enabled(if: Self.hasPython)) func whatStandsBehindADamagedFrameIsKept() async throws {
        let original = try await Self.original.value
        let frames = (try Data(contentsOf: Self.log(original)).count - 32) / Self.frame
        #expect(frames > 100)
        var folders: [(folder: String, what: String, isOneBit: Bool)] = []
        defer { for (folder, _, _) in folders { try? FileManager.default.removeItem(atPath: folder) } }
        for (index, frame) in stride(from: 0, to: frames, by: 17).enumerated() {
            let start = 32 + frame * Self.frame
            let (folder, kind) = (try Self.copy(original), index % 5)
            try Self.edit(folder) { log in
                switch kind {
                case 0: log[start + 24 + 2000] ^= 4
                case 1: log[start + [0, 3, 6, 9, 14, 18, 22][index / 5 % 7]] ^= 16
                case 2: log[start + 24 + 4000 + 3] ^= 128
                case 3: log.replaceSubrange(start..<(start + Self.frame), with: Data(count: Self.frame))
                default:
                    (log[start + 24 + 100], log[start + 24 + 3000]) = (log[start + 124] ^ 1, log[start + 3024] ^ 128)
                }
            }
            folders.append(
                (
                    folder,
                    "frame \(frame + 1), \(["a bit of a page", "a bit of its head", "a high bit of a word", "zeros", "two bits"][kind])",
                    kind < 3
                ))
        }
        let all = try Self.read([original])[0]
        #expect(all.bySQLite == all.byPython)
        for ((folder, what, isOneBit), there) in zip(folders, try Self.read(folders.map(\.folder))) {
            let before = try Data(contentsOf: Self.log(folder))
            let database = try StudyDatabase(
                rescuing: folder + "/studyd.sqlite", recordings: folder, at: Fixture.stamp(9000))
            let kept = Set(try await database.events().map(\.sequence)).intersection(all.bySQLite)
            #expect(kept.isSuperset(of: isOneBit ? all.bySQLite : there.byPython), "\(what)")
            #expect(kept.isSuperset(of: there.bySQLite), "\(what)")
            #expect(try await database.verifyLog() == nil, "\(what)")
            guard there.bySQLite != all.bySQLite || isOneBit else { continue }
            let record = try #require(database.foundDamage, "\(what)")
            #expect(record.words.contains("write-ahead log"), "\(what): \(record.words)")
            #expect(record.lostRows == Int64(all.bySQLite.count - kept.count), "\(what): \(record.words)")
            #expect(try Data(contentsOf: Self.log(folder + "/damaged/1")) == before, "\(what)")
            guard isOneBit else { continue }
            while try await database.catchUp() {}
            #expect(try await database.items(limit: -1).count == 20, "\(what)")
            for item in try await database.items(limit: -1) { _ = try await database.content(of: item) }
        }
    }

    /// A commit that never came to its end, as a power cut leaves it, is no damage: nothing in
    /// it was confirmed.
    @Test func aTransactionThatAPowerCutTookIsNoDamage() async throws {
        let folder = try Self.copy(try await Self.original.value)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let database = try StudyDatabase(.file(folder + "/studyd.sqlite"))
        let head = try Data(contentsOf: URL(fileURLWithPath: folder + "/studyd.head"))
        let last = try await database.append([.listOpened, .listLeft], at: Fixture.stamp(8000)) - 2
        let cut = NSTemporaryDirectory() + "cut-\(UUID())"
        try FileManager.default.copyItem(atPath: folder, toPath: cut)
        defer { try? FileManager.default.removeItem(atPath: cut) }
        try head.write(to: URL(fileURLWithPath: cut + "/studyd.head"))
        // The first page of the transaction did not come to the disk, the others did.
        let frames = (try Data(contentsOf: Self.log(cut)).count - 32) / Self.frame
        let before = (try Data(contentsOf: Self.log(folder)).count - 32) / Self.frame
        #expect(frames == before)
        let first = (try Data(contentsOf: Self.log(try await Self.original.value)).count - 32) / Self.frame
        try Self.edit(cut) { log in
            let start = 32 + first * Self.frame
            log.replaceSubrange(start..<(start + 4000), with: Data(count: 4000))
        }
        let opened = try StudyDatabase(rescuing: cut + "/studyd.sqlite", recordings: cut, at: Fixture.stamp(9000))
        #expect(opened.foundDamage == nil)
        #expect(try await opened.events().last?.sequence == last)
    }

    /// A command opens the store without the agent, and SQLite takes a log away that it has read:
    /// it must not do so with one that it has not.
    @Test func aCommandLeavesADamagedLogToTheAgent() async throws {
        let folder = try Self.copy(try await Self.original.value)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try Self.edit(folder) { $0[32 + 14 * Self.frame + 24 + 2000] ^= 4 }
        let before = try Data(contentsOf: Self.log(folder))
        let error = #expect(throws: StoreError.self) { try StudyDatabase(.file(folder + "/studyd.sqlite")) }
        #expect(error?.description.contains("frame 15 of the write-ahead log") == true)
        #expect(try Data(contentsOf: Self.log(folder)) == before)
    }

    // MARK: - Stores

    private static let hasPython: Bool = {
        let isThere = (try? Damage.output("/usr/bin/env", "python3", "-c", "import sqlite3")) != nil
        if !isThere { print("SKIPPED: reading damaged write-ahead logs needs python3 with sqlite3") }
        return isThere
    }()

    private static func make() async throws -> String {
        let folder = NSTemporaryDirectory() + "wal-original-\(UUID())"
        try FileManager.default.createDirectory(atPath: folder + "/live", withIntermediateDirectories: true)
        let database = try StudyDatabase(.file(folder + "/live/studyd.sqlite"))
        try await database.append([Fixture.enrolled], at: Fixture.stamp(0))
        try await Damage.fill(database, 0..<20)
        for file in ["studyd.sqlite", "studyd.sqlite-wal", "studyd.head"] {
            try FileManager.default.copyItem(atPath: "\(folder)/live/\(file)", toPath: "\(folder)/\(file)")
        }
        return folder
    }

    private static func log(_ folder: String) -> URL { URL(fileURLWithPath: folder + "/studyd.sqlite-wal") }

    private static func copy(_ original: String) throws -> String {
        let folder = NSTemporaryDirectory() + "wal-\(UUID())"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        for file in ["studyd.sqlite", "studyd.sqlite-wal", "studyd.head"] {
            try FileManager.default.copyItem(atPath: "\(original)/\(file)", toPath: "\(folder)/\(file)")
        }
        return folder
    }

    private static func edit(_ folder: String, _ change: (inout Data) -> Void) throws {
        var data = try Data(contentsOf: log(folder))
        change(&data)
        try data.write(to: log(folder))
    }

    private static func read(_ folders: [String]) throws -> [Found] {
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().path + "/wal_rows.py"
        let lines = try Damage.output(["/usr/bin/env", "python3", script] + folders.map { $0 + "/studyd.sqlite" })
        return try lines.split(separator: "\n").map {
            let lists = try JSONDecoder().decode([[Int64]].self, from: Data($0.utf8))
            return Found(bySQLite: Set(lists[0]), byPython: Set(lists[1]))
        }
    }
}
