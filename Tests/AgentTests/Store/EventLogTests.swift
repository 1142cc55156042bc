// SPDX-License-Identifier: Apache-2.0
import Database
import Foundation
import Patience
import SystemKit
import Testing

@testable import Agent
@testable import Study

struct EventLogTests {
    @Test(arguments: [
        "UPDATE event SET body = '{\"x\":1}' WHERE sequence = 7", "UPDATE event SET wall = wall + 1 WHERE sequence = 7",
        "UPDATE event SET enrolment = 'e2' WHERE sequence = 7", "UPDATE event SET zone_offset = 0 WHERE sequence = 7",
        "DELETE FROM event WHERE sequence = 7", "UPDATE event SET hash = zeroblob(32) WHERE sequence = 7",
    ])
    func everyForgeryIsNamedByItsRow(forgery: String) throws {
        let connection = try Connection(.memory)
        let log = try EventLog(connection)
        try log.append(Fixture.everything, at: Fixture.stamp(0))
        #expect(try log.verify() == nil)
        #expect(throws: DatabaseError.self) { try connection.execute(forgery) }
        try connection.execute("DROP TRIGGER event_keeps; DROP TRIGGER event_stays; \(forgery)")
        #expect(try log.verify()?.sequence == 7)
    }

    @Test func aProjectionOfAnotherVersionIsMadeAgain() throws {
        let connection = try Connection(.memory)
        try EventLog(connection).append(Fixture.everything, at: Fixture.stamp(0))
        try connection.execute(
            "UPDATE projection SET version = 0 WHERE name = 'run'; DROP TABLE answer; DROP TABLE run")
        _ = try EventLog(connection)
        #expect(try connection.first("SELECT count(*) FROM answer") { try $0.int(0) } == 7)
    }

    @Test func aFullDiskLosesNothingAndTheLogGoesOn() throws {
        let connection = try Connection(.memory)
        let log = try EventLog(connection)
        try log.append([.listOpened], at: Fixture.stamp(0))
        let pages = try connection.first("PRAGMA page_count") { try $0.int(0) } ?? 0
        try connection.execute("PRAGMA max_page_count = \(pages + 2)")
        let long = StudyEvent.fault(place: "x", message: String(repeating: "y", count: 50_000))
        let error = #expect(throws: DatabaseError.self) { try log.append([.listLeft, long], at: Fixture.stamp(1)) }
        #expect(error?.kind == .diskFull)
        try connection.execute("PRAGMA max_page_count = 100000")
        #expect(try log.append([.listLeft], at: Fixture.stamp(2)) == 2)
        #expect(try log.verify() == nil)
    }

    @Test func twoProcessesThatWriteMakeOneChain() throws {
        let path = NSTemporaryDirectory() + "\(UUID()).sqlite"
        defer { for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + end) } }
        let logs = try (0..<2).map { _ in try EventLog(Connection(.file(path))) }
        for turn in 0..<10 { try logs[turn % 2].append([.listOpened, .listLeft], at: Fixture.stamp(Int64(turn))) }
        #expect(try logs[0].verify() == nil)
        #expect(try logs[0].append([.listOpened], at: Fixture.stamp(99)) == 21)
    }

    static let python = FileManager.default.isExecutableFile(atPath: "/usr/bin/env")

    /// The chain as anybody may check it: an independent reader of the file, in Python.
    @Test(.enabled(if: python, "no /usr/bin/env"))
    func anIndependentReaderFindsTheSameChain() throws {
        let path = NSTemporaryDirectory() + "\(UUID()).sqlite"
        defer { for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + end) } }
        try EventLog(Connection(.file(path))).append(Fixture.everything, at: Fixture.stamp(0))
        let script = """
            import sqlite3, hashlib, sys
            previous, count = bytes(32), 0
            for row in sqlite3.connect(sys.argv[1]).execute("SELECT * FROM event ORDER BY sequence"):
                assert len(row[10]) == 16, row
                seal = hashlib.sha256(row[10] + row[7].encode()).hexdigest()
                fields = b"".join(b"%d:%s," % (len(f), f) for f in (str(x).encode() for x in row[:7] + (seal,)))
                digest = hashlib.sha256(previous + fields).digest()
                assert row[8] == previous and row[9] == digest, row
                previous, count = digest, count + 1
            print(count)
            """
        #expect(try output("python3", "-c", script, path) == "\(Fixture.everything.count)")
        #expect(try output("sqlite3", path, "PRAGMA integrity_check") == "ok")
    }

    private func output(_ command: String...) throws -> String {
        let process = Process()
        let pipe = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = command
        process.standardOutput = pipe
        try process.run()
        process.waitAsleep()
        return String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            .trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
