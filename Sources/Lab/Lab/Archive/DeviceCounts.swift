// SPDX-License-Identifier: Apache-2.0
import Base
import Database

/// Devices at a glance: kept up by triggers with each record and upload, so that a page costs the
/// same however much has arrived. Used within the actor `Archive` only.
struct DeviceCounts {
    private let connection: Connection

    init(_ connection: Connection) { self.connection = connection }

    /// `contact` is when the device last sent something, in milliseconds; `files` are complete uploads and archives,
    /// `partial` unfinished uploads; `warned` are records with warnings.
    static let tables = """
        CREATE TABLE device (
            user TEXT PRIMARY KEY, contact INTEGER NOT NULL, answers INTEGER NOT NULL, logs INTEGER NOT NULL,
            duplicates INTEGER NOT NULL, warned INTEGER NOT NULL, files INTEGER NOT NULL, partial INTEGER NOT NULL,
            bytes INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX deviceByContact ON device (contact);
        CREATE TABLE logged (
            user TEXT NOT NULL, page TEXT NOT NULL, event TEXT NOT NULL, count INTEGER NOT NULL,
            PRIMARY KEY (user, page, event)
        ) STRICT, WITHOUT ROWID;
        CREATE TRIGGER recordCounted AFTER INSERT ON record BEGIN
            INSERT INTO device VALUES (NEW.user, NEW.received, NEW.kind = 'survey_response', NEW.kind = 'log',
                NEW.duplicateOf IS NOT NULL, NEW.warnings <> '[]', 0, 0, length(NEW.fields))
            ON CONFLICT (user) DO UPDATE SET contact = max(contact, excluded.contact),
                answers = answers + excluded.answers, logs = logs + excluded.logs,
                duplicates = duplicates + excluded.duplicates, warned = warned + excluded.warned,
                bytes = bytes + excluded.bytes;
        END;
        CREATE TRIGGER uploadCounted AFTER INSERT ON upload BEGIN
            INSERT INTO device VALUES (NEW.user, NEW.changed, 0, 0, 0, 0, NEW.sha256 IS NOT NULL, NEW.sha256 IS NULL,
                NEW.space)
            ON CONFLICT (user) DO UPDATE SET contact = max(contact, excluded.contact), files = files + excluded.files,
                partial = partial + excluded.partial, bytes = bytes + excluded.bytes;
        END;
        CREATE TRIGGER uploadChanged AFTER UPDATE ON upload BEGIN
            UPDATE device SET contact = max(contact, NEW.changed), bytes = bytes + NEW.space - OLD.space,
                files = files + (NEW.sha256 IS NOT NULL) - (OLD.sha256 IS NOT NULL),
                partial = partial + (NEW.sha256 IS NULL) - (OLD.sha256 IS NULL) WHERE user = NEW.user;
        END;
        CREATE TRIGGER uploadGone AFTER DELETE ON upload BEGIN
            UPDATE device SET bytes = bytes - OLD.space, files = files - (OLD.sha256 IS NOT NULL),
                partial = partial - (OLD.sha256 IS NULL) WHERE user = OLD.user;
        END;
        """

    private static let deviceColumns =
        "SELECT user, contact, answers, logs, duplicates, warned, files, partial, bytes FROM device"

    /// Devices that have sent anything, the latest contact first.
    func devices(limit: Int) throws -> [DeviceSummary] {
        try connection.rows(Self.deviceColumns + " ORDER BY contact DESC, user LIMIT ?", limit, read: Self.device)
    }

    func device(_ user: String) throws -> DeviceSummary? {
        try connection.first(Self.deviceColumns + " WHERE user = ?", user, read: Self.device)
    }

    /// The study that the last record of each names, else its last file; without those of which
    /// neither does. In one statement.
    func studies(of users: [String]) throws -> [String: String] {
        let sql = """
            SELECT one.value, CAST(coalesce(
                (SELECT json_extract(field.value, '$[1]') FROM record, json_each(fields) AS field WHERE record.id =
                    (SELECT max(id) FROM record WHERE user = one.value)
                    AND json_extract(field.value, '$[0]') = 'study_id' LIMIT 1),
                (SELECT json_extract(metadata, '$.study') FROM upload WHERE json_valid(metadata) AND number =
                    (SELECT max(number) FROM upload WHERE user = one.value))) AS TEXT)
            FROM json_each(?) AS one
            """
        let list = JSONText.array(users.map { .string($0) }).text
        let rows = try connection.rows(sql, list) { (try $0.string(0), try $0.stringOrNil(1)) }
        return rows.reduce(into: [:]) { studies, row in studies[row.0] = row.1 }
    }

    func totals() throws -> (devices: Int, all: DeviceSummary)? {
        try connection.first(
            """
            SELECT '', coalesce(max(contact), 0), coalesce(sum(answers), 0), coalesce(sum(logs), 0), coalesce(sum(duplicates), 0),
                coalesce(sum(warned), 0), coalesce(sum(files), 0), coalesce(sum(partial), 0), coalesce(sum(bytes), 0), count(*)
            FROM device
            """
        ) { (Int(try $0.int(9)), try Self.device($0)) }
    }

    private static func device(_ row: Row) throws -> DeviceSummary {
        DeviceSummary(
            user: try row.string(0), lastContact: Instant(milliseconds: try row.int(1)), answers: Int(try row.int(2)),
            logs: Int(try row.int(3)), duplicates: Int(try row.int(4)), warned: Int(try row.int(5)),
            files: Int(try row.int(6)), partial: Int(try row.int(7)), bytes: try row.int(8))
    }

    /// How often each page and event of the app was logged, most frequent first.
    func logCounts(user: String, limit: Int) throws -> [LogCount] {
        try connection.rows(
            "SELECT page, event, count FROM logged WHERE user = ? ORDER BY count DESC, page, event LIMIT ?", user, limit
        ) { row in
            LogCount(page: try row.string(0), event: try row.string(1), count: Int(try row.int(2)))
        }
    }

    /// Counts a log record by page and event. Triggers count everything else.
    func count(_ post: SchemaPost) throws {
        guard post.kind == .log else { return }
        // A notification's page carries its time; its kind is what is counted.
        let page = post["page"] ?? ""
        try connection.run(
            """
            INSERT INTO logged VALUES (?, ?, ?, 1) ON CONFLICT (user, page, event) DO UPDATE SET count = count + 1
            """, post["user_id"] ?? "", page.hasPrefix("notification") ? "notification" : page, post["event"] ?? "")
    }
}

/// How often the schema app of a device logged an event on one of its pages; the `DeviceCard` lists them.
struct LogCount: Hashable, Sendable {
    let page: String
    let event: String
    let count: Int
}

/// What is known of a device at a glance, for the pages and `/api/devices`. It is known by the participant's id
/// in what it sends.
struct DeviceSummary: Sendable {
    let user: String
    let lastContact: Instant
    /// Records of either kind; `duplicates` and `warned` count those of them that are marked so.
    let answers: Int
    let logs: Int
    let duplicates: Int
    let warned: Int
    /// Complete uploads, and unfinished ones.
    let files: Int
    let partial: Int
    /// Bytes of records and files, as far as they have come.
    let bytes: Int64
}
