// SPDX-License-Identifier: Apache-2.0
import Base
import Database
import Study

/// Sealed (finished) recordings, for `RecordingStore`, and the samples due, stored and lost, for `StoreCounts`.
enum RecordingProjection: Projection {
    static let name = "recording"
    static let version = 2
    static let tables = ["recording", "lost_samples", "sample_count"]
    static let kinds: Set<String> = ["recordingSealed", "gap", "samplesCounted", "recordingRemoved"]
    static let definition = """
        CREATE TABLE recording (
            id TEXT PRIMARY KEY, sequence INTEGER NOT NULL, enrolment TEXT NOT NULL, class INTEGER NOT NULL,
            measure TEXT NOT NULL, bytes INTEGER NOT NULL, stored INTEGER NOT NULL, sealed INTEGER NOT NULL,
            record TEXT NOT NULL, removed TEXT) STRICT;
        CREATE TABLE lost_samples (
            measure TEXT NOT NULL, reason TEXT NOT NULL, samples INTEGER NOT NULL,
            PRIMARY KEY (measure, reason)) STRICT;
        CREATE TABLE sample_count (measure TEXT PRIMARY KEY, due INTEGER NOT NULL, stored INTEGER NOT NULL) STRICT;
        CREATE INDEX recording_sequence ON recording (sequence);
        CREATE INDEX recording_present ON recording (sealed, class, id, bytes) WHERE removed IS NULL;
        """

    static func apply(_ logged: LoggedEvent, to connection: Connection) throws {
        switch logged.event {
        case .recordingSealed(let recording):
            try connection.run(
                "INSERT INTO recording VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, NULL)", recording.id, logged.sequence,
                logged.stamp.enrolment, recording.itemClass.rawValue, recording.measure, recording.bytes,
                recording.stored, logged.stamp.wall.nanoseconds, try StoredJSON.text(recording))
            try count(recording, connection)
        case .gap(let source, let reason, _, _, let samples):
            try lose(samples, source, reason, connection)
            try count(source, due: samples, stored: 0, connection)
        case .samplesCounted(let measure, _, _, let due, let lost):
            try count(measure, due: due, stored: 0, connection)
            for (reason, samples) in lost { try lose(samples, measure, reason, connection) }
        case .recordingRemoved(let id, let reason):
            try connection.run("UPDATE recording SET removed = ? WHERE id = ?", reason.rawValue, id)
        default: break
        }
    }

    /// Counts a sealed file. Of a measure with a rate, `samplesCounted` says what was due, and what a power
    /// cut took: the file's own number for that is only an upper bound. Without a rate (bytes, events, files
    /// of older versions) what the file stored and lost was due.
    private static func count(_ recording: RecordingRecord, _ connection: Connection) throws {
        guard recording.isExtra != true else { return }
        let hasRate = recording.rate != nil
        let lost = recording.lost.filter { !hasRate || $0.key != SampleAccount.powerCut }
        for (reason, samples) in lost { try lose(samples, recording.measure, reason, connection) }
        let due = hasRate ? 0 : recording.stored + lost.values.reduce(0, +)
        try count(recording.measure, due: due, stored: recording.stored, connection)
    }

    private static func count(
        _ measure: String, due: Int64, stored: Int64, _ connection: Connection
    ) throws {
        try connection.run(
            """
            INSERT INTO sample_count VALUES (?, ?, ?)
            ON CONFLICT DO UPDATE SET due = due + excluded.due, stored = stored + excluded.stored
            """, measure, due, stored)
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

extension RecordingRecord {
    /// Samples stored or lost in it, for which `samplesCounted` says what was due; without those that a
    /// power cut took. Nil for bytes, events, and what is recorded beside a measure.
    var storedOrLost: Int64? {
        guard rate != nil, isExtra != true else { return nil }
        return lost.reduce(stored) { $1.key == SampleAccount.powerCut ? $0 : $0 + $1.value }
    }
}

/// A sealed recording that is, or was, on the device, as `RecordingStore` reads it.
package struct RecordingView: Sendable, Hashable {
    /// What was sealed; it stays known after its file is gone.
    package let recording: RecordingRecord
    /// The enrolment under which it was sealed; empty without one.
    package let enrolment: String
    /// Wall clock of the sealing, from which the retention counts.
    package let sealed: Instant
    /// Why its file is gone; nil while it is there.
    package let removed: RemovalReason?
    /// Every item that sends a part of it has its receipt, and there is at least one.
    package let isDelivered: Bool
}
