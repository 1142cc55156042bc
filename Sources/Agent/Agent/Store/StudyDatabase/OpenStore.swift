// SPDX-License-Identifier: Apache-2.0
import Base
import Database
import Study
import SystemKit

/// The database that is open and the place where it lies. Finds damage, sets a damaged file aside,
/// and goes on in memory while nothing can be written. Belongs to its connection's thread.
struct OpenStore {
    private(set) var connection: Connection
    private(set) var log: EventLog
    /// Why nothing reaches the disk; nil = it does.
    private(set) var volatile: String?
    /// What was damaged when it was opened; nil = nothing.
    let foundDamage: SalvageRecord?
    /// How it was opened, for the agent's own store; nil where damage is only reported.
    private let opening: StoreOpening?
    /// The number of the first row that was written while the store was in memory and another one was left
    /// on the disk, which takes over from that row on; nil where none was left.
    private var firstRowInMemory: Int64?
    private var scan: DamageScan?
    /// Of the agent's own store; nil in memory.
    private var place: StorePlace?
    /// What another program has done to the files. What is open may have rows that they lack.
    private var misplacement: String?
    /// What became of the head while the agent ran.
    private var lostHead: String?

    init(
        _ location: Connection.Location, busyTimeout: Duration, catchesUp: Bool, encryption: BodyEncryption?
    ) throws {
        let head: HeadFile? = if case .file(let path) = location { HeadFile(StoreFiles(path).head) } else { nil }
        if case .file(let path) = location, let head {
            do { try WriteAheadDoubt(path)?.refuseLoss(known: head.read()) } catch let damage as DamageFound {
                throw StoreError.damaged(path, damage.words)
            }
        }
        connection = try Connection(location, busyTimeout: busyTimeout)
        connection.encryption = encryption
        log = try EventLog(connection, head: head, catchesUp: catchesUp)
        (opening, foundDamage) = (nil, nil)
    }

    init(rescuing path: String, recordings: String, encryption: BodyEncryption?, at stamp: EventStamp) throws {
        let opening = StoreOpening(path, recordings: recordings, encryption: encryption)
        let opened = try opening.open(at: stamp)
        (connection, log, foundDamage, volatile) = (opened.connection, opened.log, opened.record, opened.volatile)
        (self.opening, firstRowInMemory) = (opening, Self.firstRowInMemory(opened))
        place = opened.volatile == nil ? StorePlace(opening.files) : nil
    }

    /// A store was left on the disk as it was, since it may not be used: recordings that this log does not
    /// know may be in that one's.
    var leavesFile: Bool { firstRowInMemory != nil }

    /// Of the agent's own store; nil where damage is only reported.
    var files: StoreFiles? { opening?.files }

    /// Why the log's head could not be kept beside it; nil = it was.
    var headFault: String? { log.headFault ?? lostHead }

    /// Looks at the next `budget` rows. In words what is wrong; nil = nothing was found.
    /// See `DamageScan`.
    mutating func scanForDamage(_ budget: Int) -> (problem: String?, isRoundOver: Bool) {
        guard opening != nil, volatile == nil else { return (nil, true) }
        do {
            var look = self.scan ?? DamageScan(connection)
            let problem = try look.step(budget)
            self.scan = look
            return (problem, look.isRoundOver)
        } catch let error as DatabaseError where [.busy, .diskFull].contains(error.kind) {
            return (nil, false)
        } catch { return (StoreOpening.words(error), true) }
    }

    /// Looks whether the files of the open store are where they were, and as long. In words what is
    /// wrong; nil = nothing. Costs a few system calls; logs what was done to the head's file.
    mutating func checkFiles(at stamp: EventStamp) -> String? {
        guard volatile == nil, place != nil else { return nil }
        reportHead(at: stamp)
        guard let change = place?.detectChange() else { return nil }
        switch change {
        case .gone(let words): misplacement = words
        case .cut(let words):
            guard let fault = faultOnDisk() else {
                place?.renew()
                return nil
            }
            misplacement = "\(words): \(fault)"
        }
        return misplacement
    }

    /// Logs what was done to the head's file from outside: that commit writes the head again.
    private mutating func reportHead(at stamp: EventStamp) {
        guard let deed = log.headTampering() else { return }
        let words = "the head of the log was \(deed.rawValue) while the agent ran; it was written again"
        lostHead = words
        if (try? log.append([.fault(place: "store", message: words)], at: stamp)) != nil { log.forgetHeadTampering() }
    }

    /// What is wrong with the files on the disk, seen without what is in memory; nil = nothing.
    private func faultOnDisk() -> String? {
        guard let opening else { return nil }
        do {
            let known = try log.head()
            let other = try Connection(.file(opening.files.path))
            other.setCheckpointOnClose(false)
            if let fault = try other.structuralError() { return fault }
            guard let known else { return nil }
            let hash = try other.first("SELECT hash FROM event WHERE sequence = ?", known.sequence) { try $0.bytes(0) }
            return hash?.hexadecimal == known.hash ? nil : "row \(known.sequence) of the log is not there"
        } catch { return StoreOpening.words(error) }
    }

    /// Sets the damaged store aside and goes on with what can be read of it; the outbox goes on
    /// with what is left of it, in memory while another program is in the way. Nil for a store that
    /// is not the agent's own. May take some seconds, in which nothing else is answered.
    mutating func repair(_ cause: String, at stamp: EventStamp) throws -> SalvageRecord? {
        guard let opening, volatile == nil else { return nil }
        connection.setCheckpointOnClose(false)
        if let words = misplacement, let record = try? goOnWithWhatIsOpen(words, opening, at: stamp) { return record }
        misplacement = nil
        // Closed first: closing a second descriptor of an open database gives up its locks.
        scan = nil
        connection = try Connection(.memory)
        log = try EventLog(connection)
        do { use(try opening.rescue(cause, at: stamp)) } catch {
            use(try opening.inMemory(leaving: "\(cause); \(error)", at: stamp))
        }
        while try log.catchUp() {}
        return try log.salvages().last
    }

    /// The files are gone or cut, and what was open knows all of it still: it is written again. Nil
    /// where it does not.
    private mutating func goOnWithWhatIsOpen(
        _ words: String, _ opening: StoreOpening, at stamp: EventStamp
    ) throws -> SalvageRecord? {
        let head = try log.head()
        let setAside = opening.isGone ? nil : opening.files.nextSetAside
        guard let opened = try opening.moveToDisk(connection, ending: head) else { return nil }
        use(opened)
        try log.goOn(
            after: nil,
            with: SalvageRecord(cause: words, setAside: setAside, log: head?.log, kept: head?.sequence ?? 0), at: stamp)
        return try log.salvages().last
    }

    /// What became of a store in memory; see `moveToDisk`.
    enum DiskMove {
        case inMemory
        /// With what was erased while it was in memory, which the store on the disk may hold too.
        case onDisk(erased: [LoggedEvent])
    }

    /// Writes a store that is only in memory to the disk, as soon as that takes it; where one
    /// was left there as it was, it is taken again and goes on with what came meanwhile.
    mutating func moveToDisk(at stamp: EventStamp) throws -> DiskMove {
        guard let opening, volatile != nil else { return .onDisk(erased: []) }
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

    /// Goes on with the store on the disk, and with everything that came while there was only the
    /// one in memory: all of it, or nothing changes.
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
        (connection, log, volatile, scan) = (opened.connection, opened.log, opened.volatile, nil)
        firstRowInMemory = Self.firstRowInMemory(opened)
        (place, misplacement) = (opened.volatile == nil ? files.map { StorePlace($0) } : nil, nil)
    }

    private static func firstRowInMemory(_ opened: StoreOpening.Opened) -> Int64? {
        opened.leavesFile ? ((try? opened.log.head())??.sequence ?? 0) + 1 : nil
    }
}
