// SPDX-License-Identifier: Apache-2.0
import Base
import Database
import Study

/// Every item ever queued, with its state, and how many items each state has. `uncertain` counts attempts whose
/// outcome is unknown; `last` items are sent after all others, an item that `follows` another after that one. `Outbox`
/// reads it.
enum OutboxProjection: Projection {
    static let name = "outbox"
    static let version = 4
    static let tables = ["outbox", "item_count"]
    static let kinds: Set<String> = [
        "queued", "agentStarted", "uploadStarted", "uploadLocated", "uploadFailed", "uploadUncertain",
        "uploadDelivered", "uploadRefused", "uploadPaused", "itemDropped", "itemDeleted", "itemRequeued",
    ]
    /// SQL: the item has no receipt, and was neither dropped nor deleted.
    static let isUnsent = "state IN ('waiting', 'sending', 'refused')"
    static let definition = """
        CREATE TABLE outbox (
            id TEXT PRIMARY KEY, sequence INTEGER NOT NULL, enrolment TEXT NOT NULL, destination TEXT NOT NULL,
            class INTEGER NOT NULL, item TEXT NOT NULL, request TEXT, recording TEXT, bytes INTEGER NOT NULL,
            state TEXT NOT NULL, attempts INTEGER NOT NULL, queued INTEGER NOT NULL, last_tried INTEGER,
            retry_at INTEGER, note TEXT, location TEXT, last INTEGER NOT NULL, uncertain INTEGER NOT NULL,
            follows TEXT) STRICT;
        CREATE INDEX outbox_next ON outbox (state, destination, class, sequence);
        CREATE INDEX outbox_request ON outbox (request);
        CREATE INDEX outbox_recording ON outbox (recording);
        CREATE TABLE item_count (state TEXT PRIMARY KEY, items INTEGER NOT NULL) STRICT;
        CREATE TRIGGER outbox_enters AFTER INSERT ON outbox BEGIN
            INSERT INTO item_count VALUES (NEW.state, 1) ON CONFLICT DO UPDATE SET items = items + 1;
        END;
        CREATE TRIGGER outbox_moves AFTER UPDATE OF state ON outbox WHEN OLD.state <> NEW.state BEGIN
            UPDATE item_count SET items = items - 1 WHERE state = OLD.state;
            INSERT INTO item_count VALUES (NEW.state, 1) ON CONFLICT DO UPDATE SET items = items + 1;
        END;
        CREATE TRIGGER outbox_leaves AFTER DELETE ON outbox BEGIN
            UPDATE item_count SET items = items - 1 WHERE state = OLD.state;
        END;
        """

    static func apply(_ logged: LoggedEvent, to connection: Connection) throws {
        switch logged.event {
        case .queued(let item): try insert(item, logged, connection)
        case .agentStarted:
            // The sender is gone, and how far it came is unknown: it is sent again. Nothing waits
            // over a restart.
            try connection.run(
                """
                UPDATE outbox SET state = 'waiting', retry_at = NULL,
                uncertain = uncertain + (state = 'sending' AND request IS NOT NULL)
                WHERE state = 'sending' OR (state = 'waiting' AND retry_at IS NOT NULL)
                """)
        case .uploadStarted(let id):
            try connection.run(
                "UPDATE outbox SET state = 'sending', attempts = attempts + 1, last_tried = ? WHERE id = ?",
                logged.stamp.wall.nanoseconds, id)
        case .uploadLocated(let id, let url):
            try connection.run("UPDATE outbox SET location = nullif(?, '') WHERE id = ?", url, id)
        case .uploadFailed(let id, let reason, let retryAt):
            try set(id, .waiting, note: reason, retryAt: retryAt, connection)
        case .uploadPaused(let id):
            // Not a failure: it counts as one attempt with what follows.
            try connection.run(
                "UPDATE outbox SET state = 'waiting', retry_at = NULL, attempts = attempts - 1 WHERE id = ?", id)
        case .uploadUncertain(let id, let reason, _):
            try connection.run("UPDATE outbox SET uncertain = uncertain + 1, note = ? WHERE id = ?", reason, id)
        case .uploadDelivered(let id, let receipt, _): try set(id, .delivered, note: receipt, connection)
        case .uploadRefused(let id, let reason): try set(id, .refused, note: reason, connection)
        case .itemDropped(let id, let reason): try set(id, .dropped, note: reason, connection)
        case .itemDeleted(let id, let reason): try set(id, .deleted, note: reason, connection)
        case .itemRequeued(let id):
            // What the server has of it may be the very reason it was refused.
            try set(id, .waiting, note: nil, connection)
            try connection.run("UPDATE outbox SET location = NULL, uncertain = 0 WHERE id = ?", id)
        default: break
        }
    }

    private static func insert(_ item: QueuedItem, _ logged: LoggedEvent, _ connection: Connection) throws {
        try connection.run(
            "INSERT INTO outbox VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 'waiting', 0, ?, NULL, NULL, NULL, NULL, ?, 0, ?)",
            item.id, logged.sequence, logged.stamp.enrolment, item.destination, item.itemClass.rawValue,
            try StoredJSON.text(item), item.requestDigest, item.file?.recording, item.bytes,
            logged.stamp.wall.nanoseconds, item.isLast ?? false, item.follows)
    }

    private static func set(
        _ id: String, _ state: ItemState, note: String?, retryAt: Instant? = nil, _ connection: Connection
    ) throws {
        try connection.run(
            "UPDATE outbox SET state = ?, note = ?, retry_at = ? WHERE id = ?", state.rawValue, note,
            retryAt?.nanoseconds, id)
    }
}

extension OutboxItem {
    static let columns = "item, enrolment, state, attempts, retry_at, note, location, uncertain"

    /// The columns in the order of `columns`.
    init(_ row: Row) throws {
        self.init(
            item: try StoredJSON.value(QueuedItem.self, from: row.string(0)), enrolment: try row.string(1),
            state: ItemState(rawValue: try row.string(2)) ?? .waiting, attempts: Int(try row.int(3)),
            retryAt: try row.instantOrNil(4), note: try row.stringOrNil(5), location: try row.stringOrNil(6),
            uncertain: Int(try row.int(7)))
    }
}
