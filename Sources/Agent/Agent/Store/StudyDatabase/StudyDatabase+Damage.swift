// SPDX-License-Identifier: Apache-2.0
import Base
import Database
import Glibc
import Study

/// A store that is damaged while it is open.
extension StudyDatabase {
    /// Every damage that the log tells of, oldest first.
    package func salvages() throws -> [SalvageRecord] { try log.salvages() }

    /// The same of a log that is only read.
    package static func salvages(at path: String) throws -> [SalvageRecord] {
        try EventLog.salvages(Connection(.readOnly(path)))
    }

    /// Why the log's head could not be kept beside it; nil = it was.
    package var headFault: String? { log.headFault ?? lostHead }

    /// Looks at the next `budget` rows. In words what is wrong; nil = nothing was found.
    /// See `DamageScan`.
    package func scanForDamage(_ budget: Int) -> (problem: String?, isRoundOver: Bool) {
        guard opening != nil, volatile == nil else { return (nil, true) }
        do {
            var look = self.look ?? DamageScan(connection)
            let problem = try look.step(budget)
            self.look = look
            return (problem, look.isRoundOver)
        } catch let error as DatabaseError where [.busy, .diskFull].contains(error.kind) {
            return (nil, false)
        } catch { return (StoreOpening.words(error), true) }
    }

    /// Looks whether the files of the open store are where they were, and as long. In words what is
    /// wrong; nil = nothing. Costs a few system calls.
    package func lookAtPlace(at stamp: EventStamp) -> String? {
        guard volatile == nil, place != nil else { return nil }
        reportHead(at: stamp)
        guard let change = place?.change() else { return nil }
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

    /// The row that tells of it writes the head again.
    private func reportHead(at stamp: EventStamp) {
        guard let deed = log.headTampering() else { return }
        defer { log.forgetHeadTampering() }
        let words = "the head of the log was \(deed.rawValue) while the agent ran; it was written again"
        lostHead = words
        _ = try? log.append([.fault(place: "store", message: words)], at: stamp)
    }

    /// What is wrong with what lies on the disk, as somebody sees it who has kept none of it in
    /// memory; nil = nothing.
    private func faultOnDisk() -> String? {
        guard let opening else { return nil }
        do {
            let known = try log.head()
            let other = try Connection(.file(opening.files.path))
            other.checkpoints(onClose: false)
            if let fault = try other.structuralError() { return fault }
            guard let known else { return nil }
            let hash = try other.first("SELECT hash FROM event WHERE sequence = ?", known.sequence) { try $0.bytes(0) }
            return hash?.hexadecimal == known.hash ? nil : "row \(known.sequence) of the log is not there"
        } catch { return StoreOpening.words(error) }
    }

    /// Sets the damaged store aside and goes on with what can be read of it; the outbox goes on
    /// with what is left of it. Nil for a store that is not the agent's own. May take some seconds,
    /// in which nothing else is answered.
    package func repair(_ cause: String, at stamp: EventStamp) throws -> SalvageRecord? {
        guard let opening, volatile == nil else { return nil }
        connection.checkpoints(onClose: false)
        if let words = misplacement, let record = try? goOnWithWhatIsOpen(words, opening, at: stamp) { return record }
        misplacement = nil
        // Let go of first: whoever closes a second descriptor of an open database
        // gives up its locks.
        look = nil
        connection = try Connection(.memory)
        log = try EventLog(connection)
        let opened = try opening.rescue(cause, at: stamp)
        use(opened)
        while try log.catchUp() {}
        return opened.record
    }

    /// The files are gone or cut, and what was open knows all of it still: it is written again. Nil
    /// where it does not.
    private func goOnWithWhatIsOpen(
        _ words: String, _ opening: StoreOpening, at stamp: EventStamp
    ) throws -> SalvageRecord? {
        let head = try log.head()
        let setAside = opening.isGone ? nil : opening.files.nextSetAside
        guard let opened = try opening.settle(connection, ending: head) else { return nil }
        use(opened)
        try log.goOn(
            after: nil,
            with: SalvageRecord(cause: words, setAside: setAside, log: head?.log, kept: head?.sequence ?? 0), at: stamp)
        return try log.salvages().last
    }

    /// Writes a store that is only in memory to the disk, as soon as that takes it; where one
    /// was left there as it was, it is taken again and goes on with what came meanwhile. True
    /// when it is there.
    package func settle(at stamp: EventStamp) throws -> Bool {
        guard let opening, volatile != nil else { return true }
        if let first = leftFrom, let opened = try opening.reopen(at: stamp) {
            return try takeOver(opened, from: first, at: stamp)
        }
        guard leftFrom == nil || opening.isGone, let opened = try opening.settle(connection, ending: log.head()) else {
            return false
        }
        use(opened)
        return true
    }

    /// Takes away what is known of the log of a database at that path besides the log itself, which
    /// is about to be put away.
    package nonisolated static func forget(_ path: String) {
        let files = StoreFiles(path)
        unlink(files.head)
        files.removeSetAside()
    }

    func use(_ opened: StoreOpening.Opened) {
        (connection, log, volatile, look) = (opened.connection, opened.log, opened.volatile, nil)
        leftFrom = Self.leftFrom(opened)
        (place, misplacement) = (opened.volatile == nil ? opening.map { StorePlace($0.files) } : nil, nil)
    }

    /// The number from which on the rows of a log in memory are to be taken over by the one that
    /// was left on the disk; nil where none was.
    static func leftFrom(_ opened: StoreOpening.Opened) -> Int64? {
        opened.leavesFile ? ((try? opened.log.head())??.sequence ?? 0) + 1 : nil
    }

    /// What a server is to be told of the log with the upload of that item, which has just begun;
    /// nil where it has not.
    ///
    /// It is the row that began this very upload, whatever was written since: the next uploads
    /// name only such rows. What is still under way is named too, since it may arrive after those
    /// that began later.
    package func witness(of item: String) throws -> LogWitness? {
        guard let name = try log.head()?.log else { return nil }
        let starts = try connection.rows(
            "SELECT sequence, hash, body FROM event WHERE kind = 'uploadStarted' ORDER BY sequence DESC LIMIT ?",
            Self.startsLookedAt
        ) { row in
            let event = try? StudyEvent(kind: "uploadStarted", body: try row.string(2))
            let id: String? = if case .uploadStarted(let id)? = event { id } else { nil }
            return (row: Start(sequence: try row.int(0), hash: (try row.bytes(1)).hexadecimal), item: id)
        }
        guard let place = starts.firstIndex(where: { $0.item == item }) else { return nil }
        let own = starts[place].row
        let earlier = starts[(place + 1)...]
        let underWay = Set(try connection.rows("SELECT id FROM outbox WHERE state = 'sending'") { try $0.string(0) })
        let late = earlier.dropFirst(3).filter { $0.item.map(underWay.contains) ?? false }.prefix(2)
        let delivered = try connection.first(
            """
            SELECT sequence, hash FROM event WHERE kind = 'uploadStarted' AND sequence <
            min(?, (SELECT max(sequence) FROM event WHERE kind = 'uploadDelivered')) ORDER BY sequence DESC LIMIT 1
            """, own.sequence
        ) { Start(sequence: try $0.int(0), hash: (try $0.bytes(1)).hexadecimal) }
        let rows = Set([own] + earlier.prefix(3).map(\.row) + late.map(\.row) + [delivered].compactMap(\.self))
        return LogWitness(
            log: name, rows: rows.sorted { $0.sequence > $1.sequence }.map { ($0.sequence, $0.hash) })
    }

    /// An upload that is under way began within so many.
    private static let startsLookedAt = 64

    /// A row that began an upload.
    private struct Start: Hashable {
        let sequence: Int64
        let hash: String
    }
}
