// SPDX-License-Identifier: Apache-2.0
import Database
import Study

/// Tables that follow from the log alone. `EventLog` passes each new row to `apply` in the row's own transaction;
/// `ProjectionReplay` drops and rebuilds them.
protocol Projection: Sendable {
    /// Unique among projections.
    static var name: String { get }
    /// Raised with every change to `definition` or `apply`: an older database is then rebuilt
    /// when it is opened.
    static var version: Int { get }
    static var tables: [String] { get }
    /// The kinds of events that `apply` looks at; the others are not decoded when it is made again.
    static var kinds: Set<String> { get }
    /// The statements that make the tables.
    static var definition: String { get }
    static func apply(_ logged: LoggedEvent, to connection: Connection) throws
    /// Takes in what can be told of a row that is encrypted to a key that is not here.
    static func apply(encrypted row: StoredRow, to connection: Connection) throws
}

extension Projection {
    static func apply(encrypted row: StoredRow, to connection: Connection) throws {}
}

/// All of them; `EventLog` and `ProjectionReplay` go through the list.
let projections: [any Projection.Type] = [
    StateProjection.self, OccurrenceProjection.self, RunProjection.self, OutboxProjection.self,
    RecordingProjection.self, DecisionProjection.self,
]

/// The tables that are no projections: the log itself, and bytes that are not in it. Triggers keep rows of
/// the log from changing, except that a body may be erased.
let storeSchema = Schema(
    version: 1,
    """
    CREATE TABLE event (
        sequence INTEGER PRIMARY KEY, enrolment TEXT NOT NULL, wall INTEGER NOT NULL, monotonic INTEGER NOT NULL,
        boot TEXT NOT NULL, zone_offset INTEGER NOT NULL, kind TEXT NOT NULL, body TEXT NOT NULL,
        previous BLOB NOT NULL, hash BLOB NOT NULL, salt BLOB) STRICT;
    CREATE INDEX event_kind ON event (kind, sequence);
    CREATE TRIGGER event_keeps BEFORE DELETE ON event BEGIN SELECT RAISE(ABORT, 'the event log is append-only'); END;
    CREATE TRIGGER event_stays BEFORE UPDATE ON event
        WHEN NEW.body NOT LIKE '{"erased":"%"}' OR NEW.salt IS NOT NULL OR NEW.sequence <> OLD.sequence
            OR NEW.enrolment <> OLD.enrolment OR NEW.wall <> OLD.wall OR NEW.monotonic <> OLD.monotonic OR NEW.boot <> OLD.boot
            OR NEW.zone_offset <> OLD.zone_offset OR NEW.kind <> OLD.kind OR NEW.previous <> OLD.previous OR NEW.hash <> OLD.hash
        BEGIN SELECT RAISE(ABORT, 'the event log is append-only'); END;
    CREATE TABLE projection (name TEXT PRIMARY KEY, version INTEGER NOT NULL) STRICT;
    CREATE TABLE projection_step (name TEXT PRIMARY KEY, sequence INTEGER NOT NULL) STRICT;
    CREATE TABLE request (
        digest TEXT PRIMARY KEY, method TEXT NOT NULL, url TEXT NOT NULL, headers TEXT NOT NULL, body BLOB NOT NULL)
        STRICT;
    CREATE TABLE study_file (
        digest TEXT PRIMARY KEY, source TEXT NOT NULL, received INTEGER NOT NULL, bytes BLOB NOT NULL) STRICT;
    CREATE TABLE secret (name TEXT PRIMARY KEY, bytes BLOB NOT NULL) STRICT;
    INSERT INTO secret VALUES ('items', randomblob(32));
    """)
