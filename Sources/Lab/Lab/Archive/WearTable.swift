// SPDX-License-Identifier: Apache-2.0
import Base
import Database

/// How long each device was worn, by recording and day, so that none is opened twice. Used by the actor
/// `Archive`, for `WearIndex`.
struct WearTable {
    private let connection: Connection

    init(_ connection: Connection) { self.connection = connection }

    /// `day` counts from 1970; NULL where the recording says nothing of wear.
    static let tables = """
        CREATE TABLE IF NOT EXISTS worn (
            number INTEGER NOT NULL, day INTEGER, worn INTEGER NOT NULL, notWorn INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX IF NOT EXISTS wornIn ON worn (number);
        """

    func note(_ days: [LocalDate: WornTime], of upload: Int64) throws {
        _ = try connection.transaction(flushing: false) {
            try connection.run("DELETE FROM worn WHERE number = ?", upload)
            if days.isEmpty { try connection.run("INSERT INTO worn VALUES (?, NULL, 0, 0)", upload) }
            for (day, time) in days {
                try connection.run(
                    "INSERT INTO worn VALUES (?, ?, ?, ?)", upload, day.daysSinceEpoch, time.worn, time.notWorn)
            }
        }
    }

    /// Nil for an upload that was not noted.
    func days(of upload: Int64) throws -> [LocalDate: WornTime]? {
        let rows = try connection.rows("SELECT day, worn, notWorn FROM worn WHERE number = ?", upload) { row in
            (try row.intOrNil(0), WornTime(worn: Int(try row.int(1)), notWorn: Int(try row.int(2))))
        }
        guard !rows.isEmpty else { return nil }
        return rows.reduce(into: [:]) { days, row in
            if let day = row.0 { days[LocalDate(daysSinceEpoch: Int(day))] = row.1 }
        }
    }
}
