// SPDX-License-Identifier: Apache-2.0
import Database
import Times

extension Archive {
    /// Tables of the stand-in for FDA MyStudies.
    static let mystudies = Migrations.Step(
        "participants and runs of FDA MyStudies",
        """
        CREATE TABLE participant (
            id INTEGER PRIMARY KEY, key TEXT UNIQUE, study TEXT NOT NULL, token TEXT, sharing TEXT NOT NULL,
            enrolled INTEGER NOT NULL, withdrawn INTEGER
        ) STRICT;
        CREATE INDEX participantByToken ON participant (token);
        CREATE TABLE run (
            id INTEGER PRIMARY KEY, received INTEGER NOT NULL, participant INTEGER NOT NULL REFERENCES participant (id),
            activity TEXT NOT NULL, version TEXT NOT NULL, body BLOB NOT NULL, errors TEXT NOT NULL
        ) STRICT;
        """)

    /// A new participant, known by `key`.
    func enroll(_ key: String, study: String, token: String?, sharing: String, at now: Instant) throws {
        try connection.run(
            "INSERT INTO participant (key, study, token, sharing, enrolled) VALUES (?, ?, ?, ?, ?)", key, study, token,
            sharing, now.milliseconds)
    }

    /// The study of a participant; nil where nobody has that key, or no longer.
    func participant(_ key: String) throws -> String? {
        try connection.first("SELECT study FROM participant WHERE key = ?", key) { try $0.string(0) }
    }

    /// Somebody has enrolled with it.
    func isUsed(_ token: String) throws -> Bool {
        try connection.first("SELECT count(*) FROM participant WHERE token = ?", token) { try $0.int(0) } ?? 0 > 0
    }

    /// False where nobody has that key. What is deleted includes the use of the token.
    func withdraw(_ key: String, deletes: Bool, at now: Instant) throws -> Bool {
        guard try participant(key) != nil else { return false }
        try connection.transaction {
            if deletes {
                try connection.run(
                    "DELETE FROM run WHERE participant = (SELECT id FROM participant WHERE key = ?)", key)
                try connection.run("UPDATE participant SET token = NULL WHERE key = ?", key)
            }
            try connection.run("UPDATE participant SET withdrawn = ?, key = NULL WHERE key = ?", now.milliseconds, key)
        }
        return true
    }

    /// Keeps a run as it came, with what is wrong in it.
    func keep(
        run body: [UInt8], of key: String, activity: String, version: String, errors: [String], at now: Instant
    ) throws {
        try connection.run(
            """
            INSERT INTO run (received, participant, activity, version, body, errors)
            VALUES (?, (SELECT id FROM participant WHERE key = ?), ?, ?, ?, ?)
            """, now.milliseconds, key, activity, version, body, JSONValue.array(errors.map(JSONValue.string)).text)
    }

    /// Every run, oldest first: activity, version, its JSON and what was wrong.
    func runs() throws -> [JSONValue] {
        try connection.rows(
            """
            SELECT activity, version, body, errors, received, study FROM run JOIN participant
            ON participant.id = run.participant ORDER BY run.id
            """
        ) { row in
            let body = String(decoding: try row.bytes(2), as: UTF8.self)
            return .members([
                "study": .string(try row.string(5)), "activity": .string(try row.string(0)),
                "version": .string(try row.string(1)), "received": .int(try row.int(4)),
                "status": .string(try row.string(3) == "[]" ? "Processed" : "Error"),
                "errors": (try? JSONReader.value(row.string(3))) ?? .null,
                "body": (try? JSONReader.value(body, depthLimit: 64)) ?? .null,
            ])
        }
    }
}
