// SPDX-License-Identifier: Apache-2.0
import Base
import Database

/// When each recording was made, as its description says, so that a day is found without opening files. Used by
/// the actor `Archive`. Those of folders written before there was this table are read when they are first asked
/// for (`DescriptionIndex`).
struct SpanTable {
    private let connection: Connection
    /// No recording of ours is longer; a description that says otherwise is not searched for.
    private static let longest: Duration = .seconds(32 * 86_400)

    init(_ connection: Connection) { self.connection = connection }

    /// `number` is the description's upload; an empty `kind` means that it describes no recording. `first` and
    /// `last` are in milliseconds, `shift` in seconds east of UTC.
    static let tables = """
        CREATE TABLE IF NOT EXISTS span (
            number INTEGER PRIMARY KEY, user TEXT NOT NULL, kind TEXT NOT NULL, first INTEGER NOT NULL,
            last INTEGER NOT NULL, shift INTEGER NOT NULL, stored INTEGER NOT NULL, reasons TEXT NOT NULL,
            extra INTEGER NOT NULL, events INTEGER NOT NULL, file TEXT NOT NULL
        ) STRICT;
        CREATE INDEX IF NOT EXISTS spanOfUser ON span (user, first);
        """

    func note(_ span: RecordedSpan?, of upload: Upload) throws {
        let reasons = JSONValue.object((span?.reasons ?? [:]).map { .init(name: $0.key, value: .int($0.value)) })
        _ = try connection.transaction(flushing: false) {
            try connection.run(
                "INSERT OR IGNORE INTO span VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", upload.number, upload.user,
                span?.kind ?? "", span?.start.milliseconds ?? 0, span?.end.milliseconds ?? 0, span?.offset ?? 0,
                span?.stored ?? 0, reasons.text, span?.isExtra ?? false, span?.isOfEvents ?? false, span?.file ?? "")
        }
    }

    /// The latest `limit`, oldest first; where `study` is not nil, of that one. A second device of the
    /// participant numbers its files as the first did, so that a file is found by name and enrolment.
    func spans(of user: String, in study: String?, from: Instant, to: Instant, limit: Int) throws -> [RecordedSpan] {
        let latestFirst = try connection.rows(
            """
            SELECT kind, first, last, shift, stored, reasons, extra, events, file, (
                SELECT min(described.number) FROM upload AS description, upload AS described
                WHERE description.number = span.number AND described.user = span.user
                AND described.name = span.file AND described.sha256 IS NOT NULL
                AND json_extract(described.metadata, '$.enrolment') IS json_extract(description.metadata, '$.enrolment'))
            FROM span WHERE user = ?1 AND kind <> '' AND first < ?2 AND first > ?3 AND last > ?4
            AND (?6 IS NULL OR ?6 = (
                SELECT iif(json_valid(metadata), json_extract(metadata, '$.study'), NULL) FROM upload
                WHERE upload.number = span.number))
            ORDER BY first DESC, kind DESC LIMIT ?5
            """, user, to.milliseconds, (from - Self.longest).milliseconds, from.milliseconds, limit, study
        ) { row in
            let reasons = (try? JSONReader.value(try row.string(5)))?.members ?? []
            return RecordedSpan(
                kind: try row.string(0), start: Instant(milliseconds: try row.int(1)),
                end: Instant(milliseconds: try row.int(2)), offset: Int(try row.int(3)), stored: try row.int(4),
                reasons: Dictionary(reasons.map { ($0.name, Int64($0.value.double ?? 0)) }) { first, _ in first },
                isExtra: try row.bool(6), isOfEvents: try row.bool(7), file: try row.string(8),
                upload: try row.intOrNil(9))
        }
        return latestFirst.reversed()
    }
}
