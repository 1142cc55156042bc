// SPDX-License-Identifier: Apache-2.0
import Base
import Database
import Study
import SystemKit

/// Copies what is whole of a damaged store into a new, empty one. `StoreOpening` calls `run`, then `dropRefuted`.
///
/// A row of the log is whole where its hash is that of its content, whatever page it was found on. Which of
/// several rows with one number belongs to this log follows from the hashes: each row names that of the row
/// before, from the known head down. Requests and study files are recognised by their digests. Belongs to the
/// new store's thread; blocks on the disk.
struct Salvage {
    private let file: DamagedFile?
    private let connection: Connection
    private let head: LogHead?
    private(set) var kept: Int64 = 0
    /// Keys of the requests' digests that were found, the likeliest last.
    private var secrets: [[UInt8]] = []
    private var hasSecret = false
    /// Without the key it cannot be checked any more whether a request is unchanged.
    private(set) var isSecretLost = false
    /// Ranges of lost rows, each [first, last].
    private(set) var lost: [[Int64]] = []
    private let candidates: SalvageCandidates
    /// The rows of this log, by their rowids in `salvage_event`.
    private var chosen: [(sequence: Int64, rowid: Int64)] = []
    /// Whether rows are certainly of another log, by their rowids.
    private var foreign: [Int64: Bool] = [:]

    /// From `file`, nil where nothing can be read, into the tables of `connection`, which are
    /// empty. `head` is what is known of the log from outside.
    init(_ file: DamagedFile?, into connection: Connection, head: LogHead?) {
        self.file = file
        self.connection = connection
        self.head = head
        candidates = SalvageCandidates(connection)
    }

    /// Fills the tables that are no projections. The caller then rebuilds the projections, which ends with
    /// `SalvagedRequests.prune`.
    mutating func run() throws {
        // Rows are found in any order, and some several times: they are collected in separate tables first.
        try connection.execute(
            """
            CREATE TABLE salvage_event AS SELECT * FROM event WHERE 0;
            CREATE TABLE salvage_request (digest TEXT PRIMARY KEY, current INTEGER NOT NULL) STRICT;
            CREATE TEMP TABLE salvage_reading AS SELECT * FROM request WHERE 0;
            """)
        try connection.transaction {
            try gather()
            try connection.execute("CREATE INDEX salvage_event_sequence ON salvage_event (sequence)")
            try dropBroken()
        }
        try connection.transaction {
            try choose()
            try move()
            try chooseSecret()
        }
        try connection.execute("DROP TABLE salvage_event")
    }

    /// Deletes requests that do not match their digest (from replaced pages, or read with a wrong bit). Another
    /// version of the same request that was found takes their place.
    func dropRefuted() throws {
        guard hasSecret, let seal = try RequestCheck(connection) else { return }
        for table in ["request", "salvage_reading"] {
            let broken = try connection.rows("SELECT rowid, * FROM \(table)") { row in
                seal.refutes(Array(row.values.dropFirst())) ? try row.int(0) : nil
            }
            for rowid in broken.compactMap(\.self) { try connection.run("DELETE FROM \(table) WHERE rowid = ?", rowid) }
        }
        try connection.execute(
            "INSERT OR IGNORE INTO request SELECT * FROM salvage_reading; DROP TABLE salvage_reading")
    }

    // MARK: - Gathering

    private mutating func gather() throws {
        guard let file else { return }
        let columns = try columnCounts(["event", "request", "study_file"])
        let isOurs = { (kinds: [StoredKind]) in Table(kinds) != nil }
        var secrets: [(bytes: [UInt8], isCurrent: Bool)] = []
        try file.forEachRow(fitting: isOurs) { row in
            switch Table(row.values.map(\.stored)) {
            case .event:
                // Rows after the last commit may be of an unfinished transaction: only those up to the known
                // head were certainly committed.
                guard row.isCommitted || row.rowid <= head?.sequence ?? 0 else { return }
                try stage(row, columns["event"] ?? 0)
            case .request: try keep(request: row, columns["request"] ?? 0)
            case .studyFile: try keep(studyFile: row)
            case .secret:
                guard row.values[0] == .text("items"), case .blob(let bytes) = row.values[1] else { return }
                secrets.append((bytes, row.isCurrent))
            case nil: break
            }
        }
        self.secrets = secrets.filter { !$0.isCurrent }.map(\.bytes) + secrets.filter(\.isCurrent).map(\.bytes)
    }

    /// A table that is searched for rows, known by how its columns are stored.
    private enum Table {
        case event, request, studyFile, secret

        init?(_ kinds: [StoredKind]) {
            switch kinds.count {
            case 10...16 where Self.isEvent(kinds): self = .event
            case 5...8 where kinds[0] == .text(64) && kinds[1...3].allSatisfy(\.isText) && kinds[4].isBlob:
                self = .request
            case 4 where kinds[0] == .text(64) && kinds[1].isText && kinds[2] == .integer && kinds[3].isBlob:
                self = .studyFile
            case 2 where kinds == [.text(5), .blob(32)]: self = .secret
            default: return nil
            }
        }

        private static func isEvent(_ kinds: [StoredKind]) -> Bool {
            kinds[0] == .null && kinds[1].isText && kinds[2] == .integer && kinds[3] == .integer && kinds[4].isText
                && kinds[5] == .integer && kinds[6].isText && kinds[7].isText && kinds[8] == .blob(32)
                && kinds[9] == .blob(32)
        }
    }

    private func columnCounts(_ tables: [String]) throws -> [String: Int] {
        try tables.reduce(into: [:]) { counts, table in
            counts[table] = try connection.first("SELECT count(*) FROM pragma_table_info(?)", table) {
                Int(try $0.int(0))
            }
        }
    }

    private func stage(_ row: SalvagedRow, _ columns: Int) throws {
        let values = [.integer(row.rowid)] + row.values.dropFirst()
        try insert(into: "salvage_event", values, columns)
    }

    /// A column that was added later is NULL in older rows; one that a newer version
    /// has is left out.
    private func insert(into table: String, _ values: [DatabaseValue], _ columns: Int) throws {
        let fitting = values.prefix(columns) + Array(repeating: .null, count: max(0, columns - values.count))
        let places = Array(repeating: "?", count: columns).joined(separator: ", ")
        try connection.run("INSERT OR IGNORE INTO \(table) VALUES (\(places))", values: Array(fitting))
    }

    /// Keeps the version of a request that is found first; another one waits in `salvage_reading` for
    /// `dropRefuted`.
    private func keep(request row: SalvagedRow, _ columns: Int) throws {
        guard case .text(let digest) = row.values[0] else { return }
        let isOther = try connection.first(
            "SELECT (method, url, headers, body) IS NOT (?, ?, ?, ?) FROM request WHERE digest = ?",
            row.values[1], row.values[2], row.values[3], row.values[4], digest
        ) { try $0.bool(0) }
        try insert(into: isOther == true ? "salvage_reading" : "request", row.values, columns)
        try connection.run(
            """
            INSERT INTO salvage_request VALUES (?, ?)
            ON CONFLICT DO UPDATE SET current = max(current, excluded.current)
            """, digest, row.isCurrent)
    }

    private func keep(studyFile row: SalvagedRow) throws {
        guard case .text(let digest) = row.values[0], case .blob(let bytes) = row.values[3],
            try Digest(of: bytes).description == digest
        else { return }
        try insert(into: "study_file", row.values, 4)
    }

    // MARK: - Choosing

    /// Deletes rows of the log whose hash is not that of their content.
    private func dropBroken() throws {
        let columns = EventLog.columns
        let broken = try connection.rows("SELECT \(columns), rowid FROM salvage_event") { row in
            StoredRow.isWhole(row) ? nil : try row.int(columns.split(separator: ",").count)
        }
        for rowid in broken.compactMap(\.self) {
            try connection.run("DELETE FROM salvage_event WHERE rowid = ?", rowid)
        }
    }

    /// Chooses the rows of this log: from the starting point upwards along the chain, then downwards; notes
    /// the gaps.
    private mutating func choose() throws {
        guard let start = try startingPoint() else { return lose(1, head?.sequence ?? 0) }
        var last = start
        select(start)
        while let next = try candidates.all(numbered: last.sequence + 1).first(where: { $0.previous == last.hash }) {
            select(next)
            last = next
        }
        if let head, head.sequence > last.sequence { lose(last.sequence + 1, head.sequence) }
        var present = start
        while present.sequence > 1 {
            guard let below = try below(present) else {
                lose(1, present.sequence - 1)
                break
            }
            if below.sequence < present.sequence - 1 { lose(below.sequence + 1, present.sequence - 1) }
            select(below)
            present = below
        }
        lost.sort { $0[0] < $1[0] }
    }

    /// The row of the known head; without one the highest row that does not belong to another log. Nil = no
    /// row is this log's.
    private func startingPoint() throws -> SalvageCandidate? {
        if let head {
            let known = try candidates.all(numbered: head.sequence).first { $0.hash.hexadecimal == head.hash }
            if let known { return known }
            // All rows belong to another log, with another first row: a log is named by its first row's hash, of
            // 64 digits.
            let firsts = try candidates.all(numbered: 1)
            let isForeign = !firsts.isEmpty && firsts.allSatisfy { $0.hash.hexadecimal != head.log }
            if isForeign, head.log.count == 64 { return nil }
        }
        var start = try highest(below: .max)
        while let present = start, let foot = try foreignFoot(of: present) {
            start = try highest(below: foot.sequence)
        }
        return start
    }

    /// The lowest row of a chain that does not follow the whole row below it, and so is another
    /// log's; nil where it ends at a gap or at the first row.
    private func foreignFoot(of top: SalvageCandidate) throws -> SalvageCandidate? {
        var foot = top
        while foot.sequence > 1 {
            let direct = try candidates.all(numbered: foot.sequence - 1)
            guard !direct.isEmpty else { return nil }
            guard let below = direct.first(where: { $0.hash == foot.previous }) else { return foot }
            foot = below
        }
        return nil
    }

    private func highestNumber(below limit: Int64) throws -> Int64? {
        try connection.first("SELECT max(sequence) FROM salvage_event WHERE sequence < ?", limit) {
            try $0.intOrNil(0)
        } ?? nil
    }

    /// The first of the rows with the highest number below `limit`.
    private func highest(below limit: Int64) throws -> SalvageCandidate? {
        try highestNumber(below: limit).flatMap { try candidates.all(numbered: $0).first }
    }

    /// The row that `row` follows by its hash; where that is lost, the next lower one that does not certainly
    /// belong to another log.
    private mutating func below(_ row: SalvageCandidate) throws -> SalvageCandidate? {
        let direct = try candidates.all(numbered: row.sequence - 1)
        if let previous = direct.first(where: { $0.hash == row.previous }) { return previous }
        var number = row.sequence - 1
        while let next = try highestNumber(below: number) {
            for candidate in try candidates.all(numbered: next) where try !isForeign(candidate) { return candidate }
            number = next
        }
        return nil
    }

    /// Whether the chain below `row` goes down without a gap to the first row of another log. The results are
    /// kept, so that each row is walked once.
    private mutating func isForeign(_ row: SalvageCandidate) throws -> Bool {
        guard let head, head.log.count == 64 else { return false }
        var (foot, chain) = (row, [row.rowid])
        while foreign[foot.rowid] == nil, foot.sequence > 1,
            let next = try candidates.all(numbered: foot.sequence - 1).first(where: { $0.hash == foot.previous })
        {
            foot = next
            chain.append(next.rowid)
        }
        let isForeign = foreign[foot.rowid] ?? (foot.sequence == 1 && foot.hash.hexadecimal != head.log)
        for rowid in chain { foreign[rowid] = isForeign }
        return isForeign
    }

    private mutating func select(_ row: SalvageCandidate) { chosen.append((row.sequence, row.rowid)) }

    /// Moves the chosen rows into the log, in order.
    private mutating func move() throws {
        let statement = """
            INSERT INTO event SELECT found.* FROM json_each(?) AS chosen CROSS JOIN salvage_event AS found ON found.rowid = chosen.value
            """
        chosen.sort { $0.sequence < $1.sequence }
        for start in stride(from: 0, to: chosen.count, by: Self.stretch) {
            let rowids = chosen[start..<min(start + Self.stretch, chosen.count)].map { String($0.rowid) }
            try connection.run(statement, "[\(rowids.joined(separator: ","))]")
        }
        kept = Int64(chosen.count)
        chosen = []
    }

    private static let stretch = 500

    /// Chooses the key among those found: it must have made the id of an item in the log, since a wrong key
    /// would discard every request that waits. After `move`.
    private mutating func chooseSecret() throws {
        let items = try newestItems()
        let right = secrets.last { secret in items.contains { $0.item.isMade(with: secret, in: $0.enrolment) } }
        if let secret = right ?? (items.isEmpty ? secrets.last : nil) {
            try connection.run("UPDATE secret SET bytes = ? WHERE name = 'items'", secret)
            hasSecret = true
        } else {
            isSecretLost = try connection.hasRow("SELECT 1 FROM request LIMIT 1")
        }
    }

    /// The items that were queued last: their ids show which secret made them (`QueuedItem.isMade`).
    private func newestItems() throws -> [(item: QueuedItem, enrolment: String)] {
        try connection.newestEvents("queued", limit: 32).compactMap { row in
            guard case .queued(let item) = row.event, !item.origin.hasPrefix(UnqueuedRequests.origin)
            else { return nil }
            return (item, row.stamp.enrolment)
        }
    }

    private mutating func lose(_ first: Int64, _ last: Int64) {
        if first <= last { lost.append([first, last]) }
    }
}

extension StoredKind {
    fileprivate var isText: Bool { if case .text = self { true } else { false } }
    fileprivate var isBlob: Bool { if case .blob = self { true } else { false } }
}

extension DatabaseValue {
    fileprivate var stored: StoredKind {
        switch self {
        case .null: .null
        case .integer: .integer
        case .real: .real
        case .text(let text): .text(text.utf8.count)
        case .blob(let bytes): .blob(bytes.count)
        }
    }
}
