// SPDX-License-Identifier: Apache-2.0
import Database
import SystemKit
import Testing

@testable import Agent

/// Rows that are gone without a trace in SQLite's own structure, as whoever opens the file with its
/// shell can do.
@Suite(.timeLimit(.minutes(10))) struct DamageScanTests {
    @Test(arguments: [(1...1, 1), (1...3, 1), (2...2, 2), (4...5, 4)])
    func rowsThatAreGoneAreNamed(gone: ClosedRange<Int>, named: Int) async throws {
        let folder = try TemporaryFolder("opened")
        let path = folder.path + "/studyd.sqlite"
        let database = try StudyDatabase(.file(path))
        for second in 1...6 { try await database.append([.listOpened], at: Fixture.stamp(Int64(second))) }
        let connection = try Connection(.file(path))
        var scan = DamageScan(connection)
        #expect(try Self.round(&scan) == nil)
        try connection.execute("DROP TRIGGER event_keeps")
        try connection.run("DELETE FROM event WHERE sequence BETWEEN ? AND ?", gone.lowerBound, gone.upperBound)
        #expect(try Self.round(&scan) == "row \(named) of the log is missing")
    }

    /// The table of a salvage is dropped when the projections have been made again, which may be after
    /// a round began.
    @Test func aTableThatGoesDuringARoundIsNoDamage() async throws {
        let folder = try TemporaryFolder("opened")
        let path = folder.path + "/studyd.sqlite"
        let database = try StudyDatabase(.file(path))
        for second in 1...6 { try await database.append([.listOpened], at: Fixture.stamp(Int64(second))) }
        let connection = try Connection(.file(path))
        try connection.execute(
            "CREATE TABLE salvage_request (digest TEXT PRIMARY KEY, current INTEGER NOT NULL) STRICT")
        var scan = DamageScan(connection)
        #expect(try scan.step(1) == nil)
        try SalvagedRequests.prune(connection)
        #expect(try Self.round(&scan) == nil)
    }

    /// As where a page of the index is older than that of the table. SQLite forgets the index while the row
    /// is written (sqlite.org/pragma.html#pragma_writable_schema).
    @Test func aRowThatItsIndexLacksIsNamed() async throws {
        let folder = try TemporaryFolder("index")
        let path = folder.path + "/studyd.sqlite"
        let database = try StudyDatabase(.file(path))
        try await database.append([.listOpened], at: Fixture.stamp(1))
        let connection = try Connection(.file(path))
        let index = "CREATE INDEX other_word ON other (word)"
        try connection.execute("CREATE TABLE other (id INTEGER PRIMARY KEY, word TEXT) STRICT; \(index)")
        for number in 1...3 { try connection.run("INSERT INTO other VALUES (?, 'word')", number) }
        let root = try #require(
            try connection.first("SELECT rootpage FROM sqlite_schema WHERE name = 'other_word'") { try $0.int(0) })
        var scan = DamageScan(connection)
        #expect(try Self.round(&scan) == nil)
        try connection.execute(
            """
            PRAGMA writable_schema = ON; DELETE FROM sqlite_schema WHERE name = 'other_word';
            PRAGMA writable_schema = RESET; INSERT INTO other VALUES (4, 'word'); PRAGMA writable_schema = ON;
            INSERT INTO sqlite_schema VALUES ('index', 'other_word', 'other', \(root), '\(index)');
            PRAGMA writable_schema = RESET
            """)
        scan = DamageScan(connection)
        #expect(try Self.round(&scan) == "a row of other is missing in its index other_word")
    }

    /// One round, two rows at a time.
    private static func round(_ scan: inout DamageScan) throws -> String? {
        repeat { if let fault = try scan.step(2) { return fault } } while !scan.isRoundOver
        return nil
    }
}
