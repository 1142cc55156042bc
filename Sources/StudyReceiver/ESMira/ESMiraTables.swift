// SPDX-License-Identifier: Apache-2.0
import Database

/// What is kept for the stand-in of ESMira: the only place that reads and writes its tables. Used within a transaction of the archive.
struct ESMiraTables {
    let connection: Connection

    // MARK: Tables

    static let eventsFile = "events"

    /// Makes the tables of a study that is new, and the new columns of one that has changed: they stand at the end where there are rows.
    func prepare(_ study: ESMiraStudy) throws {
        let group = study.hasGroups ? ["group"] : []
        try prepare(Self.eventsFile, of: study.id, group + ESMiraColumns.events)
        for questionnaire in study.questionnaires {
            try prepare(
                String(questionnaire.id), of: study.id, questionnaire.columns.all(hasGroups: study.hasGroups))
        }
    }

    private func prepare(_ file: String, of study: Int, _ columns: [String]) throws {
        var kept = columns
        if let old = try self.columns(file, of: study) {
            let hasRows = try connection.first(
                "SELECT 1 FROM esmiraRow WHERE study = ? AND file = ? LIMIT 1", study, file
            ) { try $0.int(0) }
            let more = columns.filter { !old.contains($0) }
            kept = more.isEmpty ? old : hasRows == nil ? columns : old + more
        }
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
            "INSERT INTO esmiraRow (study, file, user, cells) VALUES (?, ?, ?, ?)", study, file, user, text)
        try connection.run(
            "UPDATE esmiraUser SET bytes = bytes + ? WHERE study = ? AND user = ?", text.utf8.count, study, user)
    }

    /// A table as the server has it: every field in quotes, `;` between them, no line break at the end. Nil where there is none.
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

    /// Names and numbers of rows of a study's tables.
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
        try connection.first(
            """
            SELECT number, token, joined, datasets, grouped, counts, rewarded, app, latest FROM esmiraUser
            WHERE study = ? AND user = ?
            """, study, name
        ) { row in
            let counts = (try? JSONReader.value(try row.string(5)))?.members ?? []
            return ESMiraUser(
                name: name, number: Int(try row.int(0)), token: try row.intOrNil(1).map(Int.init),
                joined: Int(try row.int(2)), datasets: Int(try row.int(3)), group: Int(try row.int(4)),
                counts: counts.reduce(into: [:]) { $0[$1.name] = PHPValue.int($1.value) },
                isRewarded: try row.bool(6), app: try row.string(7), latest: Int(try row.int(8)))
        }
    }

    func users(of study: Int) throws -> [ESMiraUser] {
        let names = try connection.rows("SELECT user FROM esmiraUser WHERE study = ? ORDER BY number, user", study) {
            try $0.string(0)
        }
        return try names.compactMap { try user($0, of: study) }
    }

    func save(_ user: ESMiraUser, of study: Int) throws {
        let counts = user.counts.sorted { $0.key < $1.key }.map {
            JSONValue.Member(name: $0.key, value: .int($0.value))
        }
        try connection.run(
            """
            INSERT INTO esmiraUser (study, user, number, token, joined, datasets, grouped, counts, rewarded, app, latest, bytes)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0) ON CONFLICT (study, user) DO UPDATE SET number = excluded.number,
            token = excluded.token, joined = excluded.joined, datasets = excluded.datasets, grouped = excluded.grouped,
            counts = excluded.counts, rewarded = excluded.rewarded, app = excluded.app, latest = excluded.latest
            """, study, user.name, user.number, user.token, user.joined, user.datasets, user.group,
            JSONValue.object(counts).text, user.isRewarded ? 1 : 0, user.app, user.latest)
    }

    /// Bytes that are kept of a participant in all studies.
    func bytes(of user: String) throws -> Int64 {
        try connection.first("SELECT coalesce(sum(bytes), 0) FROM esmiraUser WHERE user = ?", user) { try $0.int(0) }
            ?? 0
    }

    // MARK: Files

    func expect(_ identifier: Int, of user: String, in study: Int, as name: String) throws {
        try connection.run("INSERT OR REPLACE INTO esmiraAwaited VALUES (?, ?, ?, ?)", study, user, identifier, name)
    }

    func awaited(_ identifier: Int, of user: String, in study: Int) throws -> String? {
        try connection.first(
            "SELECT name FROM esmiraAwaited WHERE study = ? AND user = ? AND identifier = ?", study, user, identifier
        ) { try $0.string(0) }
    }

    /// Keeps a file that was awaited, and awaits it no more. False where there is one already.
    func keep(
        _ content: [UInt8], _ type: String, as name: String, identifier: Int, of user: String, in study: Int,
        at now: Int
    ) throws -> Bool {
        let count = try connection.run(
            "INSERT OR IGNORE INTO esmiraFile (study, user, name, received, type, content) VALUES (?, ?, ?, ?, ?, ?)",
            study, user, name, now, type, content)
        guard count == 1 else { return false }
        try connection.run(
            "DELETE FROM esmiraAwaited WHERE study = ? AND user = ? AND identifier = ?", study, user, identifier)
        try connection.run(
            "UPDATE esmiraUser SET bytes = bytes + ? WHERE study = ? AND user = ?", content.count, study, user)
        return true
    }

    func media(of study: Int) throws -> [ESMiraMediaFile] {
        try connection.rows(
            "SELECT id, user, name, received, type, length(content) FROM esmiraFile WHERE study = ? ORDER BY id", study
        ) { row in
            ESMiraMediaFile(
                id: try row.int(0), user: try row.string(1), name: try row.string(2), received: try row.int(3),
                type: try row.string(4), bytes: try row.int(5))
        }
    }

    func content(_ id: Int64) throws -> [UInt8]? {
        try connection.first("SELECT content FROM esmiraFile WHERE id = ?", id) { try $0.bytes(0) }
    }

    // MARK: Messages

    func add(_ message: ESMiraMessage, of study: Int) throws {
        try connection.run(
            """
            INSERT INTO esmiraMessage (study, user, sender, content, sent, state, delivered, read)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """, study, message.user, message.sender, message.content, message.sent, message.state.rawValue,
            message.delivered, message.read)
    }

    /// Of one participant or all, oldest first; in that state, if one is wanted.
    func messages(of study: Int, user: String? = nil, state: ESMiraMessage.State? = nil) throws -> [ESMiraMessage] {
        try connection.rows(
            """
            SELECT id, user, sender, content, sent, state, delivered, read FROM esmiraMessage WHERE study = ?1
            AND (?2 IS NULL OR user = ?2) AND (?3 IS NULL OR state = ?3) ORDER BY id
            """, study, user, state?.rawValue
        ) { row in
            ESMiraMessage(
                id: try row.int(0), user: try row.string(1), sender: try row.string(2), content: try row.string(3),
                sent: Int(try row.int(4)), state: ESMiraMessage.State(rawValue: Int(try row.int(5))) ?? .archived,
                delivered: Int(try row.int(6)), read: Int(try row.int(7)))
        }
    }

    func update(_ message: ESMiraMessage) throws {
        try connection.run(
            "UPDATE esmiraMessage SET state = ?, delivered = ?, read = ? WHERE id = ?", message.state.rawValue,
            message.delivered, message.read, message.id)
    }

    // MARK: Statistics, codes, reports, frozen studies

    func count(_ answer: String, at time: Int, for entry: String, of study: Int) throws {
        try connection.run(
            "INSERT INTO esmiraAnswer (study, entry, time, answer) VALUES (?, ?, ?, ?)", study, entry, time, answer)
    }

    func counted(_ entry: String, of study: Int) throws -> [(time: Int, answer: String)] {
        try connection.rows(
            "SELECT time, answer FROM esmiraAnswer WHERE study = ? AND entry = ? ORDER BY id", study, entry
        ) { (Int(try $0.int(0)), try $0.string(1)) }
    }

    func add(code: String, of study: Int, at now: Int) throws {
        try connection.run("INSERT INTO esmiraCode VALUES (?, ?, ?)", study, code, now)
    }

    func codes(of study: Int) throws -> [String] {
        try connection.rows("SELECT code FROM esmiraCode WHERE study = ? ORDER BY made", study) { try $0.string(0) }
    }

    /// Of a study's scripts, or of an app where `study` is nil. The latest thousand are kept.
    func add(report: String, of study: Int?, at now: Int) throws {
        try connection.run(
            "INSERT INTO esmiraReport (study, received, content) VALUES (?, ?, ?)", study, now,
            String(report.prefix(20_000)))
        try connection.run("DELETE FROM esmiraReport WHERE id <= ?", connection.lastInsertedRow - 1000)
    }

    func reports() throws -> [(study: Int?, received: Int, content: String)] {
        try connection.rows("SELECT study, received, content FROM esmiraReport ORDER BY id") {
            (try $0.intOrNil(0).map(Int.init), Int(try $0.int(1)), try $0.string(2))
        }
    }

    func freeze(_ study: Int, _ isFrozen: Bool) throws {
        try connection.run(
            isFrozen
                ? "INSERT OR IGNORE INTO esmiraFrozen VALUES (?)" : "DELETE FROM esmiraFrozen WHERE study = ?", study)
    }

    func isFrozen(_ study: Int) throws -> Bool {
        try connection.first("SELECT 1 FROM esmiraFrozen WHERE study = ?", study) { try $0.int(0) } != nil
    }
}
