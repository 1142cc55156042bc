// SPDX-License-Identifier: Apache-2.0
import Base
import Database
import Study

/// The append-only, hash-chained log and the projections (tables that follow from it) written with it. `OpenStore` has
/// one, and `StudyDatabase` and its parts read and write through that. Belongs to its connection's thread.
///
/// The hash of a row is SHA-256 over the previous row's hash and the row's fields as netstrings, in
/// the order of the table: sequence, enrolment, wall, monotonic, boot, zone offset, kind, and the
/// seal of the body: SHA-256 over 16 random bytes (the row's salt) and the body, in hexadecimal.
/// The first row's previous hash is 32 zeros.
///
/// So a body can be erased and the chain stays whole: the seal replaces it, and without the salt
/// its content cannot be found by trial. Where answers are encrypted (`EncryptedBody`), the body is the
/// encrypted one, and the chain can be checked without a key.
///
/// The log's head, the number and hash of its last row, is kept outside the database too (`HeadFile`): it shows
/// when rows at the end are gone.
///
/// No sequence number is used twice. A log that lost rows continues after the last number that is known from
/// any source, with a row that names what is lost and follows the last hash that is known (`SalvageRecord`).
final class EventLog {
    private let connection: Connection
    private var sequence: Int64 = 0
    private var hash = EventLog.genesis
    /// Where the head is kept; nil = nowhere.
    private let headFile: HeadFile?
    /// The row of the head that this object wrote last; 0 = it has written none, whatever the file names.
    private var keptHead: Int64 = 0
    /// The head file may be made here: the log began here, or is the agent's own.
    private let makesHead: Bool
    /// See `LogHead.log`; nil = not read yet.
    private var knownName: String?
    /// Why the head could not be kept after the last commit; nil = it was.
    private(set) var headFault: String?
    /// The last rows were written without a flush, and may not outlive a power cut.
    private(set) var awaitsFlush = false
    /// Draws the 16 random bytes of a row.
    private let salt: () -> [UInt8]

    private var projectionReplay: ProjectionReplay

    /// Opens the log in a database, creates what is missing, and rebuilds projections of another
    /// version: at once, or without `catchesUp` by calls of `catchUp`. The owner of the log
    /// (`owns`) recreates a head that is gone, and has to report that it was.
    init(
        _ connection: Connection, head: HeadFile? = nil, salt: @escaping () -> [UInt8] = EventLog.randomSalt,
        owns: Bool = false, catchesUp: Bool = true
    ) throws {
        self.connection = connection
        headFile = head
        self.salt = salt
        projectionReplay = ProjectionReplay(connection)
        try storeSchema.prepare(connection)
        let isEmpty = try !connection.hasRow("SELECT 1 FROM event LIMIT 1")
        makesHead = owns || isEmpty
        if isEmpty, let head, !head.isThere {
            do { try head.begin() } catch { headFault = "\(error)" }
        }
        try readEnd()
        try projectionReplay.beginOutdated()
        if catchesUp || sequence == 0 { while try catchUp() {} }
    }

    static let genesis = [UInt8](repeating: 0, count: 32)

    static func randomSalt() -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        // Each draw asks the kernel.
        let (first, second) = (generator.next(), generator.next())
        return [first, second].flatMap { word in withUnsafeBytes(of: word) { Array($0) } }
    }

    /// Writes events and what follows from them, all or nothing. Returns the last sequence number.
    @discardableResult
    func append(_ events: [StudyEvent], at stamp: EventStamp) throws -> Int64 {
        try transaction { for event in events { try append(event, at: stamp) } }
        return sequence
    }

    /// Makes these items wait again, each with its enrolment. Returns how many.
    func requeue(_ items: [(id: String, enrolment: String)], at stamp: EventStamp) throws -> Int {
        try transaction {
            for item in items { try append(.itemRequeued(item: item.id), at: stamp.of(item.enrolment)) }
        }
        return items.count
    }

    /// Runs `body` and the appends inside it as one transaction. The end of the log is read again:
    /// a command may have written from another process. Without `flushing` a power cut may lose it
    /// until `flush`, or the next one with; nested ones follow the outermost.
    func transaction<Value>(flushing: Bool = true, _ body: () throws -> Value) throws -> Value {
        let isOutermost = !connection.isInTransaction
        var before: Int64 = 0
        let value = try connection.transaction(flushing: flushing) {
            try readEnd()
            before = sequence
            return try body()
        }
        // A commit without rows flushes nothing and writes no head: a process that only reads a log that was
        // cut short must not make the head agree with it.
        guard isOutermost, sequence != before else { return value }
        awaitsFlush = !flushing
        // The head must not name rows that a power cut may take.
        if !awaitsFlush { keepHead() }
        return value
    }

    /// Returns when every row so far survives a power cut.
    func flush() throws {
        guard awaitsFlush else { return }
        try connection.flush()
        awaitsFlush = false
        keepHead()
    }

    // MARK: - The head

    /// The last row; nil in an empty log.
    func head() throws -> LogHead? {
        try readEnd()
        guard sequence > 0 else { return nil }
        return LogHead(log: try name(), sequence: sequence, hash: hash.hexadecimal)
    }

    /// Which log it is; see `LogHead.log`.
    private func name() throws -> String {
        if let knownName { return knownName }
        let name = try Self.name(connection)
        if !name.isEmpty { knownName = name }
        return name
    }

    /// The name of a log that was opened for reading; empty where it has no row.
    static func name(_ connection: Connection) throws -> String {
        let first = try connection.first("SELECT hash FROM event ORDER BY sequence LIMIT 1") {
            (try $0.bytes(0)).hexadecimal
        }
        return try salvages(connection).last?.log ?? first ?? ""
    }

    /// Writes the head, after a commit. An error is only noted in `headFault`.
    func keepHead() {
        guard let headFile, sequence != keptHead else { return }
        do {
            guard let head = try head() else { return }
            try headFile.write(head, makesFile: makesHead)
            (keptHead, headFault) = (head.sequence, nil)
        } catch { headFault = "\(error)" }
    }

    /// What happened to the head from outside since it was last written here; nil = nothing. The
    /// next commit writes it again.
    func headTampering() -> HeadFile.Tampering? {
        headFile?.detectTampering()
        return headFile?.tampering
    }

    func forgetHeadTampering() { headFile?.forgetTampering() }

    /// The damage that the log records, oldest first.
    func salvages() throws -> [SalvageRecord] { try Self.salvages(connection) }

    /// The damage that a log records which was opened for reading.
    static func salvages(_ connection: Connection) throws -> [SalvageRecord] {
        try connection.newestEvents("salvaged", limit: -1).reversed().compactMap { row in
            if case .salvaged(let record) = row.event { record } else { nil }
        }
    }

    /// Continues the log after damage: `record` becomes the first row after everything that is known to have
    /// been there. `known` is the head from outside.
    func continueLog(after known: LogHead?, with record: SalvageRecord, at stamp: EventStamp) throws {
        try transaction {
            if let known, known.sequence > sequence, let last = [UInt8](hexadecimal: known.hash) {
                (sequence, hash) = (known.sequence, last)
            }
            try append(.salvaged(record: record), at: stamp)
        }
    }

    /// True for a log that was closed: its head file is removed before the log is put away, so a missing one
    /// is no damage.
    func isHandedOver() throws -> Bool {
        try connection.hasRow("SELECT 1 FROM event WHERE kind = 'handedOver' LIMIT 1")
    }

    // MARK: - Reading

    private func readEnd() throws {
        let last = try connection.first("SELECT sequence, hash FROM event ORDER BY sequence DESC LIMIT 1") {
            (try $0.int(0), try $0.bytes(1))
        }
        (sequence, hash) = last ?? (0, Self.genesis)
        try projectionReplay.read()
    }

    /// Every event from a sequence number on, in order; nil = every kind, a negative limit = all.
    /// Erased ones are passed over, and those that are encrypted to a key that is not here.
    func replay(
        from first: Int64 = 1, kind: String? = nil, limit: Int = -1, _ body: (LoggedEvent) throws -> Void
    ) throws {
        let sql = "SELECT \(Self.columns) FROM event WHERE sequence >= ? AND (kind = ? OR ?) ORDER BY sequence LIMIT ?"
        try connection.forEach(sql, values: [first, kind, kind == nil, limit] as [any DatabaseBindable]) {
            if let logged = try StoredRow($0).logged(opening: connection.encryption) { try body(logged) }
        }
    }

    /// Walks the chain. Returns the first row that does not fit, nil when all do, but for rows of
    /// which the log itself says that they are lost.
    func verify() throws -> ChainFault? {
        // Read before the walk: the log may only be longer than this head, if another process commits
        // meanwhile.
        let known = headFile?.read()
        if let fault = try ChainWalk.fault(in: connection) { return fault }
        switch known {
        case .head(let head): return try fault(against: head)
        case .begun, nil: return nil
        case .none?, .damaged, .blank:
            return sequence > 0 ? ChainFault(sequence: sequence, problem: "the head kept beside the log is gone") : nil
        }
    }

    func confirmedRows() throws -> ConfirmedRows { try ConfirmedRows(connection, log: name()) }

    /// How the log contradicts a head that was kept elsewhere; nil = it does not.
    func fault(against head: LogHead) throws -> ChainFault? {
        try readEnd()
        guard sequence >= head.sequence else {
            return ChainFault(
                sequence: sequence + 1, problem: "is missing, though the log had come as far as row \(head.sequence)")
        }
        guard try connection.logHash(of: head.sequence) != head.hash else { return nil }
        return ChainFault(sequence: head.sequence, problem: "is not the row that was confirmed")
    }

    /// Takes the contents of events of these kinds out of the log and out of what follows from it: those of
    /// one enrolment (empty = rows that belong to none), or of all (nil). Returns how many rows.
    /// Within a transaction of the caller's.
    func erase(of enrolment: String?, where takes: (_ kind: String) -> Bool) throws -> Int {
        var bodies: [(sequence: Int64, digest: String)] = []
        try connection.forEach(
            "SELECT \(Self.columns) FROM event WHERE enrolment = ? OR ?", values: [enrolment, enrolment == nil]
        ) { row in
            let stored = try StoredRow(row)
            guard takes(stored.kind), let digest = try stored.bodyDigest() else { return }
            bodies.append((stored.sequence, digest))
        }
        for body in bodies {
            try connection.run(
                "UPDATE event SET body = ?, salt = NULL WHERE sequence = ?", StoredRow.erased(body.digest),
                body.sequence)
        }
        if !bodies.isEmpty { try rebuild() }
        return bodies.count
    }

    /// Drops and makes again what follows from the log.
    func rebuild() throws {
        try connection.transaction {
            try beginRebuild()
            while try catchUp() {}
        }
    }

    // MARK: - In steps

    /// True while every projection has come to the end of the log.
    var isCurrent: Bool { projectionReplay.isOver }

    /// Drops what follows from the log, to be made again by calls of `catchUp`.
    func beginRebuild() throws { try projectionReplay.begin(projections) }

    /// One step of the rebuilding, in a transaction, so that a restart goes on where it was. False
    /// when there is nothing left to do.
    func catchUp(rows limit: Int = 2000) throws -> Bool {
        try transaction { try projectionReplay.step(rows: limit) }
    }

    /// The rows after `row` as they are stored, in order.
    func rows(after row: Int64, atMost limit: Int) throws -> [StoredRow] {
        try connection.rows(
            "SELECT \(Self.columns) FROM event WHERE sequence > ? ORDER BY sequence LIMIT ?", row, limit
        ) { try StoredRow($0) }
    }

    static let columns =
        "sequence, enrolment, wall, monotonic, boot, zone_offset, kind, body, previous, hash, salt"

    private func append(_ event: StudyEvent, at stamp: EventStamp) throws {
        let (kind, plain) = try event.stored()
        let body = try EncryptedBody.stored(plain, of: kind, by: connection.encryption)
        let row = try StoredRow(
            sequence: sequence + 1, stamp: stamp, kind: kind, body: body, salt: salt(), previous: hash)
        try connection.run(
            "INSERT INTO event VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", row.sequence, stamp.enrolment,
            stamp.wall.nanoseconds, stamp.monotonic.nanoseconds, stamp.bootID, stamp.zoneOffset, kind, body,
            row.previous, row.hash, row.salt)
        (sequence, hash) = (row.sequence, row.hash)
        let logged = LoggedEvent(sequence: row.sequence, stamp: stamp, event: event)
        for projection in projections where projectionReplay.follows(projection) {
            try projection.apply(logged, to: connection)
        }
    }
}
