// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Database

struct MigrationsTests {
    let steps = [
        Migrations.Step("one", "CREATE TABLE a (x INTEGER) STRICT"),
        Migrations.Step("two", "ALTER TABLE a ADD COLUMN y TEXT; INSERT INTO a VALUES (1, 'kept')"),
    ]

    @Test func stepsAreTakenOnceAndInOrder() throws {
        let database = try Connection(.memory)
        try Migrations([steps[0]]).apply(to: database)
        try Migrations(steps).apply(to: database)
        try Migrations(steps).apply(to: database)
        #expect(try database.rows("SELECT y FROM a") { try $0.string(0) } == ["kept"])
    }

    @Test func aDatabaseOfANewerVersionIsRefused() throws {
        let database = try Connection(.memory)
        try Migrations(steps).apply(to: database)
        #expect(throws: MigrationError(found: ["one", "two"])) { try Migrations([steps[0]]).apply(to: database) }
    }

    @Test func aFailedStepLeavesNothingBehind() throws {
        let database = try Connection(.memory)
        let broken = Migrations([steps[0], .init("bad", "CREATE TABLE b (x INTEGER) STRICT; NONSENSE")])
        #expect(throws: DatabaseError.self) { try broken.apply(to: database) }
        #expect(try database.first("SELECT name FROM sqlite_master WHERE name = 'b'") { try $0.string(0) } == nil)
        try Migrations(steps).apply(to: database)
    }
}
