// SPDX-License-Identifier: Apache-2.0
import Base
import Database
import SystemKit

/// Everything that has arrived, in one SQLite database (WAL). The receiver's only place with SQL.
///
/// What `store` and the upload calls have returned from is on the disk.
actor Archive {
    let connection: Connection
    private static let refusalsKept = 1000
    /// Of one device, so that one that is refused again and again does not push out what is
    /// known of others.
    private static let refusalsKeptOfOne = 100
    /// Characters of the reasons.
    private static let longestReasons = 2000

    /// Opens or makes the database, with the `tables` of those who keep theirs beside
    /// the receiver's own.
    init(_ location: Connection.Location, tables: String = "") throws {
        connection = try Connection(location)
        try Schema(version: 1, [Self.records, Self.deviceCounts, Self.counted, tables].joined(separator: "\n")).prepare(
            connection)
    }

    private static let records = """
        CREATE TABLE record (
            id INTEGER PRIMARY KEY, received INTEGER NOT NULL, path TEXT NOT NULL, kind TEXT NOT NULL,
            user TEXT NOT NULL, fields TEXT NOT NULL, digest BLOB NOT NULL, duplicateOf INTEGER,
            warnings TEXT NOT NULL, written INTEGER
        ) STRICT;
        CREATE INDEX recordOfUser ON record (user, kind, id);
        CREATE INDEX recordByDigest ON record (digest);
        CREATE INDEX recordByUser ON record (user, id);
        CREATE INDEX recordWarned ON record (user, id) WHERE warnings <> '[]';
        CREATE TABLE refusal (
            id INTEGER PRIMARY KEY, received INTEGER NOT NULL, path TEXT NOT NULL, user TEXT,
            reasons TEXT NOT NULL
        ) STRICT;
        CREATE INDEX refusalOfUser ON refusal (user, id);
        CREATE TABLE upload (
            number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, user TEXT NOT NULL, kind TEXT NOT NULL,
            name TEXT NOT NULL, metadata TEXT NOT NULL, length INTEGER NOT NULL, offset INTEGER NOT NULL,
            created INTEGER NOT NULL, changed INTEGER NOT NULL, expected TEXT, sha256 TEXT, file TEXT,
            sameAs INTEGER, mismatches INTEGER NOT NULL, space INTEGER NOT NULL DEFAULT 0
        ) STRICT;
        CREATE INDEX uploadBySum ON upload (sha256, name);
        CREATE INDEX uploadByUser ON upload (user, number);
        CREATE INDEX uploadUnfinished ON upload (changed) WHERE sha256 IS NULL;
        """

    // MARK: Records

    /// Keeps a post as the platform would, a repeated one too, which is marked. Returns its number.
    @discardableResult
    func store(_ post: SchemaPost, path: String, at now: Instant) throws -> Int64 {
        let digest = try Digest(ofText: post.stored.text).bytes
        return try connection.transaction {
            let first = try connection.first("SELECT min(id) FROM record WHERE digest = ?", digest) {
                try $0.intOrNil(0)
            }
            try connection.run(
                """
                INSERT INTO record (received, path, kind, user, fields, digest, duplicateOf, warnings, written)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
                """, now.milliseconds, path, post.kind?.rawValue ?? "", post["user_id"] ?? "", post.stored.text, digest,
                first ?? nil, JSONValue.array(post.warnings.map(JSONValue.string)).text,
                post.writtenTime?.instant.milliseconds)
            let id = connection.lastInsertedRow
            try count(post)
            return id
        }
    }

    /// Notes a post that was not taken, in a few kilobytes whatever it was; the latest thousand are
    /// kept, and of these the latest hundred of a device.
    func refuse(_ reasons: [String], path: String, user: String?, at now: Instant) throws {
        let user = user.map { String($0.prefix(DeviceName.longest)) }
        try connection.run(
            "INSERT INTO refusal (received, path, user, reasons) VALUES (?, ?, ?, ?)", now.milliseconds, path, user,
            String(reasons.joined(separator: "; ").prefix(Self.longestReasons)))
        try connection.run(
            """
            DELETE FROM refusal WHERE user IS ?1 AND id <=
            (SELECT id FROM refusal WHERE user IS ?1 ORDER BY id DESC LIMIT 1 OFFSET ?2)
            """, user, Self.refusalsKeptOfOne)
        try connection.run("DELETE FROM refusal WHERE id <= ?", connection.lastInsertedRow - Int64(Self.refusalsKept))
    }

    /// Bytes of the refusals that are kept of a device.
    func refusedBytes(of user: String?) throws -> Int64 {
        try connection.first(
            "SELECT coalesce(sum(length(path) + length(reasons)), 0) FROM refusal WHERE user IS ?",
            user.map { String($0.prefix(DeviceName.longest)) }
        ) { try $0.int(0) } ?? 0
    }

    /// The latest records, newest first; `user` and `kind` nil take all, `isWarned` those with
    /// warnings only. Ends with the record that fills so many `characters`: each may be a megabyte
    /// long, and all are in memory together.
    ///
    /// One text for each kind of question, so that each has its index.
    func records(
        user: String?, kind: SchemaPost.Kind? = nil, isWarned: Bool = false, before: Int64 = .max, limit: Int,
        characters: Int = 1 << 20
    ) throws -> [StoredRecord] {
        let conditions =
            (user == nil ? [] : ["user = ?1"]) + (kind == nil ? [] : ["kind = ?2"])
            + (isWarned ? ["warnings <> '[]'"] : []) + ["id < ?3"]
        return try connection.rows(
            """
            SELECT * FROM (
                SELECT *, sum(length(fields)) OVER (ORDER BY id DESC) - length(fields) AS preceding FROM (
                    SELECT id, received, path, fields, duplicateOf, warnings FROM record
                    WHERE \(conditions.joined(separator: " AND ")) ORDER BY id DESC LIMIT ?4)
            ) WHERE preceding < ?5 ORDER BY id DESC
            """, user, kind?.rawValue, before, limit, characters
        ) { row in
            StoredRecord(
                id: try row.int(0), received: Instant(milliseconds: try row.int(1)), path: try row.string(2),
                post: SchemaPost(StoredRecord.fields(try row.string(3))), duplicateOf: try row.intOrNil(4),
                warnings: StoredRecord.texts(try row.string(5)))
        }
    }

    /// The latest refusals of devices that have sent nothing good, newest first.
    func orphans(limit: Int) throws -> [Refusal] {
        try connection.rows(
            """
            SELECT id, received, path, user, reasons FROM refusal
            WHERE NOT EXISTS (SELECT 1 FROM device WHERE device.user = refusal.user) ORDER BY id DESC LIMIT ?
            """, limit, read: Self.refusal)
    }

    /// The latest refusals, newest first.
    func refusals(user: String? = nil, limit: Int) throws -> [Refusal] {
        try connection.rows(
            """
            SELECT id, received, path, user, reasons FROM refusal WHERE (?1 IS NULL OR user = ?1)
            ORDER BY id DESC LIMIT ?2
            """, user, limit, read: Self.refusal)
    }

    private static func refusal(_ row: Row) throws -> Refusal {
        Refusal(
            id: try row.int(0), received: Instant(milliseconds: try row.int(1)), path: try row.string(2),
            user: try row.stringOrNil(3), reasons: try row.string(4))
    }

    // MARK: Uploads

    /// Notes an upload that begins. Returns it with its number.
    func create(_ upload: Upload) throws -> Upload {
        try connection.run(
            """
            INSERT INTO upload (id, user, kind, name, metadata, length, offset, created, changed, expected, mismatches, space)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """, upload.id, upload.user, upload.kind, upload.name, upload.metadata, upload.length, upload.offset,
            upload.created.milliseconds, upload.changed.milliseconds, upload.expected, upload.mismatches, upload.space)
        var upload = upload
        upload.number = connection.lastInsertedRow
        return upload
    }

    /// Writes how far an upload has come.
    func update(_ upload: Upload) throws {
        try connection.run(
            """
            UPDATE upload SET offset = ?, changed = ?, sha256 = ?, file = ?, sameAs = ?, mismatches = ?, space = ?
            WHERE id = ?
            """, upload.offset, upload.changed.milliseconds, upload.sha256, upload.file, upload.sameAs,
            upload.mismatches, upload.space, upload.id)
    }

    func delete(_ id: String) throws { try connection.run("DELETE FROM upload WHERE id = ?", id) }

    /// The upload of that id.
    func upload(_ id: String) throws -> Upload? {
        try connection.first(Self.uploadColumns + " WHERE id = ?", id, read: Self.upload)
    }

    /// The upload of that number.
    func upload(number: Int64) throws -> Upload? {
        try connection.first(Self.uploadColumns + " WHERE number = ?", number, read: Self.upload)
    }

    /// The first complete upload of the same content and name.
    func complete(sha256: String, name: String) throws -> Upload? {
        try connection.first(
            Self.uploadColumns + " WHERE sha256 = ? AND name = ? ORDER BY number LIMIT 1", sha256, name,
            read: Self.upload)
    }

    /// The latest uploads, newest first; of those with a smaller number than `before`.
    func uploads(user: String? = nil, before: Int64 = .max, limit: Int) throws -> [Upload] {
        try connection.rows(
            Self.uploadColumns
                + " WHERE number < ?3 \(user == nil ? "" : "AND user = ?1") ORDER BY number DESC LIMIT ?2",
            user, limit, before, read: Self.upload)
    }

    static let uploadColumns = """
        SELECT number, id, user, kind, name, metadata, length, offset, created, changed, expected, sha256, file, sameAs,
            mismatches, space FROM upload
        """

    static func upload(_ row: Row) throws -> Upload {
        Upload(
            number: try row.int(0), id: try row.string(1), user: try row.string(2), kind: try row.string(3),
            name: try row.string(4), metadata: try row.string(5), length: try row.int(6), offset: try row.int(7),
            created: Instant(milliseconds: try row.int(8)), changed: Instant(milliseconds: try row.int(9)),
            expected: try row.stringOrNil(10), sha256: try row.stringOrNil(11), file: try row.stringOrNil(12),
            sameAs: try row.intOrNil(13), mismatches: try row.int(14), space: try row.int(15))
    }
}
