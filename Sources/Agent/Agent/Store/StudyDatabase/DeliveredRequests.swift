// SPDX-License-Identifier: Apache-2.0
import Base
import Database
import Study

/// What `DeliveredRequests` keeps, for `studyd status`.
package struct KeptRequests: Sendable, Hashable {
    /// Delivered items with their bytes still here.
    package let count: Int
    /// Of their bodies.
    package let bytes: Int64
    /// When the first of them was delivered.
    package let oldest: Instant
}

/// Delivered requests, with their bytes kept for a while: a receipt may have come from something
/// other than the server, such as a log-in page. `studyd outbox` has them sent again, `RecordingRetention` forgets them
/// in time. Several items may share one request.
struct DeliveredRequests {
    private let connection: Connection
    private let log: EventLog
    private let outbox: Outbox

    init(_ store: OpenStore) { (connection, log, outbox) = (store.connection, store.log, Outbox(store)) }

    /// None of the items that share the request still needs its bytes to be sent a first time.
    private static let isDelivered = """
        NOT EXISTS (SELECT 1 FROM outbox WHERE request = digest AND \(OutboxProjection.isUnsent))
        """

    /// Delivered items that can be sent again; nil where there are none.
    func kept() throws -> KeptRequests? {
        let found = try connection.first(
            """
            SELECT count(*), coalesce(sum(length(body)), 0), min(coalesce(last_tried, queued)) FROM request
            JOIN outbox ON outbox.request = digest WHERE state = 'delivered'
            """
        ) { (Int(try $0.int(0)), try $0.int(1), try $0.intOrNil(2)) }
        guard let found, let oldest = found.2 else { return nil }
        return KeptRequests(count: found.0, bytes: found.1, oldest: Instant(nanoseconds: oldest))
    }

    func keptIDs() throws -> Set<String> {
        Set(
            try connection.rows(
                "SELECT id FROM outbox JOIN request ON outbox.request = digest WHERE state = 'delivered'"
            ) { try $0.string(0) })
    }

    /// Has every delivered item sent again that has its bytes here and its last attempt began in
    /// that time. Returns how many.
    func resendDelivered(from start: Instant, until end: Instant, at stamp: EventStamp) throws -> Int {
        let items = try connection.rows(
            """
            SELECT id, enrolment FROM outbox JOIN request ON outbox.request = digest WHERE state = 'delivered'
            AND coalesce(last_tried, queued) >= ? AND coalesce(last_tried, queued) < ? ORDER BY sequence
            """, start.nanoseconds, end.nanoseconds
        ) { (id: try $0.string(0), enrolment: try $0.string(1)) }
        return try log.requeue(items, at: stamp)
    }

    /// Has one delivered item sent again. Throws where its bytes are no longer here.
    func resendDelivered(_ id: String, at stamp: EventStamp) throws {
        guard let item = try outbox.item(id) else { throw StoreError.noSuchItem(id) }
        guard item.state == .delivered else {
            throw StoreError.wrongState(item: id, state: item.state.rawValue)
        }
        // The bytes of a file are not kept here.
        guard case .request = try outbox.content(of: item) else { throw StoreError.missingContent(item: id) }
        try log.append([.itemRequeued(item: id)], at: stamp)
    }

    /// Deletes bytes of what was delivered before that time, and of the oldest beyond a total
    /// number of bytes.
    func forgetDelivered(before time: Instant, beyond bytes: Int64) throws {
        try connection.run(
            """
            DELETE FROM request WHERE \(Self.isDelivered) AND NOT EXISTS (SELECT 1 FROM outbox WHERE request = digest
            AND state = 'delivered' AND coalesce(last_tried, queued) >= ?)
            """, time.nanoseconds)
        try connection.run(
            """
            DELETE FROM request WHERE digest IN (SELECT digest FROM (
                SELECT digest, sum(size) OVER (ORDER BY tried DESC, digest) AS total FROM (
                    SELECT digest, length(body) AS size, max(coalesce(last_tried, queued)) AS tried FROM request
                    JOIN outbox ON outbox.request = digest WHERE \(Self.isDelivered) GROUP BY digest))
            WHERE total > ?)
            """, bytes)
    }

    /// Deletes bytes of everything that was delivered of an enrolment.
    func forgetDelivered(of enrolment: String) throws {
        try connection.run(
            """
            DELETE FROM request WHERE \(Self.isDelivered)
            AND NOT EXISTS (SELECT 1 FROM outbox WHERE request = digest AND enrolment <> ?)
            """, enrolment)
    }
}
