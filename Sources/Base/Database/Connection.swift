// SPDX-License-Identifier: Apache-2.0
import CSQLite
import Glibc

/// An open SQLite database: WAL, `synchronous=FULL`, foreign keys on. The agent's store and the lab's archive
/// each have one.
///
/// Not `Sendable`: one owner (an actor, a thread), one use at a time. A commit that returned has
/// reached the disk, as far as the disk tells the truth.
package final class Connection {
    package enum Location: Sendable, Hashable {
        /// A file, made when it is absent; its directory has to exist.
        case file(String)
        /// A file that is only read, by any user who may. Beside one in WAL mode SQLite makes `-wal`
        /// and `-shm`, and leaves them; in a folder that cannot be written a file without a log is
        /// read as it is. See `leaveWriteAheadLog`.
        case readOnly(String)
        /// In memory, gone with the connection.
        case memory
    }

    /// The connection only keeps it for the stores that read and write the participant's columns. Where it is nil
    /// they write in the clear, and cannot read what was encrypted before.
    package var encryption: BodyEncryption?
    private let pointer: OpaquePointer
    private var statements: [String: Statement] = [:]
    private var savepoints = 0
    /// `PRAGMA synchronous` of a transaction that flushes (https://sqlite.org/pragma.html#pragma_synchronous).
    private var synchronous = "FULL"
    /// The mapped `-shm` file; checked before each statement, since another process may have cut it short (SIGBUS).
    private var index: MappedIndex?

    /// Opens or makes a database. `busyTimeout` is how long a statement waits for another process.
    package init(_ location: Location, busyTimeout: Duration = .seconds(5)) throws(DatabaseError) {
        let (path, access) =
            switch location {
            case .file(let path): (path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)
            case .readOnly(let path):
                Self.isUnchanging(path)
                    ? (Self.unchanging(path), SQLITE_OPEN_READONLY | SQLITE_OPEN_URI) : (path, SQLITE_OPEN_READONLY)
            case .memory: (":memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)
            }
        if case .readOnly = location { try Self.refusePipe(path) }
        var opened: OpaquePointer?
        let flags = access | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        let code = sqlite3_open_v2(path, &opened, flags, nil)
        guard let opened else {
            throw DatabaseError(kind: .other, code: code, message: "out of memory", statement: path)
        }
        // From here on `deinit` closes it, whatever is thrown.
        pointer = opened
        guard code == SQLITE_OK else { throw DatabaseError(opened, statement: path) }
        sqlite3_busy_timeout(opened, Int32(clamping: busyTimeout.components.seconds * 1000))
        if case .file(let path) = location { index = MappedIndex(path + "-shm") }
        if case .readOnly = location { return }
        setCheckpointOnClose(false)
        do { try configure() } catch { throw error.naming(path) }
        setCheckpointOnClose(true)
    }

    /// Opening a pipe for reading waits for a writer (fifo(7)), without a limit.
    private static func refusePipe(_ path: String) throws(DatabaseError) {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFIFO else { return }
        throw DatabaseError(
            kind: .cannotOpen, code: SQLITE_CANTOPEN, message: "is a pipe and not a database", statement: path)
    }

    /// In a folder that cannot be written, and without a log beside it: a program that writes the
    /// database would have one, and SQLite would have to read that too.
    private static func isUnchanging(_ path: String) -> Bool {
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
        return access(folder, W_OK) != 0 && ["-wal", "-journal"].allSatisfy { access(path + $0, F_OK) != 0 }
    }

    /// A URI by which SQLite reads the file without making `-wal` and `-shm` (https://sqlite.org/uri.html).
    private static func unchanging(_ path: String) -> String {
        let escaped = path.replacing("%", with: "%25").replacing("?", with: "%3f").replacing("#", with: "%23")
        return "file:" + (path.hasPrefix("/") ? "//" : "") + escaped + "?immutable=1"
    }

    /// With false, closing leaves the write-ahead log as it is: a log that may be damaged is not
    /// written into a database file that may be whole.
    package func setCheckpointOnClose(_ isOn: Bool) { _ = studyd_sqlite_keep_log(pointer, isOn ? 0 : 1) }

    package var isInTransaction: Bool { savepoints > 0 }

    /// Writes all that there is into a new file at `path`, which must not exist; not
    /// within a transaction.
    package func copy(to path: String) throws(DatabaseError) { try run("VACUUM INTO ?", path) }

    /// Throws where nothing can be written: a file that is read-only, or on a disk that is.
    package func tryWriting() throws(DatabaseError) {
        guard sqlite3_db_readonly(pointer, "main") != 1 else {
            throw DatabaseError(
                kind: .cannotOpen, code: SQLITE_READONLY, message: "the file cannot be written", statement: "main")
        }
        try execute("BEGIN IMMEDIATE; ROLLBACK;")
    }

    deinit {
        statements.removeAll()
        sqlite3_close_v2(pointer)
    }

    /// Runs statements that give no rows and take no values; several, separated by `;`.
    package func execute(_ sql: String) throws(DatabaseError) {
        try restoreIndex(sql)
        guard sqlite3_exec(pointer, sql, nil, nil, nil) == SQLITE_OK else {
            throw DatabaseError(pointer, statement: sql)
        }
    }

    /// Runs one statement with values for its `?`. Returns the number of rows it changed.
    @discardableResult
    package func run(_ sql: String, _ values: any DatabaseBindable...) throws(DatabaseError) -> Int {
        try run(sql, values: values)
    }

    /// Runs one statement with values for its `?`. Returns the number of rows it changed.
    @discardableResult
    package func run(_ sql: String, values: [any DatabaseBindable]) throws(DatabaseError) -> Int {
        let statement = try prepared(sql)
        defer { statement.reset() }
        try statement.bind(values)
        while try statement.step() {}
        return Int(sqlite3_changes(pointer))
    }

    package func rows<Value>(
        _ sql: String, _ values: any DatabaseBindable..., read: (Row) throws -> Value
    ) throws -> [Value] {
        var result: [Value] = []
        try forEach(sql, values: values) { result.append(try read($0)) }
        return result
    }

    package func first<Value>(
        _ sql: String, _ values: any DatabaseBindable..., read: (Row) throws -> Value
    ) throws -> Value? {
        let statement = try prepared(sql)
        defer { statement.reset() }
        try statement.bind(values)
        return try statement.step() ? try read(Row(statement: statement.pointer, sql: sql)) : nil
    }

    /// Whether a query has any row.
    package func hasRow(_ sql: String, _ values: any DatabaseBindable...) throws(DatabaseError) -> Bool {
        let statement = try prepared(sql)
        defer { statement.reset() }
        try statement.bind(values)
        return try statement.step()
    }

    package func hasTable(_ name: String) throws(DatabaseError) -> Bool {
        try hasRow("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?", name)
    }

    /// Calls `body` for each row in turn, without keeping them. `body` must not run the
    /// same query again.
    package func forEach(_ sql: String, values: [any DatabaseBindable] = [], _ body: (Row) throws -> Void) throws {
        let statement = try prepared(sql)
        defer { statement.reset() }
        try statement.bind(values)
        while try statement.step() { try body(Row(statement: statement.pointer, sql: sql)) }
    }

    /// All or nothing: commits when `body` returns, rolls back when it throws. May be nested; then
    /// only the outermost can be without a flush.
    ///
    /// Without `flushing` the commit is in the kernel's hands alone: all connections read it and a
    /// killed process does not lose it, but a power cut may, until `flush` or the next commit,
    /// which flushes all before it
    /// (https://sqlite.org/pragma.html#pragma_synchronous, NORMAL in WAL mode).
    package func transaction<Value>(flushing: Bool = true, _ body: () throws -> Value) throws -> Value {
        let name = "level\(savepoints)"
        let isLazy = savepoints == 0 && !flushing
        if isLazy { try execute("PRAGMA synchronous=NORMAL") }
        defer { if isLazy { try? execute("PRAGMA synchronous=\(synchronous)") } }
        try execute(savepoints == 0 ? "BEGIN IMMEDIATE" : "SAVEPOINT \(name)")
        savepoints += 1
        defer { savepoints -= 1 }
        do {
            let value = try body()
            try execute(savepoints == 1 ? "COMMIT" : "RELEASE \(name)")
            return value
        } catch {
            // SQLite may have rolled back by itself (disk full): then this says "no transaction"
            // and nothing is lost.
            try? execute(savepoints == 1 ? "ROLLBACK" : "ROLLBACK TO \(name); RELEASE \(name)")
            throw error
        }
    }

    /// From now on commits do not flush; only `flush` does. For data that can be made again.
    package func flushLater() throws(DatabaseError) {
        synchronous = "NORMAL"
        try execute("PRAGMA synchronous=\(synchronous)")
    }

    /// Returns when every commit so far is on the disk. Not within a transaction.
    package func flush() throws(DatabaseError) {
        let code = studyd_sqlite_sync_log(pointer)
        guard code == SQLITE_OK else {
            throw DatabaseError(
                kind: .inputOutput, code: code, message: "the write-ahead log cannot be synced", statement: "flush")
        }
    }

    /// Compacts the file, without what was deleted, and empties the write-ahead log, which may hold
    /// that too. Not within a transaction; needs room for a second copy. Throws where that is
    /// missing, or another process is reading; the log is emptied even without the room.
    package func compact() throws {
        let rewriting = Result { () throws(DatabaseError) in try execute("VACUUM") }
        try emptyLog()
        try rewriting.get()
    }

    /// Empties the write-ahead log, which may hold what was deleted. Not within a transaction; throws where another
    /// process is reading.
    package func emptyLog() throws {
        let statement = "PRAGMA wal_checkpoint(TRUNCATE)"
        // SQLite says in a row, not in an error, that another process was in the way.
        guard try first(statement, read: { try $0.int(0) }) == 0 else {
            throw DatabaseError(kind: .busy, code: SQLITE_BUSY, message: "database is locked", statement: statement)
        }
    }

    /// True while pages hold nothing: something was deleted since the file was compacted.
    package func hasFreePages() throws -> Bool { try first("PRAGMA freelist_count") { try $0.int(0) } ?? 0 > 0 }

    /// For a new file that its maker syncs, and renames when it is whole: a failure leaves nothing
    /// that could be used. Without a busy timeout, since a reader of the file would hold up each page
    /// that the cache has no room for: writing fails at once instead.
    package func writeWithoutJournal() throws(DatabaseError) {
        try execute("PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA busy_timeout=0;")
    }

    /// Leaves WAL mode, so that the database is one file: it can be put away, and be read where
    /// nothing can be written.
    package func leaveWriteAheadLog() throws(DatabaseError) { try execute("PRAGMA journal_mode=DELETE") }

    package var lastInsertedRow: Int64 { sqlite3_last_insert_rowid(pointer) }

    /// What `PRAGMA quick_check` finds first; nil when nothing. Reads the whole file.
    package func structuralError() throws -> String? {
        try first("PRAGMA quick_check(1)") { try $0.string(0) }.flatMap { $0 == "ok" ? nil : $0 }
    }

    /// What `PRAGMA integrity_check` complains about; empty when nothing.
    package func integrityErrors() throws -> [String] {
        try rows("PRAGMA integrity_check") { try $0.string(0) }.filter { $0 != "ok" }
    }

    private func configure() throws(DatabaseError) {
        try execute("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA foreign_keys=ON;")
        // What is deleted is overwritten: answers that a participant has deleted must not
        // stay in free pages.
        try execute("PRAGMA trusted_schema=OFF; PRAGMA cell_size_check=ON; PRAGMA secure_delete=ON;")
        // The kernel caches the file too: SQLite's own cache (2 MB) would only keep a second copy
        // of it, and grows as the file does.
        try execute("PRAGMA cache_size=-512")
    }

    /// Before each statement. Where the index had been cut short within a transaction, what the
    /// transaction has read is no longer certain: the error rolls it back.
    private func restoreIndex(_ sql: String) throws(DatabaseError) {
        guard index?.restore() == true, isInTransaction else { return }
        throw DatabaseError(
            kind: .inputOutput, code: SQLITE_IOERR,
            message: "another program cut the index of the write-ahead log short",
            statement: sql)
    }

    /// The statement of that text, prepared once.
    private func prepared(_ sql: String) throws(DatabaseError) -> Statement {
        try restoreIndex(sql)
        if let kept = statements[sql] { return kept }
        let statement = try Statement(sql, connection: pointer)
        if statements.count >= 128 { statements.removeAll() }
        statements[sql] = statement
        return statement
    }
}
