// SPDX-License-Identifier: Apache-2.0
import Database
import Lab

/// What is kept for the stand-in of ESMira, in its own database, `esmira.sqlite`; `ESMiraAPI` and
/// `ESMiraRoutes` read and write it by `ESMiraTables`.
actor ESMiraStore {
    private let connection: Connection

    init(_ location: Connection.Location) throws {
        connection = try Connection(location)
        try Schema(version: 1, ESMiraTables.definition).prepare(connection)
        try connection.execute(ParticipantRows.highestNumbers)
    }

    /// Does something with the tables, wholly or not at all.
    func transaction<Value: Sendable>(_ body: @Sendable (ESMiraTables) throws -> Value) throws -> Value {
        try connection.transaction { try body(ESMiraTables(connection)) }
    }
}

/// The tables, within a transaction: the only place that reads and writes them.
struct ESMiraTables {
    private let connection: Connection

    fileprivate init(_ connection: Connection) { self.connection = connection }

    /// A table's rows are in `esmiraRow`, its cells in the order of `esmiraTable.columns`. `esmiraAwaited` are sound
    /// files that are still to come, `esmiraAnswer` values that the statistics count. Times are in Unix ms.
    fileprivate static let definition = """
        CREATE TABLE esmiraTable (
            study INTEGER NOT NULL, file TEXT NOT NULL, columns TEXT NOT NULL, PRIMARY KEY (study, file)
        ) STRICT;
        CREATE TABLE esmiraRow (
            id INTEGER PRIMARY KEY, study INTEGER NOT NULL, file TEXT NOT NULL, user TEXT NOT NULL, cells TEXT NOT NULL
        ) STRICT;
        CREATE INDEX esmiraRowOfFile ON esmiraRow (study, file, id);
        CREATE TABLE esmiraUser (
            study INTEGER NOT NULL, user TEXT NOT NULL, number INTEGER NOT NULL, joined INTEGER NOT NULL,
            handled INTEGER, datasets INTEGER NOT NULL, grouped INTEGER NOT NULL, counts TEXT NOT NULL,
            rewarded INTEGER NOT NULL, app TEXT NOT NULL, bytes INTEGER NOT NULL, PRIMARY KEY (study, user)
        ) STRICT;
        CREATE TABLE esmiraAwaited (
            study INTEGER NOT NULL, user TEXT NOT NULL, identifier INTEGER NOT NULL, name TEXT NOT NULL,
            PRIMARY KEY (study, user, identifier)
        ) STRICT;
        CREATE TABLE esmiraFile (
            id INTEGER PRIMARY KEY, study INTEGER NOT NULL, user TEXT NOT NULL, name TEXT NOT NULL,
            received INTEGER NOT NULL, content BLOB NOT NULL
        ) STRICT;
        CREATE TABLE esmiraMessage (
            id INTEGER PRIMARY KEY, study INTEGER NOT NULL, user TEXT NOT NULL, sender TEXT NOT NULL,
            content TEXT NOT NULL, sent INTEGER NOT NULL, pending INTEGER NOT NULL, delivered INTEGER NOT NULL,
            read INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX esmiraMessageOf ON esmiraMessage (study, user);
        CREATE TABLE esmiraAnswer (
            id INTEGER PRIMARY KEY, study INTEGER NOT NULL, entry TEXT NOT NULL, time INTEGER NOT NULL,
            answer TEXT NOT NULL
        ) STRICT;
        CREATE INDEX esmiraAnswerOf ON esmiraAnswer (study, entry, id);
        CREATE TABLE esmiraReport (
            id INTEGER PRIMARY KEY, study INTEGER NOT NULL, received INTEGER NOT NULL, content TEXT NOT NULL
        ) STRICT;
        CREATE TABLE esmiraFrozen (study INTEGER PRIMARY KEY) STRICT;
        """

    /// The statistics keep answers without whose they are: of those that are equal, as many go as are in the
    /// participant's rows. A script's report is theirs where it names them with no letter, digit, `-` or `_` beside the
    /// name; a name of digits alone may be any number.
    static let participantRows = ParticipantRows(
        "esmira.sqlite", names: ["esmiraUser": "user", "esmiraMessage": "user"],
        [
            .init(
                "esmiraReport", "script report",
                where: """
                    ?1 GLOB '*[^0-9]*' AND EXISTS (SELECT 1 FROM esmiraUser WHERE user = ?1)
                    AND ' ' || content || ' ' GLOB '*[^0-9A-Za-z\u{80}-\u{10FFFF}_-]' || \(literal)
                        || '[^0-9A-Za-z\u{80}-\u{10FFFF}_-]*'
                    """),
            ParticipantRows.highest("id", of: "esmiraRow"), ParticipantRows.highest("id", of: "esmiraFile"),
            ParticipantRows.highest("number", of: "esmiraUser", series: "'esmiraUser ' || study"),
            .init("esmiraAnswer", "counted answer", where: "id IN (\(counted))"), .init("esmiraRow", "row"),
            .init("esmiraAwaited", "awaited file"), .init("esmiraFile", "file"), .init("esmiraMessage", "message"),
            .init("esmiraUser", "enrolment"),
        ])

    /// The participant's name in a pattern.
    private static let literal = "replace(replace(replace(?1, '[', '[[]'), '*', '[*]'), '?', '[?]')"

    /// The `+` makes SQLite look up each counted answer among the participant's, which it indexes.
    private static let counted = """
        WITH own AS (
            SELECT r.study AS study, name.value AS variable, CAST(moment.value AS INTEGER) AS moment,
                cell.value AS answer, count(*) AS mine
            FROM esmiraRow AS r JOIN esmiraTable AS t ON t.study = r.study AND t.file = r.file,
                json_each(t.columns) AS name, json_each(r.cells) AS cell,
                json_each(t.columns) AS clock, json_each(r.cells) AS moment
            WHERE r.user = ?1 AND r.file <> 'events' AND cell.key = name.key
                AND clock.value = 'responseTime' AND moment.key = clock.key
            GROUP BY 1, 2, 3, 4)
        SELECT id FROM (
            SELECT a.id AS id, own.mine AS mine,
                row_number() OVER (PARTITION BY a.study, a.entry, a.time, a.answer ORDER BY a.id) AS place
            FROM own JOIN esmiraAnswer AS a ON +a.study = own.study AND a.time = own.moment AND a.answer = own.answer
                AND rtrim(a.entry, '0123456789') = own.variable || ' ')
        WHERE place <= mine
        """

    // MARK: Tables

    static let eventsFile = "events"

    /// Makes the tables of a study that is new, and new columns of one that has changed: at the
    /// end, since there may be rows.
    func prepare(_ study: ESMiraServedStudy) throws {
        let group = study.hasGroups ? ["group"] : []
        try prepare(Self.eventsFile, of: study.id, group + ESMiraColumns.events)
        for questionnaire in study.questionnaires {
            try prepare(String(questionnaire.id), of: study.id, questionnaire.columns.all(hasGroups: study.hasGroups))
        }
    }

    private func prepare(_ file: String, of study: Int, _ columns: [String]) throws {
        let old = try self.columns(file, of: study) ?? []
        let kept = old.isEmpty ? columns : old + columns.filter { !old.contains($0) }
        try connection.run(
            "INSERT OR REPLACE INTO esmiraTable VALUES (?, ?, ?)", study, file,
            JSONValue.array(kept.map(JSONValue.string)).text)
    }

    /// The columns of a table; nil where there is none.
    func columns(_ file: String, of study: Int) throws -> [String]? {
        try connection.first("SELECT columns FROM esmiraTable WHERE study = ? AND file = ?", study, file) {
            Self.texts(try $0.string(0))
        }
    }

    func add(_ cells: [String], to file: String, of study: Int, user: String) throws {
        let text = JSONValue.array(cells.map(JSONValue.string)).text
        try connection.run(
            """
            INSERT INTO esmiraRow (id, study, file, user, cells)
            VALUES (\(ParticipantRows.next("id", of: "esmiraRow")), ?, ?, ?, ?)
            """, study, file, user, text)
        try connection.run(
            "UPDATE esmiraUser SET bytes = bytes + ? WHERE study = ? AND user = ?", text.utf8.count, study, user)
    }

    /// A table as the server has it: every field in quotes, `;` between them, no line break at the
    /// end. Nil where there is none. Cells have no quotes themselves (`ESMiraValue.oneLine`).
    func csv(_ file: String, of study: Int) throws -> String? {
        guard let columns = try columns(file, of: study) else { return nil }
        func line(_ cells: [String]) -> String { "\"" + cells.joined(separator: "\";\"") + "\"" }
        var lines = [line(columns)]
        for cells in try rows(file, of: study) {
            lines.append(line(cells + [String](repeating: "", count: max(0, columns.count - cells.count))))
        }
        return lines.joined(separator: "\n")
    }

    /// The cells of a table's rows, oldest first.
    private func rows(_ file: String, of study: Int) throws -> [[String]] {
        try connection.rows("SELECT cells FROM esmiraRow WHERE study = ? AND file = ? ORDER BY id", study, file) {
            Self.texts(try $0.string(0))
        }
    }

    func files(of study: Int) throws -> [(name: String, rows: Int)] {
        try connection.rows(
            """
            SELECT file, (SELECT count(*) FROM esmiraRow AS r WHERE r.study = t.study AND r.file = t.file)
            FROM esmiraTable AS t WHERE study = ? ORDER BY file = 'events', file
            """, study
        ) { (try $0.string(0), Int(try $0.int(1))) }
    }

    private static func texts(_ json: String) -> [String] {
        ((try? JSONReader.value(json))?.array ?? []).compactMap(\.string)
    }

    // MARK: Participants

    func user(_ name: String, of study: Int) throws -> ESMiraUser? {
        try connection.first(Self.userColumns + " WHERE study = ? AND user = ?", study, name, read: Self.user)
    }

    func users(of study: Int) throws -> [ESMiraUser] {
        try connection.rows(Self.userColumns + " WHERE study = ? ORDER BY number, user", study, read: Self.user)
    }

    private static let userColumns =
        "SELECT number, joined, handled, datasets, grouped, counts, rewarded, app, user FROM esmiraUser"

    private static func user(_ row: Row) throws -> ESMiraUser {
        let counts = (try? JSONReader.value(try row.string(5)))?.members ?? []
        return ESMiraUser(
            name: try row.string(8), number: Int(try row.int(0)), joined: Int(try row.int(1)),
            handled: try row.intOrNil(2).map(Int.init), datasets: Int(try row.int(3)), group: Int(try row.int(4)),
            counts: counts.reduce(into: [:]) { $0[$1.name] = ESMiraValue.whole($1.value) },
            isRewarded: try row.bool(6), app: try row.string(7))
    }

    /// The number of the participant who joins next.
    func nextNumber(in study: Int) throws -> Int {
        try connection.first(
            """
            SELECT coalesce(max(number), 0) FROM (SELECT number FROM esmiraUser WHERE study = ?1
                UNION ALL SELECT number FROM highest WHERE name = 'esmiraUser ' || ?1)
            """, study
        ) { Int(try $0.int(0)) + 1 } ?? 1
    }

    func save(_ user: ESMiraUser, of study: Int) throws {
        try connection.run(
            """
            INSERT INTO esmiraUser VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0) ON CONFLICT (study, user) DO UPDATE SET
            handled = excluded.handled, datasets = excluded.datasets, grouped = excluded.grouped,
            counts = excluded.counts, rewarded = excluded.rewarded, app = excluded.app
            """, study, user.name, user.number, user.joined, user.handled, user.datasets, user.group,
            user.countsJSON.text, user.isRewarded, user.app)
    }

    /// Bytes that are kept of a participant in all studies.
    func bytes(of user: String) throws -> Int64 {
        try connection.first("SELECT coalesce(sum(bytes), 0) FROM esmiraUser WHERE user = ?", user) { try $0.int(0) }
            ?? 0
    }

    // MARK: Files

    /// Notes that a file is to come under the number that the app gave it, and the name that it will have.
    func expect(_ identifier: Int, of user: String, in study: Int, as name: String) throws {
        try connection.run("INSERT OR REPLACE INTO esmiraAwaited VALUES (?, ?, ?, ?)", study, user, identifier, name)
    }

    func awaited(_ identifier: Int, of user: String, in study: Int) throws -> String? {
        try connection.first(
            "SELECT name FROM esmiraAwaited WHERE study = ? AND user = ? AND identifier = ?", study, user, identifier
        ) { try $0.string(0) }
    }

    /// Keeps a file that was awaited, and awaits it no more.
    func keep(
        _ content: [UInt8], as name: String, identifier: Int, of user: String, in study: Int, at now: Int
    ) throws {
        try connection.run(
            """
            INSERT INTO esmiraFile (id, study, user, name, received, content)
            VALUES (\(ParticipantRows.next("id", of: "esmiraFile")), ?, ?, ?, ?, ?)
            """, study, user, name, now, content)
        try connection.run(
            "DELETE FROM esmiraAwaited WHERE study = ? AND user = ? AND identifier = ?", study, user, identifier)
        try connection.run(
            "UPDATE esmiraUser SET bytes = bytes + ? WHERE study = ? AND user = ?", content.count, study, user)
    }

    func media(of study: Int) throws -> [ESMiraMedia] {
        try connection.rows(
            "SELECT id, user, name, received, length(content) FROM esmiraFile WHERE study = ? ORDER BY id", study
        ) { row in
            ESMiraMedia(
                id: try row.int(0), user: try row.string(1), name: try row.string(2), received: try row.int(3),
                bytes: try row.int(4))
        }
    }

    func content(_ id: Int64) throws -> [UInt8]? {
        try connection.first("SELECT content FROM esmiraFile WHERE id = ?", id) { try $0.bytes(0) }
    }

    // MARK: Messages

    func add(_ message: ESMiraMessage, of study: Int) throws {
        try connection.run(
            """
            INSERT INTO esmiraMessage (study, user, sender, content, sent, pending, delivered, read)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """, study, message.user, message.sender, message.content, message.sent, message.isPending ? 1 : 0,
            message.delivered, message.read)
    }

    /// Of one participant or all, oldest first.
    func messages(of study: Int, user: String? = nil) throws -> [ESMiraMessage] {
        try connection.rows(
            """
            SELECT id, user, sender, content, sent, pending, delivered, read FROM esmiraMessage WHERE study = ?1
            AND (?2 IS NULL OR user = ?2) ORDER BY id
            """, study, user
        ) { row in
            ESMiraMessage(
                id: try row.int(0), user: try row.string(1), sender: try row.string(2), content: try row.string(3),
                sent: Int(try row.int(4)), isPending: try row.bool(5), delivered: Int(try row.int(6)),
                read: Int(try row.int(7)))
        }
    }

    /// What was handed out to a participant counts as read.
    func noteRead(by user: String, of study: Int, at now: Int) throws {
        try connection.run(
            """
            UPDATE esmiraMessage SET pending = 0, read = ? WHERE study = ? AND user = ? AND pending = 1
            AND delivered > 0
            """, now, study, user)
    }

    /// Messages that the app does not have yet, noted as delivered once more. It says up to when (Unix ms) it has
    /// all: those are no longer pending.
    func handOut(_ study: Int, _ user: String, after time: Int, at now: Int) throws -> [JSONValue] {
        let waiting = "WHERE study = ?1 AND user = ?2 AND pending = 1"
        try connection.run("UPDATE esmiraMessage SET pending = 0 \(waiting) AND sent <= ?3", study, user, time)
        try connection.run(
            "UPDATE esmiraMessage SET read = ?3, delivered = delivered + 1 \(waiting)", study, user, now)
        return try messages(of: study, user: user).filter(\.isPending).map { $0.json(from: "server") }
    }

    // MARK: Statistics, reports, frozen studies

    func count(_ answer: String, at time: Int, for entry: String, of study: Int) throws {
        try connection.run(
            "INSERT INTO esmiraAnswer (study, entry, time, answer) VALUES (?, ?, ?, ?)", study, entry, time, answer)
    }

    func counted(_ entry: String, of study: Int) throws -> [(time: Int, answer: String)] {
        try connection.rows(
            "SELECT time, answer FROM esmiraAnswer WHERE study = ? AND entry = ? ORDER BY id", study, entry
        ) { (Int(try $0.int(0)), try $0.string(1)) }
    }

    /// What a study's scripts report. The latest thousand of all studies are kept.
    func add(report: String, of study: Int, at now: Int) throws {
        try connection.run(
            "INSERT INTO esmiraReport (study, received, content) VALUES (?, ?, ?)", study, now,
            String(report.prefix(20_000)))
        try connection.run("DELETE FROM esmiraReport WHERE id <= ?", connection.lastInsertedRow - 1000)
    }

    func reports(of study: Int) throws -> [(received: Int, content: String)] {
        try connection.rows("SELECT received, content FROM esmiraReport WHERE study = ? ORDER BY id", study) {
            (Int(try $0.int(0)), try $0.string(1))
        }
    }

    func freeze(_ study: Int, _ isFrozen: Bool) throws {
        try connection.run(
            isFrozen
                ? "INSERT OR IGNORE INTO esmiraFrozen VALUES (?)" : "DELETE FROM esmiraFrozen WHERE study = ?", study)
    }

    func checkOpen(_ study: Int) throws {
        if try isFrozen(study) { throw ESMiraRefusal("This study is locked") }
    }

    func isFrozen(_ study: Int) throws -> Bool {
        try connection.hasRow("SELECT 1 FROM esmiraFrozen WHERE study = ?", study)
    }
}
