// SPDX-License-Identifier: Apache-2.0
import Base
import Database
import SystemKit

/// Records, uploads and archives (zips of SageResearch's runs) that have arrived, in one SQLite database,
/// `receiver.sqlite` (WAL). Routes for devices and `Mirror` write it; pages, tables and JSON are made from it.
///
/// When `store` and the upload calls return, what they wrote is on the disk.
package actor Archive {
    private let connection: Connection
    private let counts: DeviceCounts
    private let covered: CoverageTable
    private let spans: SpanTable
    private let wear: WearTable
    private static let refusalsKept = 1000
    /// The most of one device, so that one that is refused again and again does not push out the
    /// refusals of others.
    private static let refusalsKeptOfOne = 100
    /// In characters; what is longer is cut.
    private static let longestReasons = 2000

    init(_ location: Connection.Location) throws {
        connection = try Connection(location)
        (counts, covered, spans) = (DeviceCounts(connection), CoverageTable(connection), SpanTable(connection))
        wear = WearTable(connection)
        try Schema(
            version: 1, [Self.tables, DeviceCounts.tables, CoverageTable.tables, Self.sage].joined(separator: "\n")
        ).prepare(connection)
        try connection.execute("CREATE INDEX IF NOT EXISTS uploadSpace ON upload (user, space)")
        try connection.execute("CREATE INDEX IF NOT EXISTS uploadByName ON upload (user, name)")
        try connection.execute(
            "CREATE INDEX IF NOT EXISTS uploadOfLog ON upload (user, number) WHERE name GLOB 'log-*.jsonl.gz'")
        try connection.execute(SpanTable.tables)
        try connection.execute(WearTable.tables)
        try connection.execute(ParticipantRows.highestNumbers)
    }

    /// For `Mirror`: from now on commits wait for the disk only in `flush`.
    func flushLater() throws { try connection.flushLater() }
    func flush() throws { try connection.flush() }

    /// Times are in milliseconds. `written` is a record's own time; of an upload `sha256` is NULL until it is
    /// complete, `expected` is the announced one, `sameAs` an earlier upload with the same bytes and name, and
    /// `space` its bytes on the disk.
    private static let tables = """
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

    /// An upload that others have sent, too, with the same name and bytes, passes to the first of them.
    static let participantRows = ParticipantRows(
        "receiver.sqlite",
        names: ["device": "user", "refusal": "user"],
        [
            ParticipantRows.highest("id", of: "record"), ParticipantRows.highest("number", of: "upload"),
            ParticipantRows.highest("received", of: "sage"),
            .init("record", "post"), .init("refusal", "refused post"),
            .init(
                "upload", nil,
                instead: """
                    UPDATE upload SET space = iif(number = heir.first, heir.space, upload.space),
                        sameAs = nullif(heir.first, number)
                    FROM (
                        SELECT mine.number AS mine, mine.space AS space, min(other.number) AS first
                        FROM upload AS mine JOIN upload AS other ON other.sameAs = mine.number AND other.user <> ?1
                        WHERE mine.user = ?1 GROUP BY mine.number) AS heir
                    WHERE upload.sameAs = heir.mine AND upload.user <> ?1
                    """),
            .init("worn", "figure", where: "number IN (SELECT number FROM upload WHERE user = ?1)"),
            .init("upload", "upload"), .init("sage", "archive"), .init("span", "figure"), .init("logged", "figure"),
            .init("covered", "figure"), .init("coveredSpan", "figure"), .init("enrolled", "figure"),
            .init("device", "figure"),
        ], files: { try files($0, of: $1) })

    /// The participant's own files, without those that others have uploaded, too.
    private static func files(_ connection: Connection, of user: String) throws -> [String] {
        let shared = try connection.rows(
            "SELECT DISTINCT file FROM upload WHERE user <> ?1 AND file IN (SELECT file FROM upload WHERE user = ?1)",
            user
        ) { "files/\(try $0.string(0))" }
        let uploads = try connection.rows(Self.uploadColumns + " WHERE user = ?", user, read: Self.upload)
        let archives = try connection.rows("SELECT digest FROM sage WHERE user = ?", user) { try $0.string(0) }
        let own = Set(uploads.flatMap { UploadFolder.places(of: $0) }).subtracting(shared)
        let drawings = uploads.flatMap { PreviewRoutes.places(of: $0.number) }
        let sage = archives.flatMap { digest in
            [".zip", ".zip.new", ".zip.cms", ".zip.cms.new"].map { "sage/\(digest)\($0)" }
        }
        return own.sorted() + drawings + sage
    }

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
                INSERT INTO record (id, received, path, kind, user, fields, digest, duplicateOf, warnings, written)
                VALUES (\(ParticipantRows.next("id", of: "record")), ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """, now.milliseconds, path, post.kind?.rawValue ?? "", post["user_id"] ?? "", post.stored.text, digest,
                first ?? nil, JSONValue.array(post.warnings.map(JSONValue.string)).text,
                post.writtenTime?.instant.milliseconds)
            let id = connection.lastInsertedRow
            try counts.count(post)
            return id
        }
    }

    /// Whether this very post is here, as it was received then; one that came again later is another.
    func has(_ post: SchemaPost, path: String, at moment: Instant) throws -> Bool {
        try connection.hasRow(
            "SELECT 1 FROM record WHERE digest = ? AND path = ? AND received = ?",
            Digest(ofText: post.stored.text).bytes, path, moment.milliseconds)
    }

    /// Notes a post that was not taken, in a few kilobytes whatever it was; the latest thousand are
    /// kept, and of these the latest hundred of a device.
    package func refuse(_ reasons: [String], path: String, user: String?, at now: Instant) throws {
        let user = user.map { String($0.prefix(DeviceName.longest)) }
        try connection.transaction {
            try connection.run(
                "INSERT INTO refusal (received, path, user, reasons) VALUES (?, ?, ?, ?)", now.milliseconds, path, user,
                String(reasons.joined(separator: "; ").prefix(Self.longestReasons)))
            try connection.run(
                """
                DELETE FROM refusal WHERE user IS ?1 AND id <=
                (SELECT id FROM refusal WHERE user IS ?1 ORDER BY id DESC LIMIT 1 OFFSET ?2)
                """, user, Self.refusalsKeptOfOne)
            // By their number, not by their ids: one device's deleted rows count for no other.
            try connection.run(
                "DELETE FROM refusal WHERE id <= (SELECT id FROM refusal ORDER BY id DESC LIMIT 1 OFFSET ?)",
                Self.refusalsKept)
        }
    }

    package func refusedBytes(of user: String?) throws -> Int64 {
        try connection.first(
            "SELECT coalesce(sum(length(path) + length(reasons)), 0) FROM refusal WHERE user IS ?",
            user.map { String($0.prefix(DeviceName.longest)) }
        ) { try $0.int(0) } ?? 0
    }

    /// The latest records, newest first; `user` and `kind` nil take all, `isWarned` those with
    /// warnings only. Ends with the record that fills `characters`: each may be a megabyte long,
    /// and all are in memory together.
    ///
    /// Each combination of filters is an SQL statement of its own, which can use an index.
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
            """, user, kind?.rawValue, before, limit, characters, read: Self.record)
    }

    private static func record(_ row: Row) throws -> StoredRecord {
        StoredRecord(
            id: try row.int(0), received: Instant(milliseconds: try row.int(1)), path: try row.string(2),
            post: SchemaPost(StoredRecord.fields(try row.string(3))), duplicateOf: try row.intOrNil(4),
            warnings: StoredRecord.texts(try row.string(5)))
    }

    /// The latest refusals of devices of which nothing was taken yet, newest first.
    func refusalsOfUnknownDevices(limit: Int) throws -> [RefusedPost] {
        try connection.rows(
            """
            SELECT id, received, path, user, reasons FROM refusal
            WHERE NOT EXISTS (SELECT 1 FROM device WHERE device.user = refusal.user) ORDER BY id DESC LIMIT ?
            """, limit, read: Self.refusal)
    }

    func refusals(user: String? = nil, limit: Int) throws -> [RefusedPost] {
        try connection.rows(
            """
            SELECT id, received, path, user, reasons FROM refusal WHERE (?1 IS NULL OR user = ?1)
            ORDER BY id DESC LIMIT ?2
            """, user, limit, read: Self.refusal)
    }

    private static func refusal(_ row: Row) throws -> RefusedPost {
        RefusedPost(
            id: try row.int(0), received: Instant(milliseconds: try row.int(1)), path: try row.string(2),
            user: try row.stringOrNil(3), reasons: try row.string(4))
    }

    /// When the latest records of a kind were written, and which of them had come before.
    func marks(user: String, kind: SchemaPost.Kind, limit: Int) throws -> [Timeline.Mark] {
        try connection.rows(
            """
            SELECT coalesce(written, received), duplicateOf IS NOT NULL FROM record WHERE user = ? AND kind = ?
            ORDER BY id DESC LIMIT ?
            """, user, kind.rawValue, limit
        ) { Timeline.Mark(at: Instant(milliseconds: try $0.int(0)), isRepeated: try $0.bool(1)) }
    }

    // MARK: Uploads

    /// Notes an upload that begins. Returns it with its number.
    func create(_ upload: Upload) throws -> Upload {
        try connection.run(
            """
            INSERT INTO upload
                (number, id, user, kind, name, metadata, length, offset, created, changed, expected, mismatches, space)
            VALUES (\(ParticipantRows.next("number", of: "upload")), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """, upload.id, upload.user, upload.kind, upload.name, upload.metadata, upload.length, upload.offset,
            upload.created.milliseconds, upload.changed.milliseconds, upload.expected, upload.mismatches, upload.space)
        var upload = upload
        upload.number = connection.lastInsertedRow
        return upload
    }

    func update(_ upload: Upload) throws {
        try connection.run(
            """
            UPDATE upload SET offset = ?, changed = ?, sha256 = ?, file = ?, sameAs = ?, mismatches = ?, space = ?
            WHERE id = ?
            """, upload.offset, upload.changed.milliseconds, upload.sha256, upload.file, upload.sameAs,
            upload.mismatches, upload.space, upload.id)
    }

    /// Writes in one transaction that an upload is whole, and what it says of its enrolment and of a
    /// recording: after a crash between the two the recording would never be counted.
    func complete(_ upload: Upload, of enrolment: DeviceEnrolment?, isDescription: Bool, _ span: RecordedSpan?) throws {
        try connection.transaction {
            try update(upload)
            if let enrolment { try noteEnrolment(enrolment, of: upload.user) }
            guard isDescription else { return }
            try noteSpan(span, of: upload)
            if let span { try noteRecording(span, of: upload.user, enrolment: enrolment?.enrolment) }
        }
    }

    func delete(_ id: String) throws { try connection.run("DELETE FROM upload WHERE id = ?", id) }

    func upload(_ id: String) throws -> Upload? {
        try connection.first(Self.uploadColumns + " WHERE id = ?", id, read: Self.upload)
    }

    func upload(number: Int64) throws -> Upload? {
        try connection.first(Self.uploadColumns + " WHERE number = ?", number, read: Self.upload)
    }

    /// The first complete upload of the same content and name.
    func complete(sha256: String, name: String) throws -> Upload? {
        try connection.first(
            Self.uploadColumns + " WHERE sha256 = ? AND name = ? ORDER BY number LIMIT 1", sha256, name,
            read: Self.upload)
    }

    /// Whether a file, or an archive of SageResearch, of that digest has arrived whole.
    func has(sha256: String) throws -> Bool {
        try connection.hasRow("SELECT 1 FROM upload WHERE sha256 = ? AND id NOT GLOB 'lost-*'", sha256)
            || hasSage(sha256)
    }

    /// Whether a file of that name, with any ending, has arrived whole from that participant.
    func has(name: String, of user: String) throws -> Bool {
        try connection.hasRow(
            """
            SELECT 1 FROM upload WHERE user = ?1 AND sha256 IS NOT NULL AND id NOT GLOB 'lost-*'
            AND (name = ?2 OR substr(name, 1, length(?2) + 1) = ?2 || '.')
            """, user, name)
    }

    /// Bytes of a device's uploads, without its records and archives.
    func fileBytes(of user: String) throws -> Int64 {
        try connection.first("SELECT coalesce(sum(space), 0) FROM upload WHERE user = ?", user) { try $0.int(0) } ?? 0
    }

    /// The latest uploads, newest first; of those with a smaller number than `before`.
    func uploads(user: String? = nil, before: Int64 = .max, limit: Int) throws -> [Upload] {
        try connection.rows(
            Self.uploadColumns
                + " WHERE number < ?3 \(user == nil ? "" : "AND user = ?1") ORDER BY number DESC LIMIT ?2",
            user, limit, before, read: Self.upload)
    }

    /// Uploads that were not continued since that moment, at most a thousand.
    func abandoned(before: Instant) throws -> [Upload] {
        try connection.rows(
            Self.uploadColumns + " WHERE sha256 IS NULL AND changed < ? ORDER BY changed LIMIT 1000",
            before.milliseconds, read: Self.upload)
    }

    /// The unfinished uploads of a device beyond the `kept` that are worth most: more bytes before
    /// fewer, newer before older. Never `id`.
    func surplus(user: String, kept: Int, besides id: String) throws -> [Upload] {
        // `id` itself is one of the kept.
        try connection.rows(
            Self.uploadColumns
                + " WHERE user = ? AND sha256 IS NULL AND id <> ? ORDER BY offset DESC, number DESC LIMIT 1000 OFFSET ?",
            user, id, kept - 1, read: Self.upload)
    }

    private static let uploadColumns = """
        SELECT number, id, user, kind, name, metadata, length, offset, created, changed, expected, sha256, file, sameAs,
            mismatches, space FROM upload
        """

    private static func upload(_ row: Row) throws -> Upload {
        Upload(
            number: try row.int(0), id: try row.string(1), user: try row.string(2), kind: try row.string(3),
            name: try row.string(4), metadata: try row.string(5), length: try row.int(6), offset: try row.int(7),
            created: Instant(milliseconds: try row.int(8)), changed: Instant(milliseconds: try row.int(9)),
            expected: try row.stringOrNil(10), sha256: try row.stringOrNil(11), file: try row.stringOrNil(12),
            sameAs: try row.intOrNil(13), mismatches: try row.int(14), space: try row.int(15))
    }

    // MARK: Archives of SageResearch

    /// They are counted with the device that sent them.
    private static let sage = """
        CREATE TABLE sage (
            digest TEXT PRIMARY KEY, user TEXT NOT NULL, received INTEGER NOT NULL, bytes INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE TRIGGER sageCounted AFTER INSERT ON sage BEGIN
            INSERT INTO device VALUES (NEW.user, NEW.received, 0, 0, 0, 0, 1, 0, NEW.bytes)
            ON CONFLICT (user) DO UPDATE SET contact = max(contact, excluded.contact), files = files + 1,
                bytes = bytes + excluded.bytes;
        END;
        """

    func hasSage(_ digest: String) throws -> Bool {
        try connection.hasRow("SELECT 1 FROM sage WHERE digest = ?", digest)
    }

    /// An archive that is known already is not counted again.
    func noteSage(_ digest: String, bytes: Int64, of user: String, at now: Instant) throws {
        try connection.run("INSERT OR IGNORE INTO sage VALUES (?, ?, ?, ?)", digest, user, now.milliseconds, bytes)
    }

    // MARK: Devices

    func devices(limit: Int) throws -> [DeviceSummary] { try counts.devices(limit: limit) }

    func studies(of users: [String]) throws -> [String: String] { try counts.studies(of: users) }

    func device(_ user: String) throws -> DeviceSummary? { try counts.device(user) }

    func totals() throws -> (devices: Int, all: DeviceSummary)? { try counts.totals() }

    func logCounts(user: String, limit: Int) throws -> [LogCount] { try counts.logCounts(user: user, limit: limit) }

    func noteEnrolment(_ enrolment: DeviceEnrolment, of user: String) throws {
        try covered.noteEnrolment(enrolment, of: user)
    }

    func noteRecording(_ span: RecordedSpan, of user: String, enrolment: String?) throws {
        try covered.noteRecording(span, of: user, enrolment: enrolment)
    }

    func coverage(of user: String, at now: Instant) throws -> Coverage? { try covered.coverage(of: user, at: now) }

    func coverages(at now: Instant) throws -> [String: Coverage] { try covered.coverages(at: now) }

    // MARK: What was recorded when

    /// Notes what an upload says of a recording, so that it is not read again; nil where it is no description.
    func noteSpan(_ span: RecordedSpan?, of upload: Upload) throws { try spans.note(span, of: upload) }

    /// Descriptions of recordings that were not noted with `noteSpan` yet, newest first.
    func unread(of user: String?, limit: Int) throws -> [Upload] {
        try connection.rows(
            Self.uploadColumns
                + """
                 WHERE \(user == nil ? "" : "user = ?1 AND ")sha256 IS NOT NULL AND sameAs IS NULL AND kind <> 'hello'
                AND substr(name, -5) = '.json' AND NOT EXISTS (SELECT 1 FROM span WHERE span.number = upload.number)
                ORDER BY number DESC LIMIT ?2
                """, user, limit, read: Self.upload)
    }

    func recorded(
        of user: String, in study: String? = nil, from: Instant, to: Instant, limit: Int
    ) throws -> [RecordedSpan] { try spans.spans(of: user, in: study, from: from, to: to, limit: limit) }

    /// Notes what an upload says of wear; `days` is empty where it says nothing.
    func noteWorn(_ days: [LocalDate: WornTime], in upload: Int64) throws { try wear.note(days, of: upload) }

    /// What that upload says of wear, by day; nil where it has not been read.
    func worn(in upload: Int64) throws -> [LocalDate: WornTime]? { try wear.days(of: upload) }

    /// The recordings' files that are here, by the number of their upload.
    func files(of spans: [RecordedSpan]) throws -> [Int64: Upload] {
        try Set(spans.compactMap(\.upload)).reduce(into: [:]) { $0[$1] = try upload(number: $1) }
    }

    /// The whole file of that name that came from the same enrolment.
    func file(named name: String, beside upload: Upload) throws -> Upload? {
        try connection.first(
            Self.uploadColumns
                + """
                 WHERE user = ? AND name = ? AND sha256 IS NOT NULL
                AND json_extract(metadata, '$.enrolment') IS json_extract(?, '$.enrolment') ORDER BY number LIMIT 1
                """, upload.user, name, upload.metadata, read: Self.upload)
    }

    // MARK: Tables

    func refusalCounts() throws -> [String: Int] {
        let rows = try connection.rows("SELECT user, count(*) FROM refusal WHERE user IS NOT NULL GROUP BY user") {
            (try $0.string(0), Int(try $0.int(1)))
        }
        return Dictionary(rows) { first, _ in first }
    }

    /// Answers that were written between these moments, by their writers' clocks, oldest first; of
    /// each that came more than once, one. Throws 413 where they have more bytes than `bytes` together:
    /// each may have a megabyte, and all are in memory together.
    func answers(
        of user: String?, from: Instant, to: Instant, limit: Int, bytes: Int = 256 << 20
    ) throws -> [StoredRecord] {
        var left = bytes
        return try connection.rows(
            """
            SELECT id, received, path, fields, duplicateOf, warnings FROM record
            WHERE \(user == nil ? "" : "user = ?1 AND ")kind = 'survey_response' AND duplicateOf IS NULL
            AND coalesce(written, received) >= ?2 AND coalesce(written, received) < ?3
            ORDER BY user, coalesce(written, received), id LIMIT ?4
            """, user, from.milliseconds, to.milliseconds, limit
        ) { row in
            left -= try row.string(3).utf8.count
            guard left >= 0 else {
                let remedy = "ask for one participant (user=ID) or for fewer days (days=N)"
                throw HTTPFailure(413, "answers of more than \(bytes) bytes; \(remedy)")
            }
            return try Self.record(row)
        }
    }
}
