// SPDX-License-Identifier: Apache-2.0
import Base
import Database
import SystemKit

/// The codes that the lab gave out (`study-receiver devices codes`), as SHA-256: each is good for one key of
/// one participant, once, until its time is over. In `devices.sqlite`; belongs to `DeviceKeys`.
struct EnrolmentCodes {
    /// A code that was not used yet; its digits are not known here.
    struct Open: Sendable, Hashable {
        let user: String
        let until: Instant
    }

    private let connection: Connection

    init(_ connection: Connection) throws {
        self.connection = connection
        try connection.execute(
            """
            CREATE TABLE IF NOT EXISTS code (
                digest BLOB PRIMARY KEY, user TEXT NOT NULL, until INTEGER NOT NULL
            ) STRICT, WITHOUT ROWID
            """)
    }

    func add(_ code: EnrolmentCode, for user: String, until: Instant) throws {
        try connection.run(
            "INSERT INTO code VALUES (?, ?, ?)", Digest.sha256(Array(code.text.utf8)), user, until.milliseconds)
    }

    /// Uses the code up; false where the participant has no such code, or its time is over. Deletes all expired
    /// codes.
    func redeem(_ code: EnrolmentCode, for user: String, at now: Instant) throws -> Bool {
        let digest = Digest.sha256(Array(code.text.utf8))
        try connection.run("DELETE FROM code WHERE until < ?", now.milliseconds)
        return try connection.run("DELETE FROM code WHERE digest = ? AND user = ?", digest, user) == 1
    }

    /// By participant, then by when they end.
    func open(at now: Instant) throws -> [Open] {
        try connection.rows("SELECT user, until FROM code WHERE until >= ? ORDER BY user, until", now.milliseconds) {
            Open(user: try $0.string(0), until: Instant(milliseconds: try $0.int(1)))
        }
    }

    func withdraw(_ user: String) throws { try connection.run("DELETE FROM code WHERE user = ?", user) }
}
