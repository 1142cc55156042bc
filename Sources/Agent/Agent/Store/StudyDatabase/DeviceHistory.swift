// SPDX-License-Identifier: Apache-2.0
import Base
import Database
import Study

/// What the log says of the device itself: its clock, its measuring, and who was enrolled on it. For the start of
/// the agent and its clock (by way of `StudyDatabase`), and for the clock of commands (`DisciplinedClock.resumed`).
/// A row that was erased, or cannot be decoded, counts as absent.
struct DeviceHistory {
    private let connection: Connection

    init(_ store: OpenStore) { self.init(store.connection) }

    init(_ connection: Connection) { self.connection = connection }

    /// The stamp of the newest row: until then the device was certainly on. Nil in a new log.
    func newestStamp() throws -> EventStamp? {
        try connection.first("SELECT \(EventLog.columns) FROM event ORDER BY sequence DESC LIMIT 1") {
            try StoredRow($0).stamp
        }
    }

    /// The newest jumps of the clock that were noted, oldest first, each with the time after it.
    func clockJumps(limit: Int) throws -> [(by: Duration, at: Instant)] {
        try connection.newestEvents("clockStepped", limit: limit).reversed().compactMap { row in
            guard case .clockStepped(let nanoseconds) = row.event else { return nil }
            return (.nanoseconds(nanoseconds), row.stamp.wall)
        }
    }

    /// The newest span of measuring; nil before the first.
    func lastMeasuring() throws -> MeasuringSpan? {
        guard let start = try connection.newestEvents("measuringStarted").first,
            case .measuringStarted(let rates, let time) = start.event
        else { return nil }
        var stamp = start.stamp
        stamp.monotonic = time  // of the beginning; the row came a little later
        let stop = try connection.newestEvents("measuringStopped").first { $0.sequence > start.sequence }
        return MeasuringSpan(sequence: start.sequence, stamp: stamp, rates: rates, stop: stop?.stamp)
    }

    /// Samples, stored or lost, in the files of the newest span where no `measuringStopped` ends it, as
    /// after a power cut: the next start counts what was due in it.
    func uncountedSamples() throws -> Int64 {
        guard let span = try lastMeasuring(), span.stop == nil else { return 0 }
        return try connection.rows("SELECT record FROM recording WHERE sequence > ?", span.sequence) {
            try StoredJSON.value(RecordingRecord.self, from: $0.string(0)).storedOrLost ?? 0
        }.reduce(0, +)
    }

    /// The rate by which samples of each channel were counted last.
    func countedRates() throws -> [String: Double] {
        var rates: [String: Double] = [:]
        let counted = try connection.newestEvents("samplesCounted", limit: 32).map(\.event)
        for case .samplesCounted(let measure, let rate, _, _, _) in counted where rates[measure] == nil {
            rates[measure] = rate
        }
        return rates
    }

    /// The latest enrolment by the log alone, which a store that is being rebuilt has too; nil
    /// before the first, and where its row was erased.
    func enrolmentByLog() throws -> (record: EnrolmentRecord, isWithdrawn: Bool)? {
        guard let row = try connection.newestEvents("enrolled").first, case .enrolled(var record) = row.event else {
            return nil
        }
        let id = record.id
        func since(_ kind: String, limit: Int = 1) throws -> [StudyEvent] {
            try connection.newestEvents(kind, of: id, limit: limit).filter { $0.sequence > row.sequence }.map(\.event)
        }
        if case .studyUpdated(let digest, _)? = try since("studyUpdated").first { record.fileDigest = digest }
        if case .enrolmentDated(let instant, let local)? = try since("enrolmentDated").first {
            record = record.dated(instant, local)
        }
        for case .drawn(EnrolmentRecord.arm, let value, _) in try since("drawn", limit: -1).reversed() {
            record.setArm(value)
        }
        // Who has left is not prompted again, whatever else that row says.
        let left = "SELECT 1 FROM event WHERE kind = 'withdrawn' AND sequence > ? AND enrolment = ?"
        return (record, try connection.hasRow(left, row.sequence, id))
    }

    /// The last enrolment, by which a hand-over names the closed log; nil where there never was one.
    func lastEnrolment() throws -> String? {
        try connection.first(
            "SELECT enrolment FROM event WHERE kind = 'enrolled' ORDER BY sequence DESC LIMIT 1"
        ) { try $0.string(0) }
    }

    /// The anchors of a boot, oldest first.
    func anchors(ofBoot boot: String) throws -> [ClockAnchor] {
        try connection.rows("SELECT record FROM anchor WHERE boot = ? ORDER BY sequence", boot) {
            try StoredJSON.value(AnchorRecord.self, from: $0.string(0)).anchor
        }
    }

    /// The newest anchor of a boot, nil where it has none.
    func newestAnchor(ofBoot boot: String) throws -> AnchorRecord? {
        try connection.first("SELECT record FROM anchor WHERE boot = ? ORDER BY sequence DESC LIMIT 1", boot) {
            try StoredJSON.value(AnchorRecord.self, from: $0.string(0))
        }
    }

    /// The newest anchor of any boot that the kernel or a receiver was trusted for, or that was
    /// extrapolated from one, which keeps its source. Looks at the newest five thousand, some weeks.
    func newestReference() throws -> AnchorRecord? { try newestAnchor("IN ('kernel', 'gps')")?.record }

    /// The newest anchor with such a source, by an SQL condition, and its row.
    private func newestAnchor(_ source: String) throws -> (row: Int64, record: AnchorRecord)? {
        try connection.first(
            """
            SELECT sequence, record FROM (SELECT sequence, record FROM anchor ORDER BY sequence DESC LIMIT 5000)
            WHERE json_extract(record, '$.source') \(source) ORDER BY sequence DESC LIMIT 1
            """
        ) { (try $0.int(0), try StoredJSON.value(AnchorRecord.self, from: $0.string(1))) }
    }

    /// The newest time that any source was trusted for: of an anchor, or of an enrolment with a certain date, which
    /// may have been made while no agent ran.
    func newestTrustedTime() throws -> Instant? {
        let anchor = try newestAnchor("NOT IN ('unknown', 'simulated')")
        guard let row = try connection.newestEvents("enrolled").first, case .enrolled(let record) = row.event,
            record.undated == nil, row.sequence > anchor?.row ?? 0
        else { return anchor?.record.instant }
        return record.instant
    }
}

/// A span of measuring: its beginning, and its end where that was in good order. `StartSequence` reads
/// the newest.
package struct MeasuringSpan: Sendable {
    package let sequence: Int64
    /// Its monotonic time is that of the beginning.
    package let stamp: EventStamp
    /// Samples per second that were asked for, by channel.
    package let rates: [String: Double]
    /// Nil where it was killed, or goes on.
    package let stop: EventStamp?
}
