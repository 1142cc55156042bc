// SPDX-License-Identifier: Apache-2.0
import Database

/// A `receiver.sqlite` as a file: `Backup` and `Restore` ask it which files its rows name, and `Restore` deletes the
/// rows of files that the backup has lost.
struct ArchiveCopy {
    private let path: String

    init(_ path: String) { self.path = path }

    /// The files that rows name.
    func namedFiles() throws -> [NamedFile] {
        guard let connection = try open() else { return [] }
        // SQLite takes the other columns from the row with the smallest number.
        let uploads = try connection.rows(
            """
            SELECT file, sha256, user, min(number) FROM upload WHERE sha256 IS NOT NULL AND file IS NOT NULL
            GROUP BY file
            """
        ) { row in
            NamedFile(paths: ["files/" + (try row.string(0))], sha256: try row.string(1), user: try row.string(2))
        }
        let archives = try connection.rows("SELECT digest, user FROM sage ORDER BY digest") { row in
            let (digest, user) = (try row.string(0), try row.string(1))
            return NamedFile(paths: [".zip", ".zip.cms"].map { "sage/\(digest)\($0)" }, sha256: digest, user: user)
        }
        return uploads + archives
    }

    /// By their tables: of records and whole uploads the highest number, of archives the latest time, also of erased
    /// ones. It falls only where a database has lost rows.
    func highestNumbers() throws -> [String: Int64] {
        guard let connection = try open() else { return [:] }
        let hasNotes = try connection.hasRow("SELECT 1 FROM sqlite_schema WHERE name = 'highest'")
        let all = try connection.rows(
            """
            SELECT 'record', max(id) FROM record UNION ALL SELECT 'sage', max(received) FROM sage
            UNION ALL SELECT 'upload', max(number) FROM upload WHERE sha256 IS NOT NULL
            \(hasNotes ? "UNION ALL SELECT name, number FROM highest" : "")
            """
        ) { (try $0.string(0), try $0.intOrNil(1) ?? 0) }
        return Dictionary(all, uniquingKeysWith: max)
    }

    /// Nil where it has no tables yet.
    private func open() throws -> Connection? {
        let connection = try Connection(.readOnly(path))
        return try Schema.has(Archive.participantRows.version, connection) ? connection : nil
    }

    // MARK: Restoring

    /// Deletes the rows of uploads that are not whole. Of a copy without their bytes the server would take zeros for
    /// these; so their devices begin again.
    func deleteUnfinished() throws {
        let connection = try Connection(.file(path))
        if try Schema.has(Archive.participantRows.version, connection) {
            try connection.run("DELETE FROM upload WHERE sha256 IS NULL")
        }
        try connection.leaveWriteAheadLog()
    }

    /// Deletes the rows of files that are not beside the copy, so that they are missed, and taken when they come
    /// again.
    func deleteRows(of lost: [NamedFile]) throws {
        let connection = try Connection(.file(path))
        for tables in [SpanTable.tables, WearTable.tables, ParticipantRows.highestNumbers] {
            try connection.execute(tables)
        }
        try connection.transaction {
            for file in lost {
                try Self.deleteUpload(file, in: connection)
                if file.paths[0].hasPrefix("sage/") { try Self.deleteSage(file.sha256, in: connection) }
            }
        }
        try connection.leaveWriteAheadLog()
    }

    /// The description of a recording has been counted, and its row stays: the same bytes take its place uncounted.
    /// Its id is changed, by which `Mirror` and a device would find it whole, and both `Archive.has` leave it out.
    private static func deleteUpload(_ file: NamedFile, in connection: Connection) throws {
        let these = "sha256 = ?1 AND 'files/' || file = ?2"
        let statements = [
            ParticipantRows.noteHighest("number", of: "upload", where: these),
            "DELETE FROM worn WHERE number IN (SELECT number FROM upload WHERE \(these))",
            """
            DELETE FROM upload WHERE \(these) AND NOT EXISTS (
                SELECT 1 FROM span WHERE span.number = upload.number AND span.kind <> '')
            """,
            "UPDATE upload SET id = 'lost-' || id WHERE \(these)",
        ]
        for statement in statements { try connection.run(statement, file.sha256, file.paths[0]) }
    }

    private static func deleteSage(_ digest: String, in connection: Connection) throws {
        let statements = [
            """
            UPDATE device SET files = files - 1, bytes = device.bytes - sage.bytes FROM sage
            WHERE digest = ? AND device.user = sage.user
            """,
            ParticipantRows.noteHighest("received", of: "sage", where: "digest = ?"),
            "DELETE FROM sage WHERE digest = ?",
        ]
        for statement in statements { try connection.run(statement, digest) }
    }
}
