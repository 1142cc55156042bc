// SPDX-License-Identifier: Apache-2.0
import Base
import Database

/// What waits in the outbox or is being sent, summed up for reports to the lab and for `StateWatch`.
package struct OutboxBacklog: Sendable, Hashable {
    package let count: Int
    /// Of bodies and files.
    package let bytes: Int64
    /// When the oldest was queued; nil where nothing waits.
    package let oldest: Instant?
    /// When the oldest was queued of those that were tried in vain; nil where there is none.
    package let oldestTried: Instant?

    /// Something was queued at least `patience` ago and was tried in vain. Measured by the wall clock, so a
    /// step of the clock counts as waiting.
    func isHeld(at now: Instant, for patience: Duration) -> Bool {
        oldestTried.map { now - $0 >= patience } ?? false
    }
}

extension OutboxBacklog {
    init(_ connection: Connection) throws {
        // The attempt under way is counted, but is not in vain yet.
        let found = try connection.first(
            """
            SELECT count(*), coalesce(sum(bytes), 0), min(queued),
            min(CASE WHEN attempts > (state = 'sending') THEN queued END) FROM outbox
            WHERE state IN ('waiting', 'sending')
            """
        ) { row in
            OutboxBacklog(
                count: Int(try row.int(0)), bytes: try row.int(1), oldest: try row.instantOrNil(2),
                oldestTried: try row.instantOrNil(3))
        }
        self = found ?? OutboxBacklog(count: 0, bytes: 0, oldest: nil, oldestTried: nil)
    }
}
