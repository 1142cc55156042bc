// SPDX-License-Identifier: Apache-2.0
import Base
import Database
import Study
import SystemKit

/// The open database and its files, for `StudyDatabase` and its parts. Finds damage, sets a damaged file aside, and
/// goes on in memory while nothing can be written. `repair` and `moveToDisk` replace `connection` and `log`, so neither
/// may be kept elsewhere across them. Belongs to its connection's thread.
struct OpenStore {
    private(set) var connection: Connection
    private(set) var log: EventLog
    /// Why nothing reaches the disk; nil = it does.
    private(set) var memoryOnlyReason: String?
    /// What was damaged when it was opened; nil = nothing.
    let foundDamage: SalvageRecord?
    /// Opens the agent's own store again after damage; nil for a command's store, where damage is only
    /// reported.
    private let opening: StoreOpening?
    /// Those of a command's store that may use the reserve.
    private let commandFiles: StoreFiles?
    /// The number of the first row that was written while the store was in memory and another one was left
    /// on the disk, which takes over from that row on; nil where none was left.
    private var firstRowInMemory: Int64?
    private var scan: DamageScan?
    /// Watches the files of the agent's own store; nil in memory.
    private var fileWatch: StoreFileWatch?
    /// What another program has done to the files, in words; nil = nothing. The open connection may have rows
    /// that the files lack.
    private var fileTampering: String?
    /// What another program did to the head's file while the agent ran, in words; nil = nothing.
    private var headTampering: String?

    init(
        _ location: Connection.Location, busyTimeout: Duration, catchesUp: Bool, encryption: BodyEncryption?,
        usesReserve: Bool = false
    ) throws {
        let files: StoreFiles? = if case .file(let path) = location { StoreFiles(path) } else { nil }
        let head = files.map { HeadFile($0.head) }
        if let files, let head {
            do { try UnreadWriteAheadLog(files.path)?.refuseLoss(known: head.read()) } catch let damage as DamageFound {
                throw StoreError.damaged(files.path, damage.words)
            }
        }
        func open() throws -> (Connection, EventLog) {
            let connection = try Connection(location, busyTimeout: busyTimeout)
            connection.encryption = encryption
            return (connection, try EventLog(connection, head: head, catchesUp: catchesUp))
        }
        let reserve = usesReserve ? files.map { StoreReserve($0.reserve) } : nil
        (connection, log) = try reserve?.onFullDisk(open) ?? open()
        (opening, commandFiles, foundDamage) = (nil, usesReserve ? files : nil, nil)
    }

    init(rescuing path: String, recordings: String, encryption: BodyEncryption?, at stamp: EventStamp) throws {
        let opening = StoreOpening(path, recordings: recordings, encryption: encryption)
        let opened = try opening.open(at: stamp)
        (connection, log, foundDamage) = (opened.connection, opened.log, opened.record)
        (self.opening, commandFiles, firstRowInMemory) = (opening, nil, Self.firstRowInMemory(opened))
        memoryOnlyReason = opened.memoryOnlyReason
        fileWatch = opened.memoryOnlyReason == nil ? StoreFileWatch(opening.files) : nil
    }

    /// True while a store that may not be used was left on the disk: its log may know recordings that this
    /// one does not.
    var leavesFile: Bool { firstRowInMemory != nil }

    /// The files of the agent's own store, or of a command's that may use the reserve; else nil.
    var files: StoreFiles? { opening?.files ?? commandFiles }

    /// Why the log's head could not be kept beside it; nil = it was.
    var headFault: String? { log.headFault ?? headTampering }

    /// Looks at the next `budget` rows (`DamageScan`). `problem` says what is wrong; nil = nothing was found.
    mutating func scanForDamage(_ budget: Int) -> (problem: String?, isRoundOver: Bool) {
        guard opening != nil, memoryOnlyReason == nil else { return (nil, true) }
        do {
            var scan = self.scan ?? DamageScan(connection)
            let problem = try scan.step(budget)
            self.scan = scan
            return (problem, scan.isRoundOver)
        } catch let error as DatabaseError where [.busy, .diskFull].contains(error.kind) {
            return (nil, false)
        } catch { return (StoreOpening.words(error), true) }
    }

    /// Checks that no other program has removed, replaced or cut the files. Returns what is wrong, in words;
    /// nil = nothing. Costs a few system calls; logs what was done to the head's file.
    mutating func checkFiles(at stamp: EventStamp) -> String? {
        guard memoryOnlyReason == nil, fileWatch != nil else { return nil }
        reportHead(at: stamp)
        guard let change = fileWatch?.detectChange() else { return nil }
        switch change {
        case .gone(let words): fileTampering = words
        case .cut(let words):
            guard let fault = faultOnDisk() else {
                fileWatch?.acceptPresentFiles()
                return nil
            }
            fileTampering = "\(words): \(fault)"
        }
        return fileTampering
    }

    /// Logs what was done to the head's file from outside: that commit writes the head again.
    private mutating func reportHead(at stamp: EventStamp) {
        guard let tampering = log.headTampering() else { return }
        let words = "the head of the log was \(tampering.rawValue) while the agent ran; it was written again"
        headTampering = words
        if (try? log.append([.fault(place: "store", message: words)], at: stamp)) != nil { log.forgetHeadTampering() }
    }

    /// What is wrong with the files on the disk, read by a second connection; nil = nothing.
    private func faultOnDisk() -> String? {
        guard let opening else { return nil }
        do {
            let known = try log.head()
            let other = try Connection(.file(opening.files.path))
            other.setCheckpointOnClose(false)
            if let fault = try other.structuralError() { return fault }
            guard let known else { return nil }
            return try other.logHash(of: known.sequence) == known.hash
                ? nil : "row \(known.sequence) of the log is not there"
        } catch { return StoreOpening.words(error) }
    }

    /// Sets the damaged store aside and goes on with what can be read of it, in memory where the disk takes
    /// no new store. Nil for a store that is not the agent's own. May take some seconds, in which the store
    /// answers nothing.
    mutating func repair(_ cause: String, at stamp: EventStamp) throws -> SalvageRecord? {
        guard let opening, memoryOnlyReason == nil else { return nil }
        connection.setCheckpointOnClose(false)
        if let words = fileTampering, let record = try? rewriteFiles(words, opening, at: stamp) { return record }
        fileTampering = nil
        // The database is closed first: while it is open, closing another descriptor of its file would give
        // up its locks.
        scan = nil
        connection = try Connection(.memory)
        log = try EventLog(connection)
        do { use(try opening.rescue(cause, at: stamp)) } catch {
            use(try opening.inMemory(leaving: "\(cause); \(error)", at: stamp))
        }
        while try log.catchUp() {}
        return try log.salvages().last
    }

    /// Writes new files from the open connection, which may still read everything although the files are gone or
    /// cut. Nil where it cannot.
    private mutating func rewriteFiles(
        _ words: String, _ opening: StoreOpening, at stamp: EventStamp
    ) throws -> SalvageRecord? {
        let head = try log.head()
        let setAside = opening.isGone ? nil : opening.files.nextSetAside
        guard let opened = try opening.moveToDisk(connection, ending: head) else { return nil }
        use(opened)
        try log.continueLog(
            after: nil,
            with: SalvageRecord(cause: words, setAside: setAside, log: head?.log, kept: head?.sequence ?? 0), at: stamp)
        return try log.salvages().last
    }

    /// Where a store is after `moveToDisk`.
    enum DiskMove {
        case inMemory
        /// `erased` are erasures made while it was in memory: the store on the disk may still hold those
        /// answers.
        case onDisk(erased: [LoggedEvent])
    }

    /// Tries to move a store in memory to the disk. Where another store was left there, that one is opened
    /// again and the rows that came meanwhile are added to it.
    mutating func moveToDisk(at stamp: EventStamp) throws -> DiskMove {
        guard let opening, memoryOnlyReason != nil else { return .onDisk(erased: []) }
        if let first = firstRowInMemory, let opened = try opening.reopen(at: stamp) {
            return .onDisk(erased: try takeOver(opened, from: first, at: stamp))
        }
        guard firstRowInMemory == nil || opening.isGone,
            let opened = try opening.moveToDisk(connection, ending: log.head())
        else {
            return .inMemory
        }
        use(opened)
        return .onDisk(erased: [])
    }

    /// Goes on with the store on the disk, and adds to it everything that was written to the one in memory:
    /// all of it, or nothing changes.
    private mutating func takeOver(
        _ opened: StoreOpening.Opened, from first: Int64, at stamp: EventStamp
    ) throws -> [LoggedEvent] {
        let memory = self
        use(opened)
        do {
            while try log.catchUp() {}
            let merge = StoreMerge(memory, into: self)
            try log.transaction { try merge.run(from: first, at: stamp) }
        } catch {
            self = memory
            throw error
        }
        var erased: [LoggedEvent] = []
        try memory.log.replay(from: first, kind: "erased") { erased.append($0) }
        return erased
    }

    private mutating func use(_ opened: StoreOpening.Opened) {
        (connection, log, memoryOnlyReason, scan) = (opened.connection, opened.log, opened.memoryOnlyReason, nil)
        firstRowInMemory = Self.firstRowInMemory(opened)
        (fileWatch, fileTampering) = (opened.memoryOnlyReason == nil ? files.map { StoreFileWatch($0) } : nil, nil)
    }

    private static func firstRowInMemory(_ opened: StoreOpening.Opened) -> Int64? {
        opened.leavesFile ? ((try? opened.log.head())??.sequence ?? 0) + 1 : nil
    }
}
