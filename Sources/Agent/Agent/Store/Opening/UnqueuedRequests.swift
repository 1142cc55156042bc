// SPDX-License-Identifier: Apache-2.0
import Base
import Database
import Study
import SystemKit

/// Requests that were found in a damaged store without the row that queued them.
///
/// They were stored because a destination had not confirmed them. `StoreOpening` queues them again, although they
/// may have been delivered: each destination handles duplicates by its own rule.
struct UnqueuedRequests {
    /// The reason given with such an item.
    static let reason = "found in a damaged store: it may have been sent already"
    /// How the origin of such an item begins. Its id is made without the store's secret.
    static let origin = "salvaged "
    private let connection: Connection

    init(_ connection: Connection) { self.connection = connection }

    /// An item for each such request, for the last enrolment; none without an enrolment. Reads the log alone,
    /// since its projections may be behind.
    func items(for stamp: EventStamp) throws -> [(item: QueuedItem, stamp: EventStamp)] {
        guard case .enrolled(let record)? = try connection.newestEvents("enrolled").first?.event else { return [] }
        return try connection.rows(
            """
            SELECT digest, length(body) FROM request WHERE url <> '' \(try currentCondition) AND digest NOT IN
            (SELECT json_extract(body, '$.item.requestDigest') AS queued FROM event WHERE kind = 'queued' AND queued IS NOT NULL)
            ORDER BY rowid
            """
        ) { row in
            let digest = try row.string(0)
            let id = try Digest(of: netstrings(["salvaged", record.id, digest])).description.prefix(32)
            let item = QueuedItem(
                id: String(id), origin: Self.origin + digest.prefix(16), itemClass: .answers,
                destination: record.platform, requestDigest: digest, bytes: try row.int(1), file: nil)
            return (item, stamp.of(record.id))
        }
    }

    /// SQL that leaves out salvaged requests which are only in an old image of a page: their items were
    /// finished long ago. Empty where nothing was salvaged.
    private var currentCondition: String {
        get throws {
            try connection.hasTable("salvage_request")
                ? "AND digest IN (SELECT digest FROM salvage_request WHERE current)" : ""
        }
    }
}
