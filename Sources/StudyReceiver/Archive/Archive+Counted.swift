// SPDX-License-Identifier: Apache-2.0
import Database
import Times

/// What comes without an upload of its own, counted with the device that sent it.
extension Archive {
    static let counted = """
        CREATE TABLE sage (
            digest TEXT PRIMARY KEY, user TEXT NOT NULL, received INTEGER NOT NULL, bytes INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE TRIGGER sageCounted AFTER INSERT ON sage BEGIN
            INSERT INTO device VALUES (NEW.user, NEW.received, 0, 0, 0, 0, 1, 0, NEW.bytes)
            ON CONFLICT (user) DO UPDATE SET contact = max(contact, excluded.contact), files = files + 1,
                bytes = bytes + excluded.bytes;
        END;
        CREATE TABLE enrolled (
            user TEXT PRIMARY KEY, enrolment TEXT NOT NULL, study TEXT NOT NULL, moment INTEGER, channels TEXT NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE covered (
            user TEXT NOT NULL, kind TEXT NOT NULL, reason TEXT NOT NULL, milliseconds INTEGER NOT NULL,
            PRIMARY KEY (user, kind, reason)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE coveredSpan (
            user TEXT NOT NULL, kind TEXT NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL,
            PRIMARY KEY (user, kind)
        ) STRICT, WITHOUT ROWID;
        """

    /// Whether an archive of SageResearch is here.
    func hasSage(_ digest: String) throws -> Bool {
        try connection.first("SELECT 1 FROM sage WHERE digest = ?", digest) { try $0.int(0) } != nil
    }

    /// Counts an archive of SageResearch, once.
    func noteSage(_ digest: String, bytes: Int64, of user: String, at now: Instant) throws {
        try connection.run(
            "INSERT OR IGNORE INTO sage VALUES (?, ?, ?, ?)", digest, user, now.milliseconds, bytes)
    }
}
