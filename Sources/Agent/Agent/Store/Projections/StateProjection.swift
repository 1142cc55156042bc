// SPDX-License-Identifier: Apache-2.0
import Base
import Database
import Study

/// Enrolments with their switches, study variables, clock anchors, and what the study's server said. Read by
/// `EnrolmentHistory`; the anchors by `DeviceHistory`.
enum StateProjection: Projection {
    static let name = "state"
    static let version = 2
    static let tables = ["enrolment", "variable", "anchor", "server_fact"]
    static let kinds: Set<String> = [
        "enrolled", "withdrawn", "promptsSwitched", "variableSet", "serverFact", "studyUpdated", "anchored",
        "enrolmentDated", "drawn",
    ]
    static let definition = """
        CREATE TABLE enrolment (
            id TEXT PRIMARY KEY, sequence INTEGER NOT NULL, record TEXT NOT NULL, prompts_on INTEGER NOT NULL,
            withdrawn INTEGER) STRICT;
        CREATE TABLE variable (
            enrolment TEXT NOT NULL, name TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (enrolment, name)) STRICT;
        CREATE TABLE anchor (
            sequence INTEGER PRIMARY KEY, boot TEXT NOT NULL, record TEXT NOT NULL) STRICT;
        CREATE TABLE server_fact (
            sequence INTEGER PRIMARY KEY, enrolment TEXT NOT NULL, name TEXT NOT NULL, text TEXT NOT NULL,
            wall INTEGER NOT NULL) STRICT;
        """

    static func apply(_ logged: LoggedEvent, to connection: Connection) throws {
        let enrolment = logged.stamp.enrolment
        switch logged.event {
        case .enrolled(let record):
            try connection.run(
                "INSERT INTO enrolment VALUES (?, ?, ?, 1, NULL)", record.id, logged.sequence,
                try StoredJSON.text(record))
        case .withdrawn:
            try connection.run(
                "UPDATE enrolment SET withdrawn = ? WHERE id = ? AND withdrawn IS NULL",
                logged.stamp.wall.nanoseconds, enrolment)
        case .promptsSwitched(let on):
            try connection.run("UPDATE enrolment SET prompts_on = ? WHERE id = ?", on, enrolment)
        case .variableSet(let name, let value):
            try connection.run(
                "INSERT OR REPLACE INTO variable VALUES (?, ?, ?)", enrolment, name,
                try StoredAnswer.text(value, in: connection))
        case .serverFact(let name, let text):
            try connection.run(
                "INSERT INTO server_fact VALUES (?, ?, ?, ?, ?)", logged.sequence, enrolment, name, text,
                logged.stamp.wall.nanoseconds)
        case .studyUpdated(let digest, _): try change(enrolment, connection) { $0.fileDigest = digest }
        case .drawn(EnrolmentRecord.arm, let value, _): try change(enrolment, connection) { $0.setArm(value) }
        case .enrolmentDated(let instant, let local):
            try change(enrolment, connection) { $0 = $0.dated(instant, local) }
        case .anchored(let anchor):
            try connection.run(
                "INSERT INTO anchor VALUES (?, ?, ?)", logged.sequence, logged.stamp.bootID,
                try StoredJSON.text(anchor))
        default: break
        }
    }

    private static func change(
        _ enrolment: String, _ connection: Connection, _ change: (inout EnrolmentRecord) -> Void
    ) throws {
        let text = try connection.first("SELECT record FROM enrolment WHERE id = ?", enrolment) { try $0.string(0) }
        guard let text else { return }
        var record = try StoredJSON.value(EnrolmentRecord.self, from: text)
        change(&record)
        try connection.run("UPDATE enrolment SET record = ? WHERE id = ?", try StoredJSON.text(record), enrolment)
    }
}
