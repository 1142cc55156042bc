// SPDX-License-Identifier: Apache-2.0
import Database

extension ESMiraTables {
    static let definition = """
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
}

extension Archive {
    /// Does something with these tables, wholly or not at all.
    func esmira<Value: Sendable>(_ body: @Sendable (ESMiraTables) throws -> Value) throws -> Value {
        try connection.transaction { try body(ESMiraTables(connection: connection)) }
    }
}

extension Quota {
    /// For a participant of ESMira.
    func admit(_ bytes: Int64, ofESMira user: String) async throws {
        try check(bytes, beside: try await archive.esmira { try $0.bytes(of: user) }, of: "participant", perDevice)
    }
}
