// SPDX-License-Identifier: Apache-2.0
import Database
import Times

/// Sealed recordings, and the samples due, stored and lost.
enum RecordingProjection: Projection {
    static let name = "recording"
    static let version = 1
    static let tables = ["recording", "lost_samples"]
    static let schema = """
        CREATE TABLE recording (
            id TEXT PRIMARY KEY, sequence INTEGER NOT NULL, enrolment TEXT NOT NULL, class INTEGER NOT NULL,
            measure TEXT NOT NULL, bytes INTEGER NOT NULL, stored INTEGER NOT NULL, sealed INTEGER NOT NULL,
            record TEXT NOT NULL, removed TEXT) STRICT;
        CREATE TABLE lost_samples (
            measure TEXT NOT NULL, reason TEXT NOT NULL, samples INTEGER NOT NULL,
            PRIMARY KEY (measure, reason)) STRICT;
        """

    static func apply(_ logged: LoggedEvent, to connection: Connection) throws {
        switch logged.event {
        case .recordingSealed(let recording):
            try connection.run(
                "INSERT INTO recording VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, NULL)", recording.id, logged.sequence,
                logged.stamp.enrolment, recording.itemClass.rawValue, recording.measure, recording.bytes,
                recording.stored, logged.stamp.wall.nanoseconds, try StoredJSON.text(recording))
            for (reason, samples) in recording.lost { try lose(samples, recording.measure, reason, connection) }
        case .gap(let source, let reason, _, _, let samples): try lose(samples, source, reason, connection)
        case .recordingRemoved(let id, let reason):
            try connection.run("UPDATE recording SET removed = ? WHERE id = ?", reason.rawValue, id)
        default: break
        }
    }

    private static func lose(
        _ samples: Int64, _ measure: String, _ reason: String, _ connection: Connection
    ) throws {
        try connection.run(
            """
            INSERT INTO lost_samples VALUES (?, ?, ?)
            ON CONFLICT DO UPDATE SET samples = samples + excluded.samples
            """, measure, reason, samples)
    }
}

/// A sealed recording that is, or was, on the device.
public struct RecordingView: Sendable, Hashable {
    /// What was sealed; it stays known after its file is gone.
    public let recording: RecordingRecord
    /// The enrolment under which it was sealed; empty when nobody was enrolled.
    public let enrolment: String
    /// Wall clock of the sealing, from which the retention counts.
    public let sealed: Instant
    /// Why its file is gone; nil while it is there.
    public let removed: RemovalReason?
    /// Every item that sends a part of it has its receipt, and there is at least one.
    public let isDelivered: Bool

    /// A recording in that state.
    public init(
        recording: RecordingRecord, enrolment: String, sealed: Instant, removed: RemovalReason?, isDelivered: Bool
    ) {
        self.recording = recording
        self.enrolment = enrolment
        self.sealed = sealed
        self.removed = removed
        self.isDelivered = isDelivered
    }
}
