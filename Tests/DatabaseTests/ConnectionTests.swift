// SPDX-License-Identifier: Apache-2.0
import Glibc
import SystemKit
import Testing

@testable import Database

struct ConnectionTests {
    @Test(arguments: [
        DatabaseValue.null, .integer(.min), .integer(.max), .real(0.1), .real(-.infinity), .text(""), .text("a\u{0}b"),
        .text("żółć 🌍"), .blob([]), .blob([0, 255, 1]),
    ])
    func everyValueComesBackAsItWent(value: DatabaseValue) throws {
        let database = try Connection(.memory)
        let back = try database.first("SELECT ?", value) { $0[0] }
        #expect(back == value)
    }

    @Test func readingTheWrongTypeThrowsAndNilIsNotZero() throws {
        let database = try Connection(.memory)
        #expect(throws: DatabaseError.self) { try database.first("SELECT 'x'") { try $0.int(0) } }
        #expect(throws: DatabaseError.self) { try database.first("SELECT NULL") { try $0.double(0) } }
        #expect(try database.first("SELECT NULL") { try $0.intOrNil(0) } == .some(nil))
    }

    @Test func aQueryHasARowOrNone() throws {
        let database = try Connection(.memory)
        try database.execute("CREATE TABLE t (x INTEGER) STRICT; INSERT INTO t VALUES (0), (NULL), (NULL)")
        #expect(try database.hasRow("SELECT x FROM t WHERE x = ?", 0))
        #expect(try database.hasRow("SELECT x FROM t WHERE x IS NULL"))
        #expect(try !database.hasRow("SELECT x FROM t WHERE x = ?", 1))
        #expect(throws: DatabaseError.self) { try database.hasRow("SELECT y FROM t") }
    }

    @Test func aThrownErrorRollsBackAndOuterWorkStays() throws {
        struct Stop: Error {}
        let database = try Connection(.memory)
        try database.execute("CREATE TABLE t (x INTEGER) STRICT")
        try database.transaction {
            try database.run("INSERT INTO t VALUES (?)", 1)
            try? database.transaction {
                try database.run("INSERT INTO t VALUES (?)", 2)
                throw Stop()
            }
        }
        #expect(throws: Stop.self) {
            try database.transaction {
                try database.run("INSERT INTO t VALUES (?)", 3)
                throw Stop()
            }
        }
        #expect(try database.rows("SELECT x FROM t") { try $0.int(0) } == [1])
    }

    @Test func errorsNameStatementCodeAndKind() throws {
        let database = try Connection(.memory)
        try database.execute("CREATE TABLE t (x INTEGER NOT NULL) STRICT")
        let error = #expect(throws: DatabaseError.self) { try database.run("INSERT INTO t VALUES (?)", "word") }
        #expect(error?.kind == .constraint)
        #expect(error?.description.contains("INSERT INTO t") == true)
        #expect(error?.description.contains("\(error?.code ?? 0)") == true)
    }

    @Test func fullDiskIsToldApart() throws {
        let database = try Connection(.memory)
        try database.execute("CREATE TABLE t (x BLOB) STRICT; PRAGMA max_page_count=4")
        let error = #expect(throws: DatabaseError.self) {
            try database.run("INSERT INTO t VALUES (?)", [UInt8](repeating: 7, count: 100_000))
        }
        #expect(error?.kind == .diskFull)
    }

    /// https://sqlite.org/rescode.html: the lower eight bits are the primary code; 28 is ENOSPC.
    @Test(
        arguments: [
            (778, 28, .diskFull), (778, 5, .inputOutput), (10, 0, .inputOutput), (10, 28, .diskFull),
            (13, 0, .diskFull),
            (11, 0, .corrupt), (267, 0, .corrupt), (11, 28, .corrupt), (26, 0, .corrupt), (5, 0, .busy),
            (261, 0, .busy),
            (6, 0, .busy), (19, 0, .constraint), (2067, 0, .constraint), (14, 0, .cannotOpen), (3, 0, .cannotOpen),
            (8, 0, .cannotOpen), (1032, 0, .cannotOpen), (1, 0, .other), (7, 0, .other), (23, 0, .other),
        ] as [(Int32, Int32, DatabaseError.Kind)])
    func systemErrorsAreToldApart(code: Int32, errno: Int32, kind: DatabaseError.Kind) {
        #expect(DatabaseError.kind(code, systemError: errno) == kind)
    }

    /// SQLITE_PERM, SQLITE_READONLY and SQLITE_AUTH: nothing is wrong with the file.
    @Test(
        arguments: [(3, true), (8, true), (1032, true), (23, true), (14, false), (10, false), (11, false), (0, false)]
            as [(Int32, Bool)])
    func aRefusalIsNoDamage(code: Int32, isRefusal: Bool) {
        #expect(DatabaseError(kind: .other, code: code, message: "", statement: "").isRefusal == isRefusal)
    }

    @Test func aMissingDirectoryIsNamed() {
        let error = #expect(throws: DatabaseError.self) { try Connection(.file("/nowhere/at/all.sqlite")) }
        #expect(error?.kind == .cannotOpen)
        #expect(error?.description.contains("/nowhere/at/all.sqlite") == true)
    }

    /// fifo(7): open(2) for reading blocks until there is a writer.
    @Test(.timeLimit(.minutes(10))) func aPipeInPlaceOfADatabaseIsRefusedAtOnce() throws {
        let path = "/tmp/studyd-pipe-\(getpid())"
        try #require(mkfifo(path, 0o600) == 0)
        defer { unlink(path) }
        let error = #expect(throws: DatabaseError.self) { try Connection(.readOnly(path)) }
        #expect(error?.kind == .cannotOpen && error?.message == "is a pipe and not a database")
    }

    /// A copy on a medium that is write-protected: beside a file in WAL mode (2 in byte 18,
    /// https://sqlite.org/fileformat2.html §1.3.3) SQLite can make nothing there. Letters that an URI
    /// reads otherwise are part of the name.
    @Test func aCopyOnAWriteProtectedMediumIsRead() throws {
        let folder = "/tmp/studyd-connection-\(getpid())-\(UInt32.random(in: 0 ... .max))"
        mkdir(folder, 0o700)
        defer { rmdir(folder) }
        guard mount("tmpfs", folder, "tmpfs", 0, "size=1m") == 0 else {
            return print("SKIPPED aCopyOnAWriteProtectedMediumIsRead: a tmpfs can be mounted by root only")
        }
        defer { umount2(folder, CInt(MNT_DETACH)) }
        let path = folder + "/a?b=1#c%41.sqlite"
        do {
            let database = try Connection(.file(path))
            try database.execute("CREATE TABLE t (x INTEGER) STRICT; INSERT INTO t VALUES (7)")
        }
        #expect(try BoundedFile.read(path)[18] == 2)
        try #require(mount("tmpfs", folder, "tmpfs", CUnsignedLong(MS_REMOUNT | MS_RDONLY), "size=1m") == 0)
        let database = try Connection(.readOnly(path))
        #expect(try database.rows("SELECT x FROM t") { try $0.int(0) } == [7])
        #expect(throws: DatabaseError.self) { try database.execute("INSERT INTO t VALUES (8)") }
        #expect(FolderListing.readable(folder) == ["a?b=1#c%41.sqlite"])
    }

    private func atPath(_ body: (String) throws -> Void) throws {
        let path = "/tmp/studyd-connection-\(getpid())-\(UInt32.random(in: 0 ... .max))"
        defer { for ending in ["", "-wal", "-shm", "-journal"] { unlink(path + ending) } }
        try body(path)
    }

    /// SQLite's own answers (its documentation of PRAGMA): `synchronous` 2 is FULL.
    @Test(
        arguments: [
            ("journal_mode", .text("wal")), ("synchronous", .integer(2)), ("foreign_keys", .integer(1)),
            ("trusted_schema", .integer(0)), ("cell_size_check", .integer(1)), ("secure_delete", .integer(1)),
            ("cache_size", .integer(-512)),
        ] as [(String, DatabaseValue)])
    func aFileIsOpenedForWhatMustNotBeLost(pragma: String, value: DatabaseValue) throws {
        try atPath { path in
            let database = try Connection(.file(path))
            #expect(try database.first("PRAGMA \(pragma)") { $0[0] } == value)
        }
    }

    /// SQLite's own answers: `synchronous` 2 is FULL and 1 is NORMAL (its documentation of PRAGMA). A statement that
    /// is prepared keeps its answer, so each is another.
    @Test func aTransactionIsFlushedUnlessItSaysOtherwise() throws {
        struct Stop: Error {}
        try atPath { path in
            let database = try Connection(.file(path))
            var asked = 0
            func level() throws -> Int64? {
                asked += 1
                return try database.first("PRAGMA synchronous -- \(asked)") { try $0.int(0) }
            }
            for usual in [Int64(2), 1] {
                if usual == 1 { try database.flushLater() }
                #expect(try level() == usual)
                let flushed = try database.transaction {
                    [try level(), try database.transaction(flushing: false) { try level() }, try level()]
                }
                #expect(flushed == [usual, usual, usual])
                let lazy = try database.transaction(flushing: false) {
                    [try level(), try database.transaction { try level() }, try level()]
                }
                #expect(lazy == [1, 1, 1])
                #expect(try level() == usual)
                #expect(throws: Stop.self) {
                    try database.transaction(flushing: false) { () throws -> Void in throw Stop() }
                }
                #expect(try level() == usual)
            }
        }
    }

    /// fsync(2), EINVAL: a special file has no sync. SQLite's code for it is SQLITE_IOERR_FSYNC.
    @Test func aLogThatCannotBeSyncedIsSaid() throws {
        try Connection(.memory).flush()
        try atPath { path in
            let database = try Connection(.file(path))
            try database.flush()
            try database.execute("CREATE TABLE t (x INTEGER) STRICT")
            try database.flush()
            database.setCheckpointOnClose(false)
            let log = try #require((0..<CInt(4096)).first { Self.target(of: $0) == path + "-wal" })
            let device = open("/dev/null", O_RDWR | O_CLOEXEC)
            defer { close(device) }
            try #require(dup2(device, log) == log)
            let error = #expect(throws: DatabaseError.self) { try database.flush() }
            #expect(error?.kind == .inputOutput && error?.code == 1034)
        }
    }

    /// What a descriptor of this process leads to (proc(5)).
    private static func target(of descriptor: CInt) -> String? {
        var buffer = [CChar](repeating: 0, count: 4096)
        let count = readlink("/proc/self/fd/\(descriptor)", &buffer, buffer.count)
        return count > 0 ? String(decoding: buffer.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self) : nil
    }

    /// mmap(2): an access beyond the end of a mapped file is a SIGBUS.
    @Test func anIndexThatWasCutShortIsMadeAgain() throws {
        let writes: [(Connection) throws -> Void] = [
            { try $0.execute("INSERT INTO t VALUES (2)") }, { try $0.run("INSERT INTO t VALUES (?)", 2) },
            { database in try database.transaction { try database.execute("INSERT INTO t VALUES (2)") } },
        ]
        for write in writes {
            try atPath { path in
                let database = try Connection(.file(path))
                try database.execute("CREATE TABLE t (x INTEGER) STRICT; INSERT INTO t VALUES (1)")
                #expect(try database.rows("SELECT x FROM t") { try $0.int(0) } == [1])
                try #require(truncate(path + "-shm", 0) == 0)
                try write(database)
                #expect(try database.rows("SELECT x FROM t") { try $0.int(0) } == [1, 2])
            }
        }
    }

    /// What it has read before is no longer certain (10 is SQLITE_IOERR).
    @Test func aTransactionWhoseIndexWasCutShortIsRolledBack() throws {
        try atPath { path in
            let database = try Connection(.file(path))
            try database.execute("CREATE TABLE t (x INTEGER) STRICT; INSERT INTO t VALUES (1)")
            let error = #expect(throws: DatabaseError.self) {
                try database.transaction {
                    try database.run("INSERT INTO t VALUES (2)")
                    truncate(path + "-shm", 0)
                    try database.run("INSERT INTO t VALUES (3)")
                }
            }
            #expect(error?.kind == .inputOutput && error?.code == 10)
            try database.run("INSERT INTO t VALUES (4)")
            #expect(try database.rows("SELECT x FROM t") { try $0.int(0) } == [1, 4])
        }
    }

    /// https://sqlite.org/wal.html: the last connection that closes takes the log away.
    @Test(arguments: [true, false]) func theLogGoesWithTheLastConnectionUnlessItIsToStay(goes: Bool) throws {
        try atPath { path in
            do {
                let database = try Connection(.file(path))
                if !goes { database.setCheckpointOnClose(false) }
                try database.execute("CREATE TABLE t (x INTEGER) STRICT")
            }
            #expect((access(path + "-wal", F_OK) != 0) == goes)
        }
    }

    /// https://sqlite.org/fileformat2.html, §1.3.1: a database begins with `SQLite format 3`. SQLite's close would
    /// write the log into a file that begins otherwise, and delete it.
    @Test func aLogOutlivesTheFailureToOpenItsFile() throws {
        try atPath { path in
            do {
                let database = try Connection(.file(path))
                try database.execute("CREATE TABLE t (x INTEGER) STRICT; PRAGMA wal_checkpoint(TRUNCATE)")
                try database.execute("INSERT INTO t VALUES (7)")
                database.setCheckpointOnClose(false)
            }
            let log = try BoundedFile.read(path + "-wal")
            try #require(!log.isEmpty)
            let descriptor = open(path, O_WRONLY)
            #expect(pwrite(descriptor, [UInt8](repeating: 0x78, count: 16), 16, 0) == 16)
            close(descriptor)
            let damaged = try BoundedFile.read(path)
            let error = #expect(throws: DatabaseError.self) { try Connection(.file(path)) }
            #expect(error?.kind == .corrupt && error?.description.contains("in `\(path)`") == true)
            #expect(try BoundedFile.read(path) == damaged && BoundedFile.read(path + "-wal") == log)
        }
    }

    @Test func whatAnotherConnectionWritesCannotBeWrittenMeanwhile() throws {
        try atPath { path in
            let (one, other) = (try Connection(.file(path)), try Connection(.file(path), busyTimeout: .zero))
            try other.tryWriting()
            try one.execute("BEGIN IMMEDIATE")
            #expect(throws: DatabaseError.self) { try other.tryWriting() }
            try one.execute("ROLLBACK")
            try other.tryWriting()
        }
    }

    /// A connection that may not write (`query_only`) rewrites nothing, but empties its log.
    @Test func whatCannotBeCompactedSaysSoAndStillHasNoLog() throws {
        try atPath { path in
            let database = try Connection(.file(path))
            #expect(try !database.hasFreePages())
            try database.execute("CREATE TABLE t (x TEXT) STRICT")
            for _ in 0..<20 { try database.run("INSERT INTO t VALUES (?)", String(repeating: "x", count: 4000)) }
            try database.execute("DELETE FROM t; PRAGMA query_only=ON")
            let error = #expect(throws: DatabaseError.self) { try database.compact() }
            #expect(error?.description.contains("`VACUUM`") == true)
            #expect(try database.hasFreePages())
            #expect(try BoundedFile.read(path + "-wal").isEmpty)
            try database.execute("PRAGMA query_only=OFF")
            try database.compact()
            #expect(try !database.hasFreePages())
        }
    }

    @Test(arguments: [(0, false), (1, true), (-1, true), (2, true), (.max, true)] as [(Int64, Bool)])
    func everyNumberButZeroIsTrue(number: Int64, isTrue: Bool) throws {
        #expect(try Connection(.memory).first("SELECT ?", number) { try $0.bool(0) } == isTrue)
    }

    /// SQLite's own answers: no journal, and `synchronous` 0 (its documentation of PRAGMA).
    @Test func aFileThatGetsItsNameWhenItIsWholeHasNoJournal() throws {
        let path = "/tmp/studyd-connection-\(getpid())-\(UInt32.random(in: 0 ... .max))"
        defer { for ending in ["", "-wal", "-shm", "-journal"] { unlink(path + ending) } }
        let database = try Connection(.file(path))
        try database.writeWithoutJournal()
        #expect(try database.first("PRAGMA journal_mode") { try $0.string(0) } == "off")
        #expect(try database.first("PRAGMA synchronous") { try $0.int(0) } == 0)
    }

    /// Every type of a column, by every way to read one.
    @Test(arguments: [
        ("NULL", ["int?", "string?", "bytes?"]), ("7", ["int", "int?", "double", "bool"]),
        ("0", ["int", "int?", "double", "bool"]), ("0.5", ["double"]), ("'7'", ["string", "string?"]),
        ("x'37'", ["bytes", "bytes?"]),
    ])
    func aColumnIsReadAsWhatItHoldsAlone(literal: String, ways: [String]) throws {
        let database = try Connection(.memory)
        let all: [(String, (Row) throws -> Any?)] = [
            ("int", { try $0.int(0) }), ("int?", { try $0.intOrNil(0) }), ("double", { try $0.double(0) }),
            ("string", { try $0.string(0) }), ("string?", { try $0.stringOrNil(0) }), ("bytes", { try $0.bytes(0) }),
            ("bytes?", { try $0.bytesOrNil(0) }), ("bool", { try $0.bool(0) }),
        ]
        let read = all.filter { way in (try? database.rows("SELECT \(literal)") { try way.1($0) }) != nil }
        #expect(read.map(\.0) == ways)
        let kinds = ["NULL": "nothing", "0.5": "a number", "'7'": "a text", "x'37'": "bytes"]
        guard let kind = kinds[literal] else { return }
        let error = #expect(throws: DatabaseError.self) { try database.first("SELECT \(literal)") { try $0.int(0) } }
        #expect(error?.kind == .type && error?.message == "column 0 holds \(kind) instead of a whole number")
    }

    @Test func aRowHasItsValuesInTheirOrder() throws {
        let database = try Connection(.memory)
        let row = try database.first("SELECT 7, 0, -1, NULL, 0.5, 2, 'a', x'0102'") { row in
            (values: row.values, truths: try (0..<3).map { try row.bool($0) }, number: try row.double(5))
        }
        #expect(
            row?.values == [
                .integer(7), .integer(0), .integer(-1), .null, .real(0.5), .integer(2), .text("a"), .blob([1, 2]),
            ])
        #expect(row?.truths == [true, false, true] && row?.number == 2)
    }
}
