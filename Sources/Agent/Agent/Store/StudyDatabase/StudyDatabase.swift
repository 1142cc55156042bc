// SPDX-License-Identifier: Apache-2.0
import Base
import Database
import Glibc
import Study
import SystemKit

/// The device's memory: the event log, what follows from it, and the bytes still to be sent.
///
/// An actor on a thread of its own, `studyd-store`, because every commit waits for the disk. When
/// `append` has returned, what it wrote survives a power cut.
package actor StudyDatabase {
    private nonisolated let executor: ThreadExecutor
    var connection: Connection
    var log: EventLog
    /// How it was opened, for the agent's own store; nil where damage is only reported.
    let opening: StoreOpening?
    /// What was damaged when it was opened; nil = nothing.
    package nonisolated let foundDamage: SalvageRecord?
    /// Why nothing reaches the disk; nil = it does.
    package internal(set) var volatile: String?
    /// What is on the disk is not known, or may not be touched: nothing that belongs to it is to be
    /// taken for nobody's.
    package var leavesFile: Bool { leftFrom != nil }
    /// See `leftFrom(_:)`.
    var leftFrom: Int64?
    /// The store in memory while what came into it is taken into that on the disk.
    var left: (connection: Connection, log: EventLog)?
    var look: DamageScan?
    /// Of the agent's own store; nil in memory.
    var place: StorePlace?
    /// What somebody has done to the files of the open store, in words: what is open may know more
    /// than what is there.
    var misplacement: String?
    /// What became of the head while the agent ran, in words.
    var lostHead: String?
    /// See `StoreCondition.capFault`, as of the last retention.
    var capFault: String?
    /// The directory to which the paths of recordings are relative; nil where there are none.
    let recordings: String?
    /// Something was seen to wait for a flush.
    var unflushedSince: MonotonicTime?
    /// Something was erased, and the file could not be written anew without it yet.
    var awaitsCompaction = false

    /// A thread of its own: SQLite blocks on the disk, and on the shared pool that
    /// would delay timers.
    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Opens or makes the database. Opening reads the end of the log only, unless a projection
    /// changed its version: then all of it, at once or, without `catchesUp`, by calls of `catchUp`.
    /// Throws where opening it would cost rows that the agent can still salvage. `busyTimeout` is
    /// how long a statement waits for another process.
    package init(
        _ location: Connection.Location, recordings: String? = nil, busyTimeout: Duration = .seconds(5),
        catchesUp: Bool = true
    ) throws {
        executor = try ThreadExecutor(name: "studyd-store")
        let head: HeadFile? = if case .file(let path) = location { HeadFile(StoreFiles(path).head) } else { nil }
        if case .file(let path) = location, let head {
            do { try WriteAheadDoubt(path)?.refuseLoss(known: head.read()) } catch let damage as DamageFound {
                throw StoreError.damaged(path, damage.words)
            }
        }
        connection = try Connection(location, busyTimeout: busyTimeout)
        log = try EventLog(connection, head: head, catchesUp: catchesUp)
        self.recordings = recordings
        (opening, foundDamage) = (nil, nil)
    }

    /// Opens or makes the store of the agent, which has the state folder for itself. Damage keeps
    /// it from nothing: what was found is `foundDamage`, and stands in the log at that stamp.
    package init(rescuing path: String, recordings: String, at stamp: EventStamp) throws {
        executor = try ThreadExecutor(name: "studyd-store")
        let opening = StoreOpening(path, recordings: recordings)
        let opened = try opening.open(at: stamp)
        self.opening = opening
        self.recordings = recordings
        (connection, log, foundDamage, volatile) = (opened.connection, opened.log, opened.record, opened.volatile)
        leftFrom = Self.leftFrom(opened)
        place = opened.volatile == nil ? StorePlace(opening.files) : nil
    }

    /// Writes events, what follows from them, and items to be sent, in one transaction. Returns the
    /// last sequence number.
    ///
    /// An item that is in the outbox already is not queued again. What comes after its enrolment
    /// was left, and its unsent data deleted, is deleted too.
    @discardableResult
    package func append(_ events: [StudyEvent], sending drafts: [OutboxDraft] = [], at stamp: EventStamp) throws
        -> Int64
    {
        let (last, removed) = try log.transaction {
            try add(StoreEntry(events: events, drafts: drafts, stamp: stamp))
        }
        removeFiles(of: removed)
        return last
    }

    private func add(_ entry: StoreEntry) throws -> (last: Int64, removed: [RecordingView]) {
        let stamp = entry.stamp
        let before = try isTooLate(entry) ? unsentItems(of: stamp.enrolment) : nil
        let last = try log.append(standing(entry.events, of: stamp.enrolment), at: stamp)
        let queued = try queue(entry.drafts, at: stamp)
        let removed = try before.map { try deleteUnsent(at: stamp, except: Set($0.map(\.item.id))) }
        return (queued ?? last, removed ?? [])
    }

    /// Whether it was on its way to the disk, with something to be sent, when its enrolment was
    /// left and what was unsent deleted.
    private func isTooLate(_ entry: StoreEntry) throws -> Bool {
        let isToBeSent =
            !entry.drafts.isEmpty || entry.events.contains { if case .recordingSealed = $0 { true } else { false } }
        return try isToBeSent && isLeft(entry.stamp.enrolment) && hasDeletedUnsent(of: entry.stamp.enrolment)
    }

    private func isLeft(_ enrolment: String) throws -> Bool {
        try connection.first("SELECT withdrawn FROM enrolment WHERE id = ?", enrolment) {
            try $0.intOrNil(0) != nil
        } ?? false
    }

    /// Without what became of prompts after their enrolment was left: the leave ended them,
    /// whatever was on its way to the disk then. An answer on its way is kept, and sent unless what
    /// was unsent was deleted.
    private func standing(_ events: [StudyEvent], of enrolment: String) throws -> [StudyEvent] {
        let isOfPrompt = { (event: StudyEvent) in
            switch event {
            case .prompted, .presented, .concluded, .occurrencesReturned: true
            default: false
            }
        }
        guard events.contains(where: isOfPrompt), try isLeft(enrolment) else { return events }
        return events.filter { !isOfPrompt($0) }
    }

    /// The same of several moments, in their order, in one transaction: one flush of the disk.
    /// Without `flushing` it is there for everybody and outlives the process, but not a power cut
    /// before the next flush.
    package func append(_ entries: [StoreEntry], flushing: Bool = true) throws {
        removeFiles(of: try log.transaction(flushing: flushing) { try entries.flatMap { try add($0).removed } })
    }

    /// Keeps a study's file exactly as it was received. Returns its digest, under which
    /// it is found again.
    package func keepStudyFile(_ bytes: [UInt8], source: String, at now: Instant) throws -> Digest {
        let digest = try Digest(of: bytes)
        try connection.run(
            "INSERT OR IGNORE INTO study_file VALUES (?, ?, ?, ?)", digest.description, source, now.nanoseconds, bytes)
        return digest
    }

    /// The study file of that digest, nil where there is none.
    package func studyFile(_ digest: String) throws -> [UInt8]? {
        try connection.first("SELECT bytes FROM study_file WHERE digest = ?", digest) { try $0.bytes(0) }
    }

    /// Every event from a sequence number on, at most `limit`, of one kind or of all.
    package func events(from first: Int64 = 1, kind: String? = nil, limit: Int = 1000) throws -> [LoggedEvent] {
        var found: [LoggedEvent] = []
        try log.replay(from: first, kind: kind, limit: limit) { found.append($0) }
        return found
    }

    /// False while something that follows from the log is being made again; nothing is sent then.
    package var isCurrent: Bool { log.isCurrent }

    /// Reads the log a step further for what is made again; false when that is done. A restart goes
    /// on where it was.
    package func catchUp() throws -> Bool { try log.catchUp() }

    /// Walks the hash chain. Returns the first row that does not fit, nil when all do.
    package func verifyLog() throws -> ChainFault? { try log.verify() }

    /// Walks the hash chain of a log that is only read, such as one that was closed.
    package static func verifyLog(at path: String) throws -> ChainFault? {
        try EventLog.verify(Connection(.readOnly(path)))
    }

    /// Drops everything that follows from the log and makes it again.
    package func rebuildProjections() throws { try log.rebuild() }

    /// What SQLite itself finds wrong with the file; empty when nothing.
    package func integrityErrors() throws -> [String] { try connection.integrityErrors() }

    /// Every row of every projection as text, in order: equal texts = equal projections.
    package func projectionDump() throws -> [String] {
        var dump: [String] = []
        for projection in projections {
            for table in projection.tables {
                var rows: [String] = []
                try connection.forEach("SELECT * FROM \(table)") { rows.append("\(table)\($0.values)") }
                dump += rows.sorted()
            }
        }
        return dump
    }

    /// Queues drafts that are not in the outbox yet. Returns the last sequence number, nil
    /// when none was new.
    func queue(_ drafts: [OutboxDraft], at stamp: EventStamp) throws -> Int64? {
        var last: Int64?
        for draft in drafts {
            var item = try draft.item(in: stamp.enrolment, secret: secret)
            if draft.followsAnswers { item.follows = try newestAnswers(of: stamp.enrolment, for: item.destination) }
            guard try self.item(item.id) == nil else { continue }
            if case .request(let request) = draft.content { try keep(request, digest: item.requestDigest ?? "") }
            last = try log.append([.queued(item: item)], at: stamp)
        }
        return last
    }

    private func newestAnswers(of enrolment: String, for destination: String) throws -> String? {
        try connection.first(
            """
            SELECT id FROM outbox WHERE enrolment = ? AND destination = ? AND class = ? AND request IS NOT NULL
            ORDER BY sequence DESC LIMIT 1
            """, enrolment, destination, ItemClass.answers.rawValue
        ) { try $0.string(0) }
    }

    var secret: [UInt8] {
        get throws {
            try connection.first("SELECT bytes FROM secret WHERE name = 'items'") { try $0.bytes(0) } ?? []
        }
    }

    func keep(_ request: WireRequest, digest: String) throws {
        let headers = try StoredJSON.text(request.headers.map { [$0.name, $0.value] })
        try connection.run(
            "INSERT OR IGNORE INTO request VALUES (?, ?, ?, ?, ?)", digest, request.method, request.url, headers,
            request.body)
    }
}
