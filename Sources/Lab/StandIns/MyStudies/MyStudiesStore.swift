// SPDX-License-Identifier: Apache-2.0
import Base
import Database
import Dataset
import Lab

/// What is kept for the stand-in of FDA MyStudies, in its own database, `mystudies.sqlite`: who has enrolled,
/// their runs, and the accounts' sessions and states. `MyStudiesResponseServer` and
/// `MyStudiesRegistrationServer` read and write it.
actor MyStudiesStore {
    private let connection: Connection

    init(_ location: Connection.Location) throws {
        connection = try Connection(location)
        try Schema(version: 1, Self.tables).prepare(connection)
        try connection.execute(ParticipantRows.highestNumbers)
    }

    /// Triggers count how much each participant has sent: a sum would cost more with every run. The `status` of
    /// a run is a `MyStudiesRun.Status`.
    private static let tables = """
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
        CREATE TABLE session (auth BLOB PRIMARY KEY, user TEXT NOT NULL, begun INTEGER NOT NULL) STRICT;
        CREATE TABLE userState (
            user TEXT NOT NULL, study TEXT NOT NULL COLLATE NOCASE, activity TEXT NOT NULL COLLATE NOCASE,
            data TEXT NOT NULL, PRIMARY KEY (user, study, activity)
        ) STRICT;
        CREATE TABLE forgottenToken (study TEXT NOT NULL, token TEXT NOT NULL, PRIMARY KEY (study, token)) STRICT;
        """

    /// Whose key a state has.
    private static let stateOf = "iif(json_valid(data), json_extract(data, '$.participantId'), NULL)"

    /// A participant who left has no key any more, and is known by the short name. The token of one who is erased
    /// stays, so that it cannot be used again.
    static func participantRows(of participant: String) -> ParticipantRows {
        let isTheirs = "key = ?1 OR key IS NULL AND short IN (?1, '\(MyStudiesShortName.of(participant))')"
        let runs = "participant IN (SELECT id FROM participant WHERE \(isTheirs))"
        let states = """
            SELECT user, study FROM userState
            WHERE \(stateOf) = ?1
            """
        return ParticipantRows(
            "mystudies.sqlite",
            names: ["participant": "coalesce(key, short)", "userState": "user", "userState": stateOf],
            [
                .init("session", "session", where: "user = ?1 OR user IN (SELECT user FROM (\(states)))"),
                .init("userState", "state", where: "user = ?1 OR (user, study) IN (\(states))"),
                .init(
                    "forgottenToken", nil,
                    instead: """
                        INSERT OR IGNORE INTO forgottenToken SELECT study, token FROM participant
                        WHERE (\(isTheirs)) AND token IS NOT NULL
                        """),
                ParticipantRows.highest("id", of: "run", where: runs), .init("run", "run", where: runs),
                .init("participant", "enrolment", where: isTheirs),
            ])
    }

    // MARK: Participants

    /// A new participant, known by `key`. False where the token was used in the study meanwhile. The caller has
    /// asked `isForgotten`.
    func enroll(_ key: String, study: String, token: String?, sharing: String, at now: Instant) throws -> Bool {
        let short = MyStudiesShortName.of(key)
        return try connection.run(
            """
            INSERT INTO participant (key, study, token, sharing, enrolled, short) SELECT ?1, ?2, ?3, ?4, ?5, ?6
            WHERE ?3 IS NULL OR NOT EXISTS (SELECT 1 FROM participant WHERE token = ?3 AND study = ?2)
            """, key, study, token, sharing, now.milliseconds, short) == 1
    }

    /// The participant of that key; nil where there is none, or no longer.
    func participant(_ key: String) throws -> MyStudiesParticipant? {
        try connection.first("SELECT id, study, token FROM participant WHERE key = ?", key) { row in
            MyStudiesParticipant(id: try row.int(0), key: key, study: try row.string(1), token: try row.stringOrNil(2))
        }
    }

    func isUsed(_ token: String, in study: String) throws -> Bool {
        try connection.hasRow("SELECT 1 FROM participant WHERE token = ? AND study = ?", token, study)
    }

    /// The token was deleted together with what its participant had sent: it is no longer
    /// a token of the study.
    func isForgotten(_ token: String, in study: String) throws -> Bool {
        try connection.hasRow("SELECT 1 FROM forgottenToken WHERE study = ? AND token = ?", study, token)
    }

    /// `forgetsKey`: the key no longer names a participant. `deletes`: what was sent is deleted,
    /// and the token is forgotten.
    func withdraw(_ participant: Int64, forgetsKey: Bool, deletes: Bool, at now: Instant) throws {
        try connection.transaction {
            if deletes {
                let runs = "participant = ?1"
                try connection.run(ParticipantRows.noteHighest("id", of: "run", where: runs), participant)
                try connection.run("DELETE FROM run WHERE \(runs)", participant)
                try connection.run(
                    """
                    INSERT OR IGNORE INTO forgottenToken SELECT study, token FROM participant
                    WHERE id = ? AND token IS NOT NULL
                    """, participant)
                try connection.run(
                    "UPDATE participant SET token = NULL, withdrawn = ?2 WHERE id = ?1", participant, now.milliseconds)
            }
            guard forgetsKey else { return }
            try connection.run(
                "UPDATE participant SET withdrawn = ?, key = NULL WHERE id = ?", now.milliseconds, participant)
        }
        // Where another program is reading, the log is emptied at the server's stop.
        if deletes { try? connection.emptyLog() }
    }

    /// All who have ever enrolled, the latest first; `isWithdrawnByStaff` says of a study, key and token whether
    /// the staff have withdrawn them.
    func participants(_ isWithdrawnByStaff: (String, String, String?) -> Bool) throws -> [MyStudiesPerson] {
        try connection.rows(
            """
            SELECT participant.id, participant.study, short, sharing, enrolled, withdrawn, token,
                count(run.id), count(*) FILTER (WHERE status = 0), count(*) FILTER (WHERE status = 1),
                count(*) FILTER (WHERE status = 2), max(received), key
            FROM participant LEFT JOIN run ON run.participant = participant.id
            GROUP BY participant.id ORDER BY participant.id DESC
            """
        ) { row in
            let (study, token) = (try row.string(1), try row.stringOrNil(6))
            return MyStudiesPerson(
                study: study, short: try row.string(2), sharing: try row.string(3),
                enrolled: Instant(milliseconds: try row.int(4)),
                withdrawn: try row.intOrNil(5).map(Instant.init(milliseconds:)), hasToken: token != nil,
                runs: Int(try row.int(7)), pending: Int(try row.int(8)), processed: Int(try row.int(9)),
                failed: Int(try row.int(10)), latest: try row.intOrNil(11).map(Instant.init(milliseconds:)),
                isWithdrawnByStaff: try row.stringOrNil(12).map { isWithdrawnByStaff(study, $0, token) } ?? false)
        }
    }

    /// Bytes of all runs that are kept of a participant.
    func runBytes(of participant: Int64) throws -> Int64 {
        try connection.first("SELECT bytes FROM participant WHERE id = ?", participant) { try $0.int(0) } ?? 0
    }

    // MARK: Runs

    /// Keeps a run as it came, to be checked later. Returns its number.
    func keep(
        run body: [UInt8], of participant: Int64, activity: String, version: String, at now: Instant
    ) throws -> Int64 {
        try connection.run(
            """
            INSERT INTO run (id, received, participant, activity, version, body, errors, status)
            VALUES (\(ParticipantRows.next("id", of: "run")), ?, ?, ?, ?, ?, '[]', 0)
            """, now.milliseconds, participant, activity, version, body)
        return connection.lastInsertedRow
    }

    private static let runColumns = """
        SELECT run.id, study, activity, version, body, received, status, errors, short FROM run
        JOIN participant ON participant.id = run.participant
        """

    private static func run(_ row: Row) throws -> MyStudiesRun {
        MyStudiesRun(
            id: try row.int(0), study: try row.string(1), activity: try row.string(2), version: try row.string(3),
            body: try row.bytes(4), received: Instant(milliseconds: try row.int(5)),
            status: MyStudiesRun.Status(rawValue: try row.int(6)) ?? .error,
            errors: (try JSONReader.value(row.string(7)).array ?? []).compactMap(\.string), short: try row.string(8))
    }

    /// Runs that were not checked and came no later than `latest`, oldest first; those of the
    /// future count as old, since the clock has stepped.
    func pending(until latest: Instant, now: Instant) throws -> [MyStudiesRun] {
        try connection.rows(
            Self.runColumns + " WHERE status = 0 AND (received <= ? OR received > ?) ORDER BY run.id LIMIT 1000",
            latest.milliseconds, now.milliseconds, read: Self.run)
    }

    /// A participant's runs without mistakes, oldest first.
    func processed(of participant: Int64, limit: Int) throws -> [MyStudiesRun] {
        try connection.rows(
            Self.runColumns + " WHERE participant = ? AND status = 1 ORDER BY run.id LIMIT ?", participant, limit,
            read: Self.run)
    }

    /// At least one run of the activity was without mistakes.
    func hasProcessed(_ activity: String, of study: String) throws -> Bool {
        try connection.hasRow(Self.runColumns + " WHERE study = ? AND activity = ? AND status = 1", study, activity)
    }

    /// Notes that a pending run was checked. One that has been checked meanwhile, or deleted,
    /// stays as it is.
    func finish(_ run: Int64, errors: [String]) throws {
        try connection.run(
            "UPDATE run SET status = ?, errors = ? WHERE id = ? AND status = 0", errors.isEmpty ? 1 : 2,
            JSONValue.array(errors.map(JSONValue.string)).text, run)
    }

    func runs() throws -> [MyStudiesRun] { try connection.rows(Self.runColumns + " ORDER BY run.id", read: Self.run) }

    /// The latest runs of a study that were found wrong, the latest first.
    func failedRuns(of study: String, limit: Int) throws -> [MyStudiesRun] {
        try connection.rows(
            Self.runColumns + " WHERE status = 2 AND study = ? ORDER BY run.id DESC LIMIT ?", study, limit,
            read: Self.run)
    }

    /// How many runs of each version of an activity came, and from how many participants.
    func counts() throws -> [MyStudiesCount] {
        try connection.rows(
            """
            SELECT study, activity, version, count(*), count(DISTINCT participant) FROM run
            JOIN participant ON participant.id = run.participant GROUP BY study, activity, version ORDER BY 1, 2, 3
            """
        ) { row in
            MyStudiesCount(
                study: try row.string(0), activity: try row.string(1), version: try row.string(2),
                runs: Int(try row.int(3)), participants: Int(try row.int(4)))
        }
    }

    // MARK: Accounts

    /// A session that has begun. Only a digest of its secret is kept; those that began up to
    /// `end` are over, and forgotten.
    func begin(session auth: [UInt8], user: String, at now: Instant, forgetting end: Instant) throws {
        try connection.run("DELETE FROM session WHERE begun <= ?", end.milliseconds)
        try connection.run("INSERT INTO session VALUES (?, ?, ?)", auth, user, now.milliseconds)
    }

    /// The user of the session and when it began; nil for an unknown secret.
    func session(_ auth: [UInt8]) throws -> (user: String, begun: Instant)? {
        try connection.first("SELECT user, begun FROM session WHERE auth = ?", auth) { row in
            (try row.string(0), Instant(milliseconds: try row.int(1)))
        }
    }

    /// What is kept of a user's study, and of an activity in it: with an empty activity, of
    /// the study itself.
    func userState(_ user: String, study: String, activity: String) throws -> JSONValue? {
        try connection.first(
            "SELECT data FROM userState WHERE user = ? AND study = ? AND activity = ?", user, study, activity
        ) { try JSONReader.value($0.string(0)) }
    }

    /// Bytes of everything that is kept of a user's studies and activities.
    func stateBytes(of user: String) throws -> Int64 {
        try connection.first(
            "SELECT coalesce(sum(length(CAST(data AS BLOB))), 0) FROM userState WHERE user = ?", user
        ) { try $0.int(0) } ?? 0
    }

    func keep(userState data: JSONValue, of user: String, study: String, activity: String) throws {
        try connection.run(
            """
            INSERT INTO userState VALUES (?, ?, ?, ?)
            ON CONFLICT (user, study, activity) DO UPDATE SET data = excluded.data
            """, user, study, activity, data.text)
    }

    func userStudies(_ user: String) throws -> [JSONValue] {
        try connection.rows("SELECT data FROM userState WHERE user = ? AND activity = '' ORDER BY study", user) {
            try JSONReader.value($0.string(0))
        }
    }

    func forgetActivities(of user: String, study: String) throws {
        try connection.run("DELETE FROM userState WHERE user = ? AND study = ? AND activity <> ''", user, study)
        try? connection.emptyLog()
    }

    /// Everything that is kept of users, for people: by user, study and activity.
    func userStates() throws -> [JSONValue] {
        try connection.rows("SELECT user, study, activity, data FROM userState ORDER BY user, study, activity") { row in
            .members([
                "userId": .string(try row.string(0)), "studyId": .string(try row.string(1)),
                "activityId": .string(try row.string(2)), "state": try JSONReader.value(row.string(3)),
            ])
        }
    }
}
