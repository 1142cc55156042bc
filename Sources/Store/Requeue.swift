// SPDX-License-Identifier: Apache-2.0
import Database
import StudyModel

/// Requests that were found in a damaged store without the row that queued them.
///
/// They were kept because somebody was still to have them. They are sent again, as what may have been sent before: a server that stores twice is asked by
/// the destination's own rule.
struct Requeue {
    /// What stands at such an item.
    static let reason = "found in a damaged store: whether it had been sent nobody knows"
    private let connection: Connection

    init(_ connection: Connection) { self.connection = connection }

    /// An item for each of them, of the last enrolment; none where nobody is enrolled.
    func orphans(for stamp: EventStamp) throws -> [(item: QueuedItem, stamp: EventStamp)] {
        let record = try connection.first("SELECT record FROM enrolment ORDER BY sequence DESC LIMIT 1") {
            try StoredJSON.value(EnrolmentRecord.self, from: $0.string(0))
        }
        guard let record else { return [] }
        return try connection.rows(
            """
            SELECT digest, length(body) FROM request WHERE url <> ''
            AND NOT EXISTS (SELECT 1 FROM outbox WHERE request = digest) ORDER BY rowid
            """
        ) { row in
            let digest = try row.string(0)
            let id = try Digest(of: netstrings(["salvaged", record.id, digest])).description.prefix(32)
            let item = QueuedItem(
                id: String(id), origin: "salvaged \(digest.prefix(16))", itemClass: .answers,
                destination: record.platform, requestDigest: digest, bytes: try row.int(1), file: nil)
            return (item, stamp.of(record.id))
        }
    }
}
