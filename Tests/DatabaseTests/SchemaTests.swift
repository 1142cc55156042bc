// SPDX-License-Identifier: Apache-2.0
import Glibc
import Testing

@testable import Database

struct SchemaTests {
    private let schema = Schema(version: 3, "CREATE TABLE a (x INTEGER) STRICT; INSERT INTO a VALUES (1)")

    private func tables(_ database: Connection) throws -> [String] {
        try database.rows("SELECT name FROM sqlite_schema ORDER BY name") { try $0.string(0) }
    }

    @Test func tablesAreMadeOnce() throws {
        let database = try Connection(.memory)
        for _ in 0..<2 { try schema.prepare(database) }
        #expect(try database.rows("SELECT x FROM a") { try $0.int(0) } == [1])
        #expect(try database.first("PRAGMA user_version") { try $0.int(0) } == 3)
    }

    @Test(arguments: [1, 2, 4])
    func anotherVersionIsRefusedAndLeftAsItIs(_ version: Int) throws {
        let database = try Connection(.memory)
        try Schema(version: version, "CREATE TABLE b (x INTEGER) STRICT").prepare(database)
        let error = #expect(throws: DatabaseVersionError.self) { try schema.prepare(database) }
        #expect(error == DatabaseVersionError(found: version, needed: 3))
        #expect(
            error?.description
                == "database: was written by another version of this program: its tables are of version \(version), and this one knows 3; install that version or start with an empty folder"
        )
        #expect(try tables(database) == ["b"])
    }

    @Test func theFileOfAnotherVersionIsNamed() throws {
        let path = "/tmp/studyd-schema-\(getpid()).sqlite"
        defer { for ending in ["", "-wal", "-shm"] { unlink(path + ending) } }
        let database = try Connection(.file(path))
        try Schema(version: 2, "CREATE TABLE b (x INTEGER) STRICT").prepare(database)
        let error = #expect(throws: DatabaseVersionError.self) { try schema.prepare(database) }
        #expect(error?.explanation.place == path)
    }

    @Test func tablesWithoutAVersionAreRefused() throws {
        let database = try Connection(.memory)
        try database.execute("CREATE TABLE b (x INTEGER) STRICT")
        let error = #expect(throws: DatabaseVersionError.self) { try schema.prepare(database) }
        #expect(
            error?.isUnversioned == true && error?.explanation.cause.hasPrefix("has tables without a version") == true)
        #expect(try tables(database) == ["b"])
    }

    @Test func failedTablesLeaveNothingBehind() throws {
        let database = try Connection(.memory)
        let broken = Schema(version: 3, "CREATE TABLE b (x INTEGER) STRICT; NONSENSE")
        #expect(throws: DatabaseError.self) { try broken.prepare(database) }
        #expect(try tables(database).isEmpty)
        try schema.prepare(database)
    }
}
