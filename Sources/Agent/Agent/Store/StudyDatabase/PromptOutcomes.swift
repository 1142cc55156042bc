// SPDX-License-Identifier: Apache-2.0
import Base
import Database
import Study

/// How prompts ended, in the order of the log, for reports to the lab (`ReportReader`), segments of the log
/// (`DayRecordMaker`) and the broker (`LiveFeed`). Left out are notices, occurrences that a wrong clock brought and
/// that were taken back (they have no row in `occurrence`), and enrolments whose unsent data were deleted.
struct PromptOutcomes {
    private let connection: Connection
    private let log: EventLog

    init(_ store: OpenStore) { (connection, log) = (store.connection, store.log) }

    private static let isOfAReportedEnrolment = """
        e.enrolment IN (SELECT id FROM enrolment)
        AND NOT EXISTS (SELECT 1 FROM event AS w WHERE w.kind = 'withdrawn' AND w.enrolment = e.enrolment AND json_extract(w.body, '$.deletesUnsent'))
        """
    /// The occurrence may have fallen due again since it was taken back: its first outcome stays void.
    private static let isToBeReported = """
        e.kind = 'concluded' AND e.sequence > ? AND json_extract(e.body, '$.occurrence.isNotice') IS NULL AND \(isOfAReportedEnrolment)
        AND NOT EXISTS (
            SELECT 1 FROM event AS b, json_each(iif(json_valid(b.body), b.body, '{}'), '$.occurrences') AS gone
            WHERE b.kind = 'occurrencesReturned' AND b.enrolment = e.enrolment AND b.sequence > e.sequence
            AND gone.value = o.id)
        """
    private static let isReturn = "e.kind = 'occurrencesReturned' AND e.sequence > ? AND \(isOfAReportedEnrolment)"
    private static let joinOccurrence = """
        JOIN occurrence AS o ON o.enrolment = e.enrolment AND o.id = json_extract(e.body, '$.occurrence.id')
        """

    /// The name of the log whose rows are counted; nil before the first row.
    func logName() throws -> String? { try log.head()?.log }

    /// The enrolment of the first outcome after that row, given or taken back; nil where there is none, and while
    /// projections are rebuilt.
    func enrolmentOfFirstOutcome(after row: Int64) throws -> String? {
        guard log.isCurrent else { return nil }
        let firsts = try [
            "\(Self.joinOccurrence) WHERE \(Self.isToBeReported)", "WHERE \(Self.isReturn)",
        ].compactMap { condition in
            try connection.first(
                "SELECT e.sequence, e.enrolment FROM event AS e \(condition) ORDER BY e.sequence LIMIT 1", row
            ) { (row: try $0.int(0), enrolment: try $0.string(1)) }
        }
        return firsts.min { $0.row < $1.row }?.enrolment
    }

    /// How prompts ended after that row, and what was taken back, as far as both are known: at most that many rows of
    /// each are read. A row that cannot be read takes nothing back, so that a report passes it.
    func endings(of enrolment: String, after row: Int64, outcomes: Int, returns: Int) throws -> PromptEndings {
        let concluded = try self.concluded(of: enrolment, after: row, limit: outcomes)
        let returned = try self.returned(of: enrolment, after: row, limit: returns)
        let ends = [
            concluded.count < outcomes ? nil : concluded.last?.row, returned.count < returns ? nil : returned.last?.row,
        ]
        let end = ends.compactMap(\.self).min() ?? .max
        let unread = concluded.filter { $0.outcome == nil }.map { ReturnedPrompts(row: $0.row, occurrences: []) }
        return PromptEndings(
            outcomes: concluded.compactMap { $0.outcome }.filter { $0.row <= end },
            returned: (returned + unread).filter { $0.row <= end })
    }

    private func returned(of enrolment: String, after row: Int64, limit: Int) throws -> [ReturnedPrompts] {
        guard log.isCurrent else { return [] }
        return try connection.rows(
            """
            SELECT e.sequence, e.body FROM event AS e WHERE \(Self.isReturn) AND e.enrolment = ?
            ORDER BY e.sequence LIMIT ?
            """, row, enrolment, limit
        ) { row in
            var occurrences: [String] = []
            let event = try? StudyEvent(kind: "occurrencesReturned", body: try row.string(1))
            if case .occurrencesReturned(let ids)? = event { occurrences = ids }
            return ReturnedPrompts(row: try row.int(0), occurrences: occurrences)
        }
    }

    func outcomes(of enrolment: String, after row: Int64, limit: Int) throws -> [PromptOutcome] {
        try concluded(of: enrolment, after: row, limit: limit).compactMap { $0.outcome }
    }

    /// Nil for an outcome that cannot be read.
    private func concluded(
        of enrolment: String, after row: Int64, limit: Int
    ) throws -> [(row: Int64, outcome: PromptOutcome?)] {
        guard log.isCurrent else { return [] }
        let offsets = try self.offsets(of: enrolment)
        return try connection.rows(
            """
            SELECT e.sequence, e.body, e.wall, o.presented, e.boot, e.monotonic, (
                SELECT min(r.opened) FROM run AS r WHERE r.enrolment = e.enrolment AND r.occurrence = o.id
            ), e.zone_offset FROM event AS e \(Self.joinOccurrence)
            WHERE \(Self.isToBeReported) AND e.enrolment = ? ORDER BY e.sequence LIMIT ?
            """, row, enrolment, limit
        ) { row -> (row: Int64, outcome: PromptOutcome?) in
            let number = try row.int(0)
            guard
                case .concluded(let record, let outcome)? = try? StudyEvent(kind: "concluded", body: try row.string(1))
            else { return (row: number, outcome: nil) }
            let monotonic = MonotonicTime(nanoseconds: try row.int(5))
            var read = PromptOutcome(
                row: number, occurrence: record.id, task: record.task, due: record.due, outcome: outcome,
                isSignalled: record.occurrence.isSignalled,
                presented: try row.instantOrNil(3), opened: try row.instantOrNil(6), ended: try row.instant(2),
                presses: try presses(in: record.id, of: enrolment),
                clockError: try clockError(of: row.string(4), at: monotonic, before: number),
                offset: Int(try row.int(7)), planned: Self.planned(record, offsets))
            if let error = read.clockError { read.clockError = try error + wasSet(since: read, of: enrolment) }
            return (row: number, outcome: read)
        }
    }

    /// The wall clock for which it was planned; nil where none of that enrolment showed its planned time when it was
    /// due: a change of the clock skipped that time, or a journey passed over it.
    private static func planned(_ record: OccurrenceRecord, _ offsets: Set<Int>) -> Zone? {
        let occurrence = record.occurrence
        guard occurrence.resolution != .skipped else { return nil }
        let zone = Zone(offsetOf: occurrence.local, at: record.due)
        return offsets.contains(zone.period(at: record.due).offset) ? zone : nil
    }

    /// Each offset from UTC, in seconds, that its wall clocks have had.
    private func offsets(of enrolment: String) throws -> Set<Int> {
        Set(
            try connection.rows(
                """
                SELECT DISTINCT zone_offset FROM event
                WHERE kind IN ('enrolled', 'zoneChanged', 'prompted', 'concluded') AND enrolment = ?
                """, enrolment
            ) { Int(try $0.int(0)) })
    }

    /// When a prompt was completed last; nil = never. A notice that was given is none.
    func lastCompletion(of enrolment: String) throws -> Instant? {
        try connection.first(
            """
            SELECT max(ended) FROM occurrence
            WHERE enrolment = ? AND outcome = ? AND json_extract(record, '$.isNotice') IS NULL
            """, enrolment, Outcome.completed.stored
        ) { try $0.instantOrNil(0) } ?? nil
    }

    /// What was submitted for that prompt, by question, as JSON.
    func answers(toPrompt occurrence: String, of enrolment: String) throws -> [(question: String, value: String)] {
        try connection.rows(
            """
            SELECT a.question, a.value FROM answer AS a
            JOIN run AS r ON r.enrolment = a.enrolment AND r.task = a.task AND r.opening = a.opening
            WHERE r.enrolment = ? AND r.occurrence = ? AND r.submitted IS NOT NULL ORDER BY a.sequence
            """, enrolment, occurrence
        ) { (try $0.string(0), try $0.string(1)) }
    }

    private func presses(in occurrence: String, of enrolment: String) throws -> [String: Int] {
        let counted = try connection.rows(
            """
            SELECT a.question, sum(a.presses) FROM answer AS a
            JOIN run AS r ON r.enrolment = a.enrolment AND r.task = a.task AND r.opening = a.opening
            WHERE r.enrolment = ? AND r.occurrence = ? AND a.presses IS NOT NULL GROUP BY a.question
            """, enrolment, occurrence
        ) { (try $0.string(0), Int(try $0.int(1))) }
        return Dictionary(uniqueKeysWithValues: counted)
    }

    /// How many seconds the wall clock was set by between the prompt's earlier times and its end: they are off by as
    /// much against UTC. At least what they lie behind the end, which no row shows where the device was off meanwhile.
    private func wasSet(since prompt: PromptOutcome, of enrolment: String) throws -> Double {
        let readings = [prompt.presented, prompt.opened].compactMap(\.self)
        return try readings.map { reading in
            let set = try wasSet(since: reading, of: enrolment, before: prompt.row)
            return max(abs(set.seconds), (reading - prompt.ended).seconds)
        }.max() ?? 0
    }

    private func wasSet(since reading: Instant, of enrolment: String, before row: Int64) throws -> Duration {
        let steps = try connection.newestEvents("clockStepped", before: row, limit: 64).compactMap {
            step -> (row: Int64, boot: String, by: Duration, after: Instant)? in
            guard case .clockStepped(let nanoseconds) = step.event else { return nil }
            return (step.sequence, step.stamp.bootID, .nanoseconds(nanoseconds), step.stamp.wall)
        }
        // Its row is looked for only where the clock may have shown that time before a step.
        guard steps.contains(where: { reading <= $0.after - $0.by }) else { return .zero }
        let begin = try connection.first(
            """
            SELECT sequence, boot FROM event
            WHERE kind IN ('presented', 'runOpened') AND enrolment = ? AND wall = ? AND sequence < ?
            ORDER BY sequence LIMIT 1
            """, enrolment, reading.nanoseconds, row
        ) { (row: try $0.int(0), boot: try $0.string(1)) }
        guard let begin else { return .zero }
        // Another boot without a clock of its own begins behind, by the time for which the device was off.
        return steps.filter { $0.row > begin.row && ($0.boot == begin.boot || $0.by < .zero) }
            .reduce(.zero) { $0 + $1.by }
    }

    /// The bound of the wall clock's error in seconds, by what was known of the clock when the row was
    /// written; nil = unknown.
    private func clockError(of boot: String, at moment: MonotonicTime, before row: Int64) throws -> Double? {
        let anchors = try connection.rows(
            "SELECT record FROM anchor WHERE boot = ? AND sequence <= ? ORDER BY sequence DESC LIMIT 64", boot, row
        ) { try StoredJSON.value(AnchorRecord.self, from: $0.string(0)).anchor }
        // An anchor that is not trusted says that the clock has been unknown since then.
        guard let latest = anchors.first, latest.isTrusted else { return nil }
        return WallClockError(by: latest, anchors).bound(from: moment, to: moment)
    }
}
