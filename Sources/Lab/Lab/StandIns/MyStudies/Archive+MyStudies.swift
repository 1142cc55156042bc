// SPDX-License-Identifier: Apache-2.0
import Base
import Database
import SystemKit

extension Archive {
    /// Tables of the stand-in for FDA MyStudies. How much each participant has sent is counted as
    /// it comes: a sum would cost more with every run.
    static let mystudiesTables = """
        CREATE TABLE participant (
            id INTEGER PRIMARY KEY, key TEXT UNIQUE, study TEXT NOT NULL, token TEXT, sharing TEXT NOT NULL,
            enrolled INTEGER NOT NULL, withdrawn INTEGER, short TEXT NOT NULL, bytes INTEGER NOT NULL DEFAULT 0
        ) STRICT;
        CREATE INDEX participantByToken ON participant (token);
        CREATE TABLE run (
            id INTEGER PRIMARY KEY, received INTEGER NOT NULL, participant INTEGER NOT NULL REFERENCES participant (id),
            activity TEXT NOT NULL, version TEXT NOT NULL, body BLOB NOT NULL, errors TEXT NOT NULL,
            status INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX runByStatus ON run (status);
        CREATE INDEX runOfParticipant ON run (participant);
        CREATE TRIGGER run_comes AFTER INSERT ON run BEGIN
            UPDATE participant SET bytes = bytes + length(NEW.body) WHERE id = NEW.participant; END;
        CREATE TRIGGER run_goes AFTER DELETE ON run BEGIN
            UPDATE participant SET bytes = bytes - length(OLD.body) WHERE id = OLD.participant; END;
        CREATE TABLE list (
            id INTEGER PRIMARY KEY, study TEXT NOT NULL, name TEXT NOT NULL COLLATE NOCASE, parent TEXT,
            columns TEXT NOT NULL, UNIQUE (study, name)
        ) STRICT;
        CREATE TABLE listRow (
            id INTEGER PRIMARY KEY, list INTEGER NOT NULL REFERENCES list (id),
            participant INTEGER NOT NULL REFERENCES participant (id), parent INTEGER, created INTEGER NOT NULL,
            data TEXT NOT NULL
        ) STRICT;
        CREATE INDEX rowOfParticipant ON listRow (list, participant);
        CREATE TABLE studyVersion (
            study TEXT NOT NULL, version TEXT NOT NULL, consent TEXT NOT NULL, activities TEXT NOT NULL,
            resources TEXT NOT NULL, info TEXT NOT NULL, PRIMARY KEY (study, version)
        ) STRICT;
        CREATE TABLE session (
            auth BLOB PRIMARY KEY, refresh BLOB NOT NULL UNIQUE, user TEXT NOT NULL, begun INTEGER NOT NULL
        ) STRICT;
        CREATE TABLE userState (
            user TEXT NOT NULL, study TEXT NOT NULL COLLATE NOCASE, activity TEXT NOT NULL COLLATE NOCASE,
            data TEXT NOT NULL, PRIMARY KEY (user, study, activity)
        ) STRICT;
        CREATE TABLE forgottenToken (study TEXT NOT NULL, token TEXT NOT NULL, PRIMARY KEY (study, token)) STRICT;
        """

    /// Bytes of all runs that are kept of a participant.
    func runBytes(of participant: Int64) throws -> Int64 {
        try connection.first("SELECT bytes FROM participant WHERE id = ?", participant) { try $0.int(0) } ?? 0
    }

    /// A new participant, known by `key`. False where somebody has enrolled in the study with that
    /// token meanwhile.
    func enroll(_ key: String, study: String, token: String?, sharing: String, at now: Instant) throws -> Bool {
        // What the page may show: says nothing of the key, which is a secret.
        let short = String(try Digest(ofText: "participant " + key).description.prefix(6))
        return try connection.run(
            """
            INSERT INTO participant (key, study, token, sharing, enrolled, short) SELECT ?1, ?2, ?3, ?4, ?5, ?6
            WHERE ?3 IS NULL OR NOT EXISTS (SELECT 1 FROM participant WHERE token = ?3 AND study = ?2)
            """, key, study, token, sharing, now.milliseconds, short) == 1
    }

    /// The participant of that key; nil where nobody has it, or no longer.
    func participant(_ key: String) throws -> MyStudiesParticipant? {
        try connection.first("SELECT id, study, token FROM participant WHERE key = ?", key) { row in
            MyStudiesParticipant(id: try row.int(0), key: key, study: try row.string(1), token: try row.stringOrNil(2))
        }
    }

    /// Somebody has enrolled in the study with it.
    func isUsed(_ token: String, in study: String) throws -> Bool {
        try connection.first("SELECT count(*) FROM participant WHERE token = ? AND study = ?", token, study) {
            try $0.int(0)
        } ?? 0 > 0
    }

    /// The token was deleted together with what its participant had sent: it is a token of
    /// the study no more.
    func isForgotten(_ token: String, in study: String) throws -> Bool {
        try connection.first("SELECT count(*) FROM forgottenToken WHERE study = ? AND token = ?", study, token) {
            try $0.int(0)
        } ?? 0 > 0
    }

    /// `forgetsKey`: the key means nobody any more. `deletes`: what was sent is gone too, and
    /// so is the token.
    func withdraw(_ participant: Int64, forgetsKey: Bool, deletes: Bool, at now: Instant) throws {
        try connection.transaction {
            if deletes {
                try connection.run("DELETE FROM listRow WHERE participant = ?", participant)
                try connection.run("DELETE FROM run WHERE participant = ?", participant)
                try connection.run(
                    """
                    INSERT OR IGNORE INTO forgottenToken SELECT study, token FROM participant
                    WHERE id = ? AND token IS NOT NULL
                    """, participant)
                try connection.run("UPDATE participant SET token = NULL WHERE id = ?", participant)
            }
            guard forgetsKey else { return }
            try connection.run(
                "UPDATE participant SET withdrawn = ?, key = NULL WHERE id = ?", now.milliseconds, participant)
        }
    }

    // MARK: Runs

    /// Keeps a run as it came, to be looked at later. Returns its number.
    func keep(
        run body: [UInt8], of participant: Int64, activity: String, version: String, at now: Instant
    ) throws -> Int64 {
        try connection.run(
            """
            INSERT INTO run (received, participant, activity, version, body, errors, status)
            VALUES (?, ?, ?, ?, ?, '[]', 0)
            """, now.milliseconds, participant, activity, version, body)
        return connection.lastInsertedRow
    }

    /// Runs that nobody has looked at and that came no later than `latest`, oldest first; those of
    /// the future count as old, since the clock has stepped.
    func pending(until latest: Instant, now: Instant) throws -> [MyStudiesRun] {
        try connection.rows(
            """
            SELECT run.id, participant, study, activity, version, body, received FROM run
            JOIN participant ON participant.id = run.participant
            WHERE status = 0 AND (received <= ? OR received > ?) ORDER BY run.id LIMIT 1000
            """, latest.milliseconds, now.milliseconds
        ) { row in
            MyStudiesRun(
                id: try row.int(0), participant: try row.int(1), study: try row.string(2), activity: try row.string(3),
                version: try row.string(4), body: try row.bytes(5), received: Instant(milliseconds: try row.int(6)))
        }
    }

    /// Notes that a pending run was looked at: with errors nothing is written but they; without,
    /// its rows are. A run that has been looked at meanwhile, or deleted, stays as it is.
    func finish(_ run: MyStudiesRun, errors: [String], rows: [MyStudiesRows.Row], at now: Instant) throws {
        try connection.transaction {
            let changed = try connection.run(
                "UPDATE run SET status = ?, errors = ? WHERE id = ? AND status = 0", errors.isEmpty ? 1 : 2,
                JSONValue.array(errors.map(JSONValue.string)).text, run.id)
            guard changed == 1, errors.isEmpty else { return }
            var ids: [Int64] = []
            for row in rows {
                try connection.run(
                    """
                    INSERT INTO listRow (list, participant, parent, created, data)
                    VALUES ((SELECT id FROM list WHERE study = ? AND name = ?), ?, ?, ?, ?)
                    """, run.study, row.list, run.participant, row.parent.map { ids[$0] }, now.milliseconds,
                    JSONValue.object(row.values).text)
                ids.append(connection.lastInsertedRow)
            }
        }
    }

    /// Every run, oldest first: activity, version, its JSON and what was wrong.
    func runs() throws -> [JSONValue] {
        try connection.rows(
            """
            SELECT activity, version, body, errors, received, study, status, short FROM run JOIN participant
            ON participant.id = run.participant ORDER BY run.id
            """
        ) { row in
            let body = String(decoding: try row.bytes(2), as: UTF8.self)
            return .members([
                "study": .string(try row.string(5)), "activity": .string(try row.string(0)),
                "version": .string(try row.string(1)), "received": .int(try row.int(4)),
                "status": .string(MyStudiesRun.Status(rawValue: try row.int(6))?.word ?? ""),
                "errors": (try? JSONReader.value(row.string(3))) ?? .null,
                "body": (try? JSONReader.value(body, depthLimit: 64)) ?? .null,
                "participant": .string(try row.string(7)),
            ])
        }
    }

    // MARK: Versions

    /// A study's version as it was first seen.
    func fingerprint(of study: String, version: String) throws -> MyStudiesFingerprint? {
        try connection.first(
            "SELECT consent, activities, resources, info FROM studyVersion WHERE study = ? AND version = ?", study,
            version
        ) { row in
            MyStudiesFingerprint(
                consent: try row.string(0), activities: try row.string(1), resources: try row.string(2),
                info: try row.string(3))
        }
    }

    /// Keeps a version that was not known.
    func remember(_ print: MyStudiesFingerprint, of study: String, version: String) throws {
        try connection.run(
            "INSERT OR IGNORE INTO studyVersion VALUES (?, ?, ?, ?, ?, ?)", study, version, print.consent,
            print.activities, print.resources, print.info)
    }
}

/// Who has enrolled, as long as the key is theirs.
struct MyStudiesParticipant: Sendable {
    let id: Int64
    /// The `appToken`, a secret.
    let key: String
    /// In capitals.
    let study: String
    let token: String?
}

/// A run as it was sent.
struct MyStudiesRun: Sendable {
    /// What the Response server has made of it.
    enum Status: Int64, Sendable, CaseIterable {
        case pending, processed, error
        var word: String { ["Pending", "Processed", "Error"][Int(rawValue)] }
    }

    let id: Int64
    let participant: Int64
    let study: String
    let activity: String
    let version: String
    let body: [UInt8]
    let received: Instant
}

extension Quota {
    /// For a run of MyStudies: its participants are known by keys, not by devices.
    func admit(_ bytes: Int64, ofParticipant id: Int64) async throws {
        try check(bytes, beside: try await archive.runBytes(of: id), of: "participant", perDevice)
    }

    /// For what the registration server keeps of an account: states of studies and activities,
    /// which are small.
    func admit(_ bytes: Int64, ofAccount user: String) async throws {
        try check(bytes, beside: try await archive.stateBytes(of: user), of: "account", min(perDevice, 16 << 20))
    }
}
