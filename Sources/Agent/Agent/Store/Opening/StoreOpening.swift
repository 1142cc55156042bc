// SPDX-License-Identifier: Apache-2.0
import Base
import Database
import Glibc
import Study
import SystemKit

/// Opens the agent's store in whatever state it is: damaged parts are set aside, the rest goes on
/// in a new one, and where nothing can be written it goes on in memory. It fails only where another
/// process holds the store. `OpenStore` makes one at start and keeps it for `repair` and `moveToDisk`. Blocks on the
/// disk.
struct StoreOpening {
    let files: StoreFiles
    /// The folder of recordings: where some lie, there was a log.
    private let recordings: String?
    private let encryption: BodyEncryption?

    /// A store, and what had to be done for it.
    struct Opened {
        let connection: Connection
        let log: EventLog
        /// What was damaged, as it was logged; nil = nothing.
        var record: SalvageRecord?
        /// Why nothing reaches the disk; nil = it does.
        var memoryOnlyReason: String?
        /// The store on the disk may not be used (`StoreFiles.refusal`) and is left as it is until `reopen`.
        var leavesFile = false
    }

    init(_ path: String, recordings: String?, encryption: BodyEncryption? = nil) {
        files = StoreFiles(path)
        (self.recordings, self.encryption) = (recordings, encryption)
    }

    private func connect(_ location: Connection.Location) throws -> Connection {
        let connection = try Connection(location)
        connection.encryption = encryption
        return connection
    }

    /// Leaves files alone that this process may not use, completes an interrupted rescue, and opens the store as it
    /// is; where only the last rows are missing, the log goes on in it. All other damage goes to `rescue`.
    func open(at stamp: EventStamp) throws -> Opened {
        if let refusal = files.refusal { return try inMemory(leaving: refusal, at: stamp) }
        do { try files.resume() } catch { return try inMemory("\(error)", at: stamp) }
        files.protect()
        defer { files.protect() }
        let known = HeadFile(files.head).read()
        let cause: String
        var isOtherVersion = false
        switch files.kind {
        case .other(let what): cause = what
        case .missing where files.hasLeftovers: cause = "the database is missing, but its write-ahead log is there"
        case .missing, .file:
            do {
                try UnreadWriteAheadLog(files.path)?.refuseLoss(known: known)
                // Opening makes files too (write-ahead log).
                var opened = try StoreReserve(files.reserve).onFullDisk(plain)
                let log = opened.log
                if let missing = try missingRows(log, known) {
                    try refuseForeign(opened, known.head, missing)
                    try continueLog(opened, after: known.head, missing, at: stamp)
                    opened.record = try log.salvages().last
                }
                log.keepHead()
                return opened
            } catch let error as DatabaseError where error.kind == .busy {
                throw error
            } catch let error as DatabaseError where error.isRefusal {
                return try inMemory(leaving: "\(error)", at: stamp)
            } catch {
                cause = Self.words(error)
                isOtherVersion = (error as? DatabaseVersionError)?.isUnversioned == false
            }
        }
        return try rescue(cause, isOtherVersion: isOtherVersion, at: stamp)
    }

    /// Sets the store aside and goes on, in a new one, with what can be read of it. This process must not
    /// have the store open.
    func rescue(_ cause: String, isOtherVersion: Bool = false, at stamp: EventStamp) throws -> Opened {
        do {
            return try StoreReserve(files.reserve).onFullDisk { try replace(cause, isOtherVersion, at: stamp) }
        } catch let error as DatabaseError where error.kind == .busy {
            throw error
        } catch {
            return try inMemory("\(cause); \(Self.words(error))", isOtherVersion, at: stamp)
        }
    }

    /// The store as it is, checked only as far as that is quick.
    private func plain() throws -> Opened {
        let connection = try connect(.file(files.path))
        // What is found to be damaged must not be written over what may be whole.
        connection.setCheckpointOnClose(false)
        let log = try EventLog(connection, head: HeadFile(files.head), owns: true, catchesUp: false)
        try connection.tryWriting()
        if let fault = try DamageScan(connection).quickCheck() { throw DamageFound(words: fault) }
        connection.setCheckpointOnClose(true)
        return Opened(connection: connection, log: log)
    }

    /// Which rows are known to have been there and are missing, in words; nil = none.
    private func missingRows(_ log: EventLog, _ known: HeadFile.Knowledge) throws -> String? {
        let last = try log.head()?.sequence ?? 0
        switch known {
        case .head(let head):
            guard let fault = try log.fault(against: head) else { return nil }
            return last == 0 ? "the database is missing or empty" : "row \(fault.sequence) of the log \(fault.problem)"
        case .damaged where last == 0: return "the database is missing or empty, and the head of its log cannot be read"
        // Without it a whole log looks like one that was cut short or rewritten.
        case .damaged,
            .blank where last > 0:
            return "the head of its log cannot be read"
        case .none where last > 0: return try log.isHandedOver() ? nil : "the head of its log is missing"
        case .none, .begun, .blank:
            guard last == 0, let recordings, !FolderListing.readable(recordings).filter(Self.isRecording).isEmpty else {
                return nil
            }
            return "the database is missing or empty, but there are recordings"
        }
    }

    private static func isRecording(_ name: String) -> Bool { name.first?.isNumber ?? false }

    /// Throws for a database that has more wrong with it than missing rows: rows of another log, or pages that a
    /// foreign write-ahead log has changed.
    private func refuseForeign(_ opened: Opened, _ head: LogHead?, _ cause: String) throws {
        guard let last = try opened.log.head() else { return }
        let isForeign = head.map { $0.log != last.log } ?? false
        let isBroken = try !opened.connection.integrityErrors().isEmpty || ChainWalk.fault(in: opened.connection) != nil
        guard isForeign || isBroken else { return }
        opened.connection.setCheckpointOnClose(false)
        throw DamageFound(words: isForeign ? "the database belongs to another log" : cause)
    }

    /// Goes on with a sound database that lacks the last rows of the log. Projections may have rows that the
    /// log lost, and are rebuilt.
    private func continueLog(_ opened: Opened, after head: LogHead?, _ cause: String, at stamp: EventStamp) throws {
        let log = opened.log
        try log.beginRebuild()
        let unqueued = try UnqueuedRequests(opened.connection).items(for: stamp)
        let last = try log.head()?.sequence ?? 0
        let lost = head.map { $0.sequence > last ? [[last + 1, $0.sequence]] : [] } ?? []
        try log.continueLog(
            after: head,
            with: SalvageRecord(
                cause: cause, log: head?.log, kept: last, lost: lost, isEndUnknown: head == nil,
                requeued: unqueued.count), at: stamp)
        try requeue(unqueued, log)
    }

    private func requeue(_ items: [(item: QueuedItem, stamp: EventStamp)], _ log: EventLog) throws {
        for (item, stamp) in items {
            let uncertain = StudyEvent.uploadUncertain(item: item.id, reason: UnqueuedRequests.reason, resends: true)
            try log.append([.queued(item: item), uncertain], at: stamp)
        }
    }

    // MARK: - Rescue

    private func replace(_ cause: String, _ isOtherVersion: Bool, at stamp: EventStamp) throws -> Opened {
        files.clearNew()
        do {
            let made = try connect(.file(files.new))
            try made.writeWithoutJournal()
            _ = try fill(
                made, cause, isOtherVersion, setAside: files.nextSetAside, HeadFile(files.head).read().head, at: stamp)
            try made.leaveWriteAheadLog()
        } catch {
            files.clearNew()
            throw error
        }
        try files.finishNew()
        do { try files.setAside() } catch {
            files.dropReady()
            throw error
        }
        try files.moveIn()
        var opened = try plain()
        opened.record = try opened.log.salvages().last
        opened.log.keepHead()
        return opened
    }

    /// Fills an empty database with what can be read.
    private func fill(
        _ connection: Connection, _ cause: String, _ isOtherVersion: Bool, setAside: String?, _ head: LogHead?,
        at stamp: EventStamp
    ) throws -> EventLog {
        // Its own head is written once it has the store's path.
        let log = try EventLog(connection)
        var salvage = Salvage(DamagedFile(files.path), into: connection, head: head)
        try salvage.run()
        try salvage.dropRefuted()
        // What follows from the log is made again while the device measures.
        try log.beginRebuild()
        let unqueued = try UnqueuedRequests(connection).items(for: stamp)
        try log.continueLog(
            after: head,
            with: SalvageRecord(
                cause: cause, setAside: setAside, log: head?.log, kept: salvage.kept, lost: salvage.lost,
                isEndUnknown: head == nil, requeued: unqueued.count, isSecretLost: salvage.isSecretLost,
                isOtherVersion: isOtherVersion), at: stamp)
        try requeue(unqueued, log)
        return log
    }

    /// Goes on where nothing can be written: nothing of it outlives the process.
    private func inMemory(_ reason: String, _ isOtherVersion: Bool = false, at stamp: EventStamp) throws -> Opened {
        let connection = try connect(.memory)
        let log = try fill(
            connection, reason, isOtherVersion, setAside: nil, HeadFile(files.head).read().head, at: stamp)
        return Opened(
            connection: connection, log: log, record: try log.salvages().last,
            memoryOnlyReason:
                "nothing is being stored: everything from now on is lost when the device is switched off (\(reason))")
    }

    /// Goes on where the store on the disk may not be used: with what can be read of it, in a log
    /// with another name, so that its rows cannot be taken for those with which the other log
    /// continues.
    func inMemory(leaving refusal: String, at stamp: EventStamp) throws -> Opened {
        let connection = try connect(.memory)
        let log = try EventLog(connection)
        var salvage = Salvage(DamagedFile(files.path), into: connection, head: HeadFile(files.head).read().head)
        try salvage.run()
        try log.beginRebuild()
        let name = try Digest(of: EventLog.randomSalt()).description
        try log.continueLog(
            after: nil, with: SalvageRecord(cause: refusal, log: name, kept: salvage.kept, leavesFile: true), at: stamp)
        return Opened(
            connection: connection, log: log, record: nil,
            memoryOnlyReason:
                "the store cannot be used, and is left as it is; until it can, everything is kept in memory only, and lost when the device is switched off "
                + "(\(refusal))",
            leavesFile: true)
    }

    /// After `inMemory(leaving:)`: opens the store that was left on the disk as soon as it may be used, and
    /// salvages what is damaged in it; nil until then.
    func reopen(at stamp: EventStamp) throws -> Opened? {
        guard files.refusal == nil, files.kind != .missing || files.hasLeftovers else { return nil }
        let opened = try open(at: stamp)
        return opened.memoryOnlyReason == nil ? opened : nil
    }

    /// No file of the store is on the disk any more.
    var isGone: Bool { files.kind == .missing && !files.hasLeftovers }

    /// Writes a store in memory to the disk and opens it there; nil while the disk does not take it, or where
    /// the copy is not the whole log up to `head`.
    func moveToDisk(_ connection: Connection, ending head: LogHead?) throws -> Opened? {
        files.clearNew()
        do {
            try connection.copy(to: files.new)
            try check(files.new, head)
            try files.finishNew()
            if files.kind != .missing || files.hasLeftovers {
                do { try files.setAside() } catch {
                    // The next start would move it in, behind what was written meanwhile.
                    files.dropReady()
                    throw error
                }
            }
            try files.moveIn()
        } catch {
            files.clearNew()
            return nil
        }
        files.protect()
        let opened = try plain()
        opened.log.keepHead()
        return opened
    }

    private func check(_ path: String, _ head: LogHead?) throws {
        let copy = try Connection(.readOnly(path))
        let last = try copy.first("SELECT hash FROM event ORDER BY sequence DESC LIMIT 1") { try $0.bytes(0) }
        guard last?.hexadecimal == head?.hash, try ChainWalk.fault(in: copy) == nil, try copy.structuralError() == nil
        else {
            throw DamageFound(words: "what is in memory is not whole")
        }
    }

    /// The error without its remedy, since salvaging is the remedy.
    static func words(_ error: any Error) -> String {
        if let error = error as? DatabaseVersionError { return error.explanation.cause }
        guard let error = error as? DatabaseError else { return "\(error)" }
        return "\(error.message), SQLite's code \(error.code)"
    }
}

/// Damage that was found by looking, in words.
struct DamageFound: Error, Sendable, Hashable, CustomStringConvertible {
    let words: String
    var description: String { words }
}

extension HeadFile.Knowledge {
    /// nil where none can be read.
    var head: LogHead? { if case .head(let head) = self { head } else { nil } }
}
