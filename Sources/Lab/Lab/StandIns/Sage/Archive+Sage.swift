// SPDX-License-Identifier: Apache-2.0
import Base
import Database

extension Archive {
    /// Archives of SageResearch, counted with the device that sent them.
    static let sageTables = """
        CREATE TABLE sage (
            digest TEXT PRIMARY KEY, user TEXT NOT NULL, received INTEGER NOT NULL, bytes INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE TRIGGER sageCounted AFTER INSERT ON sage BEGIN
            INSERT INTO device VALUES (NEW.user, NEW.received, 0, 0, 0, 0, 1, 0, NEW.bytes)
            ON CONFLICT (user) DO UPDATE SET contact = max(contact, excluded.contact), files = files + 1,
                bytes = bytes + excluded.bytes;
        END;
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
