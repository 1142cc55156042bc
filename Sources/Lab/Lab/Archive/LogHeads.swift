// SPDX-License-Identifier: Apache-2.0
import Base
import Database

/// Watches the event logs of devices grow. Each upload says where its device's log ends (`Studyd-Log`), and
/// what was said once has to stay true: a log that lost its end, or was rewritten with hashes that fit, is
/// found out by a server that remembers its heads. `LogRoutes` notes what requests say; pages show the alarms.
///
///     Studyd-Log: <log> <number>:<hash> <number>:<hash> …
///
/// The first pair is the row that began the upload. The next three, fewer in a young log, began the
/// uploads before it, with none left out; further ones began uploads that are still under way, or
/// the last that ended with a delivery. Everything is in hexadecimal but the numbers. A head is a row that was
/// reported so.
actor LogHeads {
    /// Something that cannot be if the log was not touched, and nothing of it was lost.
    struct Alarm: Sendable, Hashable {
        let log: String
        let received: Instant
        /// The user the log belongs to, where a file's upload has said so.
        let user: String
        let text: String
    }

    struct Log: Sendable, Hashable {
        let log: String
        let user: String
        let sequence: Int64
        /// When anything of it was last reported.
        let received: Instant
    }

    private let connection: Connection
    /// This many heads of a log are remembered.
    private static let kept: Int64 = 5000
    /// A hostile client cannot fill the disk with logs. Where there are too many, one with the
    /// fewest heads makes room.
    private static let mostLogs = 10_000
    /// The most logs of one client's address, so that none pushes out the logs of others.
    static let mostLogsOfOne = 500
    private static let alarmsKept = 1000

    struct Row: Sendable, Hashable {
        let sequence: Int64
        let hash: String
    }

    /// One field `Studyd-Log`, its rows newest first; nil where it has another form.
    struct Claim: Sendable, Hashable {
        let log: String
        let rows: [Row]

        init?(_ field: String) {
            guard field.utf8.count <= 2000 else { return nil }
            let words = field.split(separator: " ")
            guard (2...32).contains(words.count), Self.isHash(words[0]) else { return nil }
            var rows: [Row] = []
            for word in words.dropFirst() {
                let parts = word.split(separator: ":")
                guard parts.count == 2, let sequence = Int64(parts[0]), sequence > 0, Self.isHash(parts[1]),
                    rows.last.map({ $0.sequence > sequence }) ?? true
                else { return nil }
                rows.append(Row(sequence: sequence, hash: String(parts[1])))
            }
            log = String(words[0])
            self.rows = rows
        }

        private static func isHash(_ text: Substring) -> Bool {
            (16...64).contains(text.utf8.count) && text.allSatisfy { $0.isHexDigit && $0.isASCII }
        }
    }

    init(_ location: Connection.Location) throws {
        connection = try Connection(location)
        try Schema(
            version: 1,
            """
            CREATE TABLE log (
                log TEXT PRIMARY KEY, user TEXT NOT NULL, began INTEGER NOT NULL, client TEXT NOT NULL) STRICT;
            CREATE INDEX logOfUser ON log (user);
            CREATE INDEX logOfClient ON log (client);
            CREATE TABLE head (
                log TEXT NOT NULL, sequence INTEGER NOT NULL, hash TEXT NOT NULL, received INTEGER NOT NULL,
                PRIMARY KEY (log, sequence)) STRICT;
            CREATE TABLE alarm (
                id INTEGER PRIMARY KEY, log TEXT NOT NULL, received INTEGER NOT NULL, text TEXT NOT NULL,
                UNIQUE (log, text)) STRICT;
            CREATE TABLE compliance (log TEXT PRIMARY KEY, received INTEGER NOT NULL, text TEXT NOT NULL) STRICT;
            """
        ).prepare(connection)
    }

    static let participantRows: ParticipantRows = {
        let isTheirs = "log IN (SELECT log FROM log WHERE user = ?1)"
        return ParticipantRows(
            "log-heads.sqlite", names: ["log": "user"],
            [
                .init("head", "log head", where: isTheirs), .init("compliance", "figure", where: isTheirs),
                .init("alarm", "alarm", where: isTheirs), .init("log", "event log"),
            ])
    }()

    /// Takes in what an upload says in `field`, its `Studyd-Log`; one that cannot be read is passed over. `client` is
    /// the address that it came from.
    /// Returns what can be confirmed: the newest row of a log that fits what was said before.
    @discardableResult
    func record(_ field: String?, user: String?, from client: String = "", at now: Instant) throws -> Claim? {
        guard let claim = field.flatMap(Claim.init) else { return nil }
        return try connection.transaction {
            guard try admit(claim.log, user: user.map { String($0.prefix(DeviceName.longest)) }, client, at: now) else {
                return nil
            }
            let problems = try contradictions(claim)
            for text in problems { try alarm(text, claim.log, now) }
            for row in claim.rows {
                try connection.run(
                    "INSERT OR IGNORE INTO head VALUES (?, ?, ?, ?)", claim.log, row.sequence, row.hash,
                    now.milliseconds)
            }
            try connection.run(
                """
                DELETE FROM head WHERE log = ?1 AND sequence <
                (SELECT sequence FROM head WHERE log = ?1 ORDER BY sequence DESC LIMIT 1 OFFSET ?2)
                """, values: [claim.log, Self.kept] as [any DatabaseBindable])
            return problems.isEmpty ? claim : nil
        }
    }

    /// Notes how the prompts of the device with that log went; what cannot be read is passed over.
    func record(compliance text: String?, of field: String?, at now: Instant) throws {
        guard let claim = field.flatMap(Claim.init), let text, ComplianceDays(text) != nil,
            try connection.hasRow("SELECT 1 FROM log WHERE log = ?", claim.log)
        else { return }
        try connection.run("INSERT OR REPLACE INTO compliance VALUES (?, ?, ?)", claim.log, now.milliseconds, text)
    }

    /// The figures of that participant's latest log; nil where none has any.
    func compliance(of user: String) throws -> ComplianceDays? {
        try connection.first(
            "SELECT text FROM compliance JOIN log USING (log) WHERE user = ? ORDER BY received DESC LIMIT 1", user
        ) { try $0.string(0) }.flatMap(ComplianceDays.init)
    }

    /// The figures of all participants, of each the latest.
    func compliances() throws -> [String: String] {
        let rows = try connection.rows(
            "SELECT user, text FROM compliance JOIN log USING (log) WHERE user <> '' ORDER BY received"
        ) { (try $0.string(0), try $0.string(1)) }
        return Dictionary(rows) { _, last in last }
    }

    /// Whose log it is, as an upload has said; nil where none has.
    func owner(of field: String) throws -> String? {
        guard let claim = Claim(field) else { return nil }
        let user = try connection.first("SELECT user FROM log WHERE log = ?", claim.log) { try $0.string(0) }
        return user.flatMap { $0.isEmpty ? nil : $0 }
    }

    private static let copies = "or two devices go on from copies of one card (enrol one of them again)"

    /// What in the claim contradicts what was reported before, in words; empty = nothing.
    private func contradictions(_ claim: Claim) throws -> [String] {
        var found: [String] = []
        for row in claim.rows {
            let known = try connection.first(
                "SELECT hash FROM head WHERE log = ? AND sequence = ?", claim.log, row.sequence
            ) { try $0.string(0) }
            guard let known, known != row.hash else { continue }
            found.append(
                "row \(row.sequence) differs from when it was first reported: the log was rewritten, \(Self.copies)")
        }
        guard found.isEmpty, let head = claim.rows.first else { return found }
        let newest =
            try connection.first(
                "SELECT max(sequence) FROM head WHERE log = ?", claim.log
            ) { try $0.intOrNil(0) } ?? nil
        guard let newest else { return [] }
        if head.sequence < newest {
            let isKnown = try connection.hasRow(
                "SELECT 1 FROM head WHERE log = ? AND sequence = ?", claim.log, head.sequence)
            // Each request of an upload repeats what its first one said, also after another upload began.
            let text =
                "it ends at row \(head.sequence) but had reached row \(newest): its end is missing, \(Self.copies)"
            return isKnown ? [] : [text]
        }
        // The first four rows have no gap between them (see the type): the newest known row is one of them
        // unless it is older than all four. Fewer than four are all rows that ever began an upload.
        let rows = claim.rows.prefix(4).map(\.sequence)
        if rows.count < 4 || newest > rows[3], !rows.contains(newest) {
            return ["row \(newest), reported before, is missing: rows were lost or rewritten"]
        }
        return []
    }

    /// Notes a log that is new, and whose it is; false where that client has reported too many logs for one
    /// more. A participant whose device begins another log raises an alarm.
    private func admit(_ log: String, user: String?, _ client: String, at now: Instant) throws -> Bool {
        let known = try connection.first("SELECT user FROM log WHERE log = ?", log) { try $0.string(0) }
        if known == nil {
            guard try count("client = ?1", client) < Self.mostLogsOfOne else { return false }
            // `?1 = ?1` is true of every row.
            if try count("?1 = ?1", "") >= Self.mostLogs { try forgetLeast() }
            try connection.run(
                "INSERT INTO log (log, user, began, client) VALUES (?, '', ?, ?)", log, now.milliseconds, client)
        }
        guard let user, !user.isEmpty, (known ?? "").isEmpty else { return true }
        let others = try connection.rows("SELECT log FROM log WHERE user = ? AND log <> ?", user, log) {
            try $0.string(0)
        }
        try connection.run("UPDATE log SET user = ? WHERE log = ?", user, log)
        if let other = others.last {
            try alarm(
                "participant \(user) has a new log; the one before was \(other.prefix(8)): another device, or the old log is gone",
                log, now)
        }
        return true
    }

    private func count(_ condition: String, _ value: String) throws -> Int {
        Int(try connection.first("SELECT count(*) FROM log WHERE \(condition)", value) { try $0.int(0) } ?? 0)
    }

    /// The log with the fewest reported rows, the oldest of these.
    private func forgetLeast() throws {
        let least = try connection.first(
            """
            SELECT log.log FROM log LEFT JOIN head USING (log) GROUP BY log.log ORDER BY count(head.log), began LIMIT 1
            """
        ) { try $0.string(0) }
        guard let least else { return }
        for table in ["head", "compliance", "alarm", "log"] {
            try connection.run("DELETE FROM \(table) WHERE log = ?", least)
        }
    }

    /// Notes an alarm. Beyond a thousand, the oldest of the client with the most is deleted.
    private func alarm(_ text: String, _ log: String, _ now: Instant) throws {
        try connection.run(
            "INSERT OR IGNORE INTO alarm (log, received, text) VALUES (?, ?, ?)", log, now.milliseconds, text)
        try connection.run(
            """
            DELETE FROM alarm WHERE (SELECT count(*) FROM alarm) > ?1 AND id = (
                SELECT min(id) FROM alarm JOIN log USING (log) WHERE client = (
                    SELECT client FROM alarm JOIN log USING (log) GROUP BY client ORDER BY count(*) DESC LIMIT 1))
            """, Self.alarmsKept)
    }

    /// Newest first.
    func alarms() throws -> [Alarm] {
        try connection.rows("SELECT log, received, user, text FROM alarm JOIN log USING (log) ORDER BY id DESC") {
            row in
            Alarm(
                log: try row.string(0), received: Instant(milliseconds: try row.int(1)), user: try row.string(2),
                text: try row.string(3))
        }
    }

    /// The log that was last heard of comes first.
    func logs() throws -> [Log] {
        try connection.rows(
            """
            SELECT log, user, max(sequence), max(received) FROM log JOIN head USING (log) GROUP BY log
            ORDER BY max(received) DESC LIMIT 1000
            """
        ) { row in
            Log(
                log: try row.string(0), user: try row.string(1), sequence: try row.int(2),
                received: Instant(milliseconds: try row.int(3)))
        }
    }
}
