// SPDX-License-Identifier: Apache-2.0
import Base
import Database

/// What the lab itself writes: a label and a note for each participant, and who changed what when. In its own
/// database, `lab.sqlite`. `ChangeRoutes` and commands such as `study-receiver devices` write it, the pages
/// show it.
actor LabRegister {
    struct Note: Sendable, Hashable {
        /// Short: a shelf, a sticker.
        let label: String
        let text: String
        /// The change that wrote it; 0 = none has.
        let revision: Int64

        static let none = Note(label: "", text: "", revision: 0)
    }

    struct Change: Sendable, Hashable {
        enum Kind: String, Sendable, CaseIterable {
            case note, approve, revoke, forget, erase
            /// A fault or an answer that the receiver is to give was set (`Faults`).
            case fault
            /// Keys or codes were imported.
            case keys = "import"
        }

        let id: Int64
        let at: Instant
        /// The name that was given with the token; empty for scripts, `command` for commands of this machine.
        let by: String
        /// The network address of who changed it; empty for commands.
        let client: String
        let kind: Kind
        let participant: String
        let before: String
        let after: String
    }

    /// In characters.
    static let longestLabel = 80
    static let longestNote = 2000
    /// Beyond this many, the oldest changes are deleted.
    private static let changesKept: Int64 = 20_000
    private static let mostNotes = 20_000

    private let connection: Connection

    init(_ location: Connection.Location) throws {
        connection = try Connection(location)
        try Schema(
            version: 1,
            """
            CREATE TABLE note (
                participant TEXT PRIMARY KEY, label TEXT NOT NULL, text TEXT NOT NULL, revision INTEGER NOT NULL
            ) STRICT, WITHOUT ROWID;
            CREATE TABLE change (
                id INTEGER PRIMARY KEY, moment INTEGER NOT NULL, author TEXT NOT NULL, client TEXT NOT NULL,
                kind TEXT NOT NULL, participant TEXT NOT NULL, before TEXT NOT NULL, after TEXT NOT NULL
            ) STRICT;
            """
        ).prepare(connection)
        try connection.execute("CREATE INDEX IF NOT EXISTS changeErase ON change (participant) WHERE kind = 'erase'")
    }

    /// Earlier changes lose name and texts, and keep kind, time and author. The erasure itself stays whole.
    static let participantRows = ParticipantRows(
        "lab.sqlite", names: ["note": "participant", "change": "participant"],
        [
            .init("note", "note", where: "participant = ?1"),
            .init(
                "change", "earlier change", where: "participant = ?1 AND kind <> 'erase'",
                instead: """
                    UPDATE change SET participant = '', before = '', after = ''
                    WHERE participant = ?1 AND kind <> 'erase'
                    """),
        ])

    func erasedAt(of participant: String) throws -> Instant? {
        try Self.erasedAt(of: participant, in: connection)
    }

    /// Why the name of an erased participant cannot be used again; nil for any other.
    func whyClosed(_ participant: String) throws -> Explanation? {
        try erasedAt(of: participant).map { moment in
            Explanation(
                cause: "\(participant.shown) was erased at \(moment.rfc3339Zulu()), and the name stays closed",
                remedy: "use another name")
        }
    }

    static func erasedAt(of participant: String, in connection: Connection) throws -> Instant? {
        try connection.first(
            "SELECT moment FROM change WHERE kind = 'erase' AND participant = ? ORDER BY id DESC LIMIT 1", participant
        ) { Instant(milliseconds: try $0.int(0)) }
    }

    func notes() throws -> [String: Note] {
        var notes: [String: Note] = [:]
        try connection.forEach("SELECT participant, label, text, revision FROM note") { row in
            notes[try row.string(0)] = Note(label: try row.string(1), text: try row.string(2), revision: try row.int(3))
        }
        return notes
    }

    func note(of participant: String) throws -> Note {
        try connection.first("SELECT label, text, revision FROM note WHERE participant = ?", participant) { row in
            Note(label: try row.string(0), text: try row.string(1), revision: try row.int(2))
        } ?? .none
    }

    /// Writes label and note, and that they were written. `revision` is the one that its author has
    /// seen, nil where that does not matter; throws 409 where another has written since.
    func write(
        label: String, text: String, of participant: String, seen revision: Int64?, by author: String,
        from client: String, at now: Instant
    ) throws {
        let known = try note(of: participant)
        guard known.label != label || known.text != text else { return }
        guard revision.map({ $0 == known.revision }) ?? true else {
            throw HTTPFailure(
                409,
                "the note on \(participant) was changed by another in the meantime; reload the page, and write again")
        }
        if known == .none,
            try connection.first("SELECT count(*) FROM note", read: { try $0.int(0) }) ?? 0 >= Self.mostNotes
        {
            throw HTTPFailure(507, "there are \(Self.mostNotes) notes already")
        }
        try connection.transaction {
            let id = try insert(
                .note, participant, before: Self.shown(known.label, known.text), after: Self.shown(label, text), author,
                client, now)
            try connection.run("INSERT OR REPLACE INTO note VALUES (?, ?, ?, ?)", participant, label, text, id)
        }
    }

    /// Logs a change of anything else than label and note.
    func log(
        _ kind: Change.Kind, _ participant: String, before: String = "", after: String, by author: String,
        from client: String = "", at now: Instant
    ) throws {
        _ = try connection.transaction {
            try insert(kind, participant, before: before, after: after, author, client, now)
        }
    }

    private func insert(
        _ kind: Change.Kind, _ participant: String, before: String, after: String, _ author: String, _ client: String,
        _ now: Instant
    ) throws -> Int64 {
        try connection.run(
            "INSERT INTO change (moment, author, client, kind, participant, before, after) VALUES (?, ?, ?, ?, ?, ?, ?)",
            now.milliseconds, author, client, kind.rawValue, participant, before, after)
        let id = connection.lastInsertedRow
        // By its row `mirror` knows whom not to fetch again.
        try connection.run("DELETE FROM change WHERE id <= ? AND kind <> 'erase'", id - Self.changesKept)
        return id
    }

    /// Newest first.
    func changes(of participant: String? = nil, limit: Int) throws -> [Change] {
        try connection.rows(
            """
            SELECT id, moment, author, client, kind, participant, before, after FROM change
            WHERE ?1 IS NULL OR participant = ?1 ORDER BY id DESC LIMIT ?2
            """, participant, limit
        ) { row in
            Change(
                id: try row.int(0), at: Instant(milliseconds: try row.int(1)), by: try row.string(2),
                client: try row.string(3), kind: Change.Kind(rawValue: try row.string(4)) ?? .note,
                participant: try row.string(5), before: try row.string(6), after: try row.string(7))
        }
    }

    private static func shown(_ label: String, _ text: String) -> String {
        [label.isEmpty ? "" : "[\(label)]", text].filter { !$0.isEmpty }.joined(separator: " ")
    }
}
