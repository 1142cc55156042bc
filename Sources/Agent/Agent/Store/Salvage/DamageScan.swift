// SPDX-License-Identifier: Apache-2.0
import Base
import Database
import SystemKit

/// Looks for damage in an open store: a few rows at a time, again and again from the
/// beginning, so that it costs next to nothing and finds a flipped bit before it is needed. `StoreMaintenance` calls
/// `step` by way of `OpenStore`; `StoreOpening` calls `quickCheck`. Belongs to the store's thread.
///
/// Of each row it asks whether SQLite can read it, whether each index leads to it, and whether it
/// is what it was: rows of the log by their hashes, study files by their digests. A small store is
/// looked at as a whole, by SQLite's own check, when a round begins.
struct DamageScan {
    private let connection: Connection
    /// The tables of this round, the index of the present one, and the last row of it that was looked at.
    private var tables: [String] = []
    private var table = 0
    private var rowid = Int64.min
    /// The last row of the log that was looked at.
    private var previous: (sequence: Int64, hash: [UInt8])?

    /// Up to this many pages (16 MiB) SQLite's own check is made, which holds up the start and the store's thread.
    private static let smallStore = 4096
    /// This many last rows are looked at when a store is opened.
    private static let lastRows: Int64 = 32

    init(_ connection: Connection) { self.connection = connection }

    /// The quick check of a start and of each round: every table can be read at both ends, the last rows of the log
    /// are whole, and a small store passes SQLite's own check. Returns what is wrong, in words; nil = nothing.
    func quickCheck() throws -> String? {
        for table in try Self.tables(connection) {
            for order in ["ASC", "DESC"] {
                try connection.forEach("SELECT * FROM \"\(table)\" ORDER BY rowid \(order) LIMIT 1") { _ = $0.values }
            }
        }
        let needed =
            ["event", "projection", "projection_step", "request", "study_file", "secret"]
            + projections.flatMap { $0.tables }
        for table in needed {
            _ = try connection.first("SELECT 1 FROM \"\(table)\" LIMIT 1") { try $0.int(0) }
        }
        let pages = try connection.first("PRAGMA page_count") { try $0.int(0) } ?? 0
        if pages <= Self.smallStore, let error = try connection.structuralError() { return error }
        var broken: Int64?
        try connection.forEach(
            "SELECT \(EventLog.columns) FROM event ORDER BY sequence DESC LIMIT ?", values: [Self.lastRows]
        ) { row in
            if !StoredRow.isWhole(row) { broken = try row.int(0) }
        }
        return broken.map { "row \($0) of the log does not match its hash" }
    }

    /// Looks at the next `budget` rows. Returns what is wrong, in words; nil = nothing. Throws where SQLite
    /// cannot read a page.
    mutating func step(_ budget: Int) throws -> String? {
        if tables.isEmpty || table >= tables.count {
            tables = try Self.tables(connection)
            (table, rowid, previous) = (0, Int64.min, nil)
            if let fault = try quickCheck() { return fault }
        }
        guard tables.indices.contains(table) else { return nil }
        // `salvage_request` is dropped while a round is under way (`SalvagedRequests.prune`).
        guard try Self.tables(connection).contains(tables[table]) else {
            advance(0, of: budget, last: nil)
            return nil
        }
        return tables[table] == "event" ? try stepLog(budget) : try stepTable(tables[table], budget)
    }

    /// True when the next step begins at the beginning.
    var isRoundOver: Bool { table >= tables.count }

    private static func tables(_ connection: Connection) throws -> [String] {
        try connection.rows(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name"
        ) {
            try $0.string(0)
        }
    }

    /// Notes the last row that was looked at; goes on to the next table where fewer rows than `budget` were found.
    private mutating func advance(_ found: Int, of budget: Int, last: Int64?) {
        if let last { rowid = last }
        guard found < budget else { return }
        (table, rowid, previous) = (table + 1, Int64.min, nil)
    }

    // MARK: - The log

    private mutating func stepLog(_ budget: Int) throws -> String? {
        let rows = try connection.rows(
            "SELECT \(EventLog.columns) FROM event WHERE sequence > ? ORDER BY sequence LIMIT ?", rowid, budget
        ) { row in
            // Of `EventLog.columns`: 6 kind, 8 previous, 9 hash.
            (
                sequence: try row.int(0), kind: try row.string(6), previous: try row.bytes(8), hash: try row.bytes(9),
                isWhole: StoredRow.isWhole(row)
            )
        }
        for row in rows {
            guard row.isWhole else { return "row \(row.sequence) of the log does not match its hash" }
            if let previous, previous.sequence + 1 == row.sequence, previous.hash != row.previous {
                return "row \(row.sequence) of the log does not follow the row before it"
            }
            let expected = (previous?.sequence ?? 0) + 1
            if expected < row.sequence, try !isKnownLost(expected) { return "row \(expected) of the log is missing" }
            let isIndexed = try connection.hasRow(
                "SELECT 1 FROM event INDEXED BY event_kind WHERE kind = ? AND sequence = ?", row.kind, row.sequence)
            guard isIndexed else { return "row \(row.sequence) of the log is missing in its index" }
            previous = (row.sequence, row.hash)
        }
        advance(rows.count, of: budget, last: rows.last?.sequence)
        return nil
    }

    private func isKnownLost(_ sequence: Int64) throws -> Bool {
        try EventLog.salvages(connection).contains { $0.isLost(sequence) }
    }

    // MARK: - Other tables

    private mutating func stepTable(_ name: String, _ budget: Int) throws -> String? {
        // Their rows hold whole files.
        let budget = name == "study_file" || name == "request" ? max(1, budget / 16) : budget
        let indexes = try indexes(of: name)
        let rows = try connection.rows(
            "SELECT rowid, * FROM \"\(name)\" WHERE rowid > ? ORDER BY rowid LIMIT ?", rowid, budget
        ) { row in (rowid: try row.int(0), values: Array(row.values.dropFirst())) }
        let seal = name == "request" ? try RequestCheck(connection) : nil
        for row in rows {
            if let seal, seal.refutes(row.values) { return "a request does not match its digest" }
            if name == "study_file", case .text(let digest)? = row.values.first,
                case .blob(let bytes)? = row.values.last,
                try Digest(of: bytes).description != digest
            {
                return "a study file does not match its digest"
            }
            for index in indexes {
                let conditions = index.columns.map { "\"\($0.name)\" IS ?" } + ["rowid = ?"]
                let keys = index.columns.map { row.values[$0.place] } + [.integer(row.rowid)]
                var isFound = false
                try connection.forEach(
                    "SELECT 1 FROM \"\(name)\" INDEXED BY \"\(index.name)\" WHERE "
                        + conditions.joined(separator: " AND "),
                    values: keys
                ) { _ in isFound = true }
                guard isFound else { return "a row of \(name) is missing in its index \(index.name)" }
            }
        }
        advance(rows.count, of: budget, last: rows.last?.rowid)
        return nil
    }

    private struct Index {
        let name: String
        let columns: [(name: String, place: Int)]
    }

    private func indexes(of table: String) throws -> [Index] {
        let names = try connection.rows("SELECT name FROM pragma_index_list(?) WHERE partial = 0", table) {
            try $0.string(0)
        }
        return try names.map { name in
            Index(
                name: name,
                columns: try connection.rows("SELECT name, cid FROM pragma_index_info(?) ORDER BY seqno", name) {
                    (name: try $0.string(0), place: Int(try $0.int(1)))
                })
        }
    }
}
