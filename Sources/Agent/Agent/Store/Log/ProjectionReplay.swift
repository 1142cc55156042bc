// SPDX-License-Identifier: Apache-2.0
import Database

/// Rebuilds projections (tables that follow from the log) row by row, a step at a time. How far each has come is
/// in the database, so that a restart goes on where it was. `EventLog` has one and calls `step` until it returns false.
/// Belongs to its connection's thread.
struct ProjectionReplay {
    private let connection: Connection
    /// The last row that each projection under rebuilding has taken, by name; empty while none is rebuilt.
    private var steps: [String: Int64] = [:]

    init(_ connection: Connection) { self.connection = connection }

    var isOver: Bool { steps.isEmpty }

    /// True for a projection that is not being rebuilt: it has every row so far, and takes the next when it
    /// is written.
    func follows(_ projection: any Projection.Type) -> Bool { steps[projection.name] == nil }

    /// Reads how far each has come, since another process may have continued the rebuilding.
    mutating func read() throws {
        let rows = try connection.rows("SELECT name, sequence FROM projection_step") {
            (try $0.string(0), try $0.int(1))
        }
        steps = Dictionary(rows) { first, _ in first }
    }

    /// Begins to rebuild projections whose tables were made by another version of the program.
    mutating func beginOutdated() throws {
        try begin(projections.filter { try isOutdated($0) })
        try read()
        try forgetUnknown()
    }

    /// Forgets projections that another version of the program was rebuilding and this one does not have. If
    /// that version comes back, it begins at the first row.
    private mutating func forgetUnknown() throws {
        let unknown = Set(steps.keys).subtracting(projections.map { $0.name })
        guard !unknown.isEmpty else { return }
        try connection.transaction {
            for name in unknown {
                try connection.run("DELETE FROM projection WHERE name = ?", name)
                try connection.run("DELETE FROM projection_step WHERE name = ?", name)
            }
        }
        try read()
    }

    /// Begins to rebuild these: creates their tables again, empty.
    mutating func begin(_ chosen: [any Projection.Type]) throws {
        guard !chosen.isEmpty else { return }
        try connection.transaction {
            for projection in chosen {
                for table in projection.tables { try connection.execute("DROP TABLE IF EXISTS \(table)") }
                try connection.execute(projection.definition)
                try connection.run(
                    "INSERT OR REPLACE INTO projection VALUES (?, ?)", projection.name, projection.version)
                try connection.run("INSERT OR REPLACE INTO projection_step VALUES (?, 0)", projection.name)
            }
        }
        try read()
    }

    /// Applies the next `limit` rows to the projections that take their kind. Within a transaction of the
    /// caller's. False when there is nothing left to do.
    mutating func step(rows limit: Int) throws -> Bool {
        let behind = projections.filter { !follows($0) }
        guard let start = steps.values.min(), !behind.isEmpty else { return false }
        let (count, last) = try apply(to: behind, after: start, limit)
        if count < limit {
            try connection.run("DELETE FROM projection_step")
            try SalvagedRequests.prune(connection)
        } else {
            try connection.run("UPDATE projection_step SET sequence = max(sequence, ?)", last)
        }
        try read()
        return !steps.isEmpty
    }

    /// Returns how many rows were read, and the last one's number.
    private func apply(to behind: [any Projection.Type], after start: Int64, _ limit: Int) throws -> (Int, Int64) {
        let kinds = behind.reduce(into: Set<String>()) { $0.formUnion($1.kinds) }.sorted()
        let marks = kinds.map { _ in "?" }.joined(separator: ", ")
        let sql =
            "SELECT \(EventLog.columns) FROM event WHERE sequence > ? AND kind IN (\(marks)) ORDER BY sequence LIMIT ?"
        var (count, last) = (0, start)
        var isIncomplete = false
        try connection.forEach(sql, values: [start] + kinds + [limit]) {
            let row = try StoredRow($0)
            (count, last) = (count + 1, row.sequence)
            let logged = try? row.logged(opening: connection.encryption)
            guard logged != nil || row.isEncrypted else { return }
            isIncomplete = isIncomplete || logged == nil
            for projection in behind
            where steps[projection.name] ?? .max < row.sequence && projection.kinds.contains(row.kind) {
                do {
                    if let logged {
                        try projection.apply(logged, to: connection)
                    } else {
                        try projection.apply(encrypted: row, to: connection)
                    }
                } catch  where Self.isContradiction(error) {}
            }
        }
        if isIncomplete { try markIncomplete(behind) }
        return (count, last)
    }

    /// Rows could not be decrypted: projections that hold answers get a negative version, so that
    /// `isOutdated` rebuilds them once the key is there.
    private func markIncomplete(_ behind: [any Projection.Type]) throws {
        for projection in behind where !projection.kinds.isDisjoint(with: EncryptedBody.kinds) {
            try connection.run(
                "UPDATE projection SET version = ? WHERE name = ?", -projection.version, projection.name)
        }
    }

    private func isOutdated(_ projection: any Projection.Type) throws -> Bool {
        let version = try version(projection.name)
        return version == -projection.version
            ? try EncryptedBody.canBeOpened(in: connection) : version != projection.version
    }

    /// Errors that are skipped while rebuilding: where rows are lost, the others may contradict each other.
    /// Every row was checked when it was written.
    static func isContradiction(_ error: any Error) -> Bool {
        guard let error = error as? DatabaseError else { return error is StoreError }
        return error.kind == .constraint || error.kind == .type
    }

    private func version(_ projection: String) throws -> Int? {
        try connection.first("SELECT version FROM projection WHERE name = ?", projection) { Int(try $0.int(0)) }
    }
}

/// Requests that were found in a damaged store and wait for the outbox to be made again, which says
/// of each whether it is needed. `Salvage` makes `salvage_request`: their digests, and whether they were
/// found in the newest image of their page (`current`); a replaced page has what was finished long ago.
enum SalvagedRequests {
    /// For after the outbox was made again. Deletes requests that are no longer needed: stale ones, of
    /// items that have come to their end. Does nothing where nothing was salvaged.
    static func prune(_ connection: Connection) throws {
        guard try connection.hasTable("salvage_request") else { return }
        try connection.execute(
            """
            DELETE FROM request WHERE NOT EXISTS (SELECT 1 FROM salvage_request AS s WHERE s.digest = request.digest AND s.current)
            AND NOT EXISTS (SELECT 1 FROM outbox WHERE outbox.request = request.digest AND \(OutboxProjection.isUnsent));
            DROP TABLE salvage_request;
            """)
    }
}
