// SPDX-License-Identifier: Apache-2.0
import Database

/// Requests that were found in a damaged store and wait for the outbox to be made again, which says
/// of each whether it is needed. `Salvage` makes `salvage_request`: their digests, and whether they were
/// found in the newest image of their page (`current`); a replaced page has what was finished long ago.
enum SalvagedRequests {
    /// For after the outbox was made again. Deletes requests that are no longer needed: stale ones, of
    /// items that have come to their end. Does nothing where nothing was salvaged.
    static func prune(_ connection: Connection) throws {
        let awaited = "SELECT 1 FROM sqlite_master WHERE name = 'salvage_request'"
        guard try connection.first(awaited, read: { try $0.int(0) }) != nil else { return }
        try connection.execute(
            """
            DELETE FROM request WHERE NOT EXISTS (SELECT 1 FROM salvage_request AS s WHERE s.digest = request.digest AND s.current)
            AND NOT EXISTS (SELECT 1 FROM outbox WHERE outbox.request = request.digest AND state IN ('waiting', 'sending', 'refused'));
            DROP TABLE salvage_request;
            """)
    }
}
