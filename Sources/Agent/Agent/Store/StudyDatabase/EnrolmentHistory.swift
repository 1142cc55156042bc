// SPDX-License-Identifier: Apache-2.0
import Base
import Database
import Study

/// What the log says of an enrolment: its prompts, runs and answers, its wall clock, its switches and pauses, and its
/// server's messages. By way of `StudyDatabase` for the start of a study, its schedule, `studyd status` and reports.
struct EnrolmentHistory {
    private let connection: Connection

    init(_ store: OpenStore) { connection = store.connection }

    /// The latest enrolment, withdrawn or not; nil before the first.
    func latestEnrolment() throws -> EnrolmentState? {
        try connection.first(
            "SELECT record, prompts_on, withdrawn FROM enrolment ORDER BY sequence DESC LIMIT 1", read: Self.state)
    }

    /// Every enrolment of this log, oldest first.
    func enrolments() throws -> [EnrolmentState] {
        try connection.rows("SELECT record, prompts_on, withdrawn FROM enrolment ORDER BY sequence", read: Self.state)
    }

    /// Every enrolment with the row of the log that began it, oldest first.
    func beginnings() throws -> [(record: EnrolmentRecord, row: Int64)] {
        try connection.rows("SELECT record, sequence FROM enrolment ORDER BY sequence") {
            (try StoredJSON.value(EnrolmentRecord.self, from: $0.string(0)), try $0.int(1))
        }
    }

    private static func state(_ row: Row) throws -> EnrolmentState {
        EnrolmentState(
            record: try StoredJSON.value(EnrolmentRecord.self, from: row.string(0)), arePromptsOn: try row.bool(1),
            withdrawn: try row.instantOrNil(2))
    }

    /// What conditions may look at, without the answers of a run under way.
    func facts(of enrolment: String) throws -> StudyFacts {
        let completed = try connection.rows(
            "SELECT DISTINCT task FROM run WHERE enrolment = ? AND submitted IS NOT NULL", enrolment
        ) { try $0.string(0) }
        let variables = try connection.rows("SELECT name, value FROM variable WHERE enrolment = ?", enrolment) {
            (name: try $0.string(0), value: try StoredAnswer.value($0.string(1), in: connection))
        }
        return StudyFacts(
            completedTasks: Set(completed), condition: try record(of: enrolment)?.condition,
            variables: variables.reduce(into: [:]) { $0[$1.name] = $1.value })
    }

    private func record(of enrolment: String) throws -> EnrolmentRecord? {
        try connection.first("SELECT record FROM enrolment WHERE id = ?", enrolment) {
            try StoredJSON.value(EnrolmentRecord.self, from: $0.string(0))
        }
    }

    /// `study` and `participant`, as deliveries name them; empty where there is no such enrolment.
    func owner(of enrolment: String) throws -> [String: String] {
        try record(of: enrolment).map { ["study": $0.studyID, "participant": $0.participant] } ?? [:]
    }

    /// How often each task was opened so far; the next opening is one more.
    func openings(of enrolment: String) throws -> [String: Int] {
        let counts = try connection.rows(
            "SELECT task, max(opening) FROM run WHERE enrolment = ? GROUP BY task", enrolment
        ) {
            (try $0.string(0), Int(try $0.int(1)))
        }
        return Dictionary(uniqueKeysWithValues: counts)
    }

    func submissions(of enrolment: String) throws -> [String: Int] {
        let counts = try connection.rows(
            "SELECT task, count(*) FROM run WHERE enrolment = ? AND submitted IS NOT NULL GROUP BY task", enrolment
        ) { (try $0.string(0), Int(try $0.int(1))) }
        return Dictionary(uniqueKeysWithValues: counts)
    }

    /// Which openings of a task were submitted, counted from 1.
    func submittedOpenings(of task: String, in enrolment: String) throws -> Set<Int> {
        Set(
            try connection.rows(
                "SELECT opening FROM run WHERE enrolment = ? AND task = ? AND submitted IS NOT NULL", enrolment, task
            ) { Int(try $0.int(0)) })
    }

    /// What was logged of an active task while it ran, oldest first, each with when it was written.
    func progress(of task: String, opening: Int, in enrolment: String) throws -> [LeftRun.Row] {
        try connection.rows(
            """
            SELECT kind, body, wall, monotonic, boot, zone_offset FROM event
            WHERE enrolment = ? AND kind = 'taskProgress' ORDER BY sequence
            """, enrolment
        ) { row in
            let stamp = EventStamp(
                wall: try row.instant(2), monotonic: MonotonicTime(nanoseconds: try row.int(3)),
                bootID: try row.string(4), zoneOffset: Int(try row.int(5)), enrolment: enrolment)
            let body = EncryptedBody.opened(try row.string(1), by: connection.encryption)
            return (try body.map { try StudyEvent(kind: row.string(0), body: $0) }, stamp)
        }.compactMap { (event: StudyEvent?, stamp: EventStamp) in
            guard case .taskProgress(task, opening, _, _, let values, let step)? = event else { return nil }
            return (step, values, stamp)
        }
    }

    /// Every occurrence that was prompted or ended, in the order in which they were due.
    func occurrences(of enrolment: String, onlyOpen: Bool) throws -> [OccurrenceView] {
        try connection.rows(
            """
            SELECT \(OccurrenceView.columns) FROM occurrence WHERE enrolment = ? AND (outcome IS NULL OR NOT ?)
            ORDER BY due, id
            """, enrolment, onlyOpen, read: OccurrenceView.init)
    }

    /// How many occurrences of that enrolment had which outcome; nil = they are open. Left out are notices and, with
    /// `isBlinded`, those that rules raised.
    func occurrenceCounts(of enrolment: String, isBlinded: Bool) throws -> [(outcome: Outcome?, count: Int)] {
        try connection.rows(
            """
            SELECT outcome, count(*) FROM occurrence WHERE enrolment = ? AND (NOT ? OR instr(id, '/rule.') = 0)
                AND json_extract(record, '$.isNotice') IS NULL GROUP BY 1
            """, enrolment, isBlinded
        ) { (outcome: try $0.stringOrNil(0).flatMap { Outcome(stored: $0) }, count: Int(try $0.int(1))) }
    }

    /// Outcomes by occurrence id, of occurrences that ended.
    func outcomes(of enrolment: String) throws -> [String: Outcome] {
        let ended = try connection.rows(
            "SELECT id, outcome FROM occurrence WHERE enrolment = ? AND outcome IS NOT NULL", enrolment
        ) { (try $0.string(0), Outcome(stored: try $0.string(1))) }
        return ended.reduce(into: [:]) { $0[$1.0] = $1.1 }
    }

    /// Runs that were begun and neither submitted nor left.
    func openRuns(of enrolment: String) throws -> [OpenRun] {
        try connection.rows(
            """
            SELECT task, opening, occurrence FROM run
            WHERE enrolment = ? AND submitted IS NULL AND left_at IS NULL ORDER BY opened
            """, enrolment
        ) {
            OpenRun(task: try $0.string(0), opening: Int(try $0.int(1)), occurrence: try $0.stringOrNil(2))
        }
    }

    /// The latest `limit` submitted answers to a question, oldest first; `task` nil = in any task.
    func history(
        of question: String, task: String?, in enrolment: String, limit: Int
    ) throws -> [HistoryEntry] {
        try connection.rows(
            """
            SELECT value, submitted, (SELECT zone_offset FROM event WHERE event.sequence = answer.sequence)
            FROM answer JOIN run USING (enrolment, task, opening)
            WHERE enrolment = ? AND question = ? AND (task = ? OR ?) AND submitted IS NOT NULL
            ORDER BY submitted DESC, run.rowid DESC LIMIT ?
            """, enrolment, question, task, task == nil, limit
        ) { row in
            try StoredAnswer.value(row.string(0), in: connection).map { value in
                HistoryEntry(
                    value: value, submitted: try row.instant(1), zone: try row.intOrNil(2).map(Self.zone))
            }
        }.compactMap(\.self).reversed()
    }

    /// The runs that were submitted last, newest first.
    func completedRuns(of enrolment: String, limit: Int) throws -> [CompletedRun] {
        try connection.rows(
            """
            SELECT task, submitted, (
                SELECT zone_offset FROM answer JOIN event USING (sequence)
                WHERE answer.enrolment = run.enrolment AND answer.task = run.task AND answer.opening = run.opening
                LIMIT 1)
            FROM run WHERE enrolment = ? AND submitted IS NOT NULL ORDER BY submitted DESC, rowid DESC LIMIT ?
            """, enrolment, limit
        ) { row in
            CompletedRun(
                task: try row.string(0), submitted: try row.instant(1), zone: try row.intOrNil(2).map(Self.zone))
        }
    }

    private static func zone(offset: Int64) -> Zone {
        Zone(fixed: Int(offset), identifier: "logged", abbreviation: "logged")
    }

    /// The latest `limit` submitted runs, oldest first, with what tasks added themselves. Erased ones are
    /// left out; those that are encrypted to a key that is not here have no answers.
    func doneRuns(of enrolment: String, limit: Int) throws -> [DoneRun] {
        try connection.rows(
            """
            SELECT body, wall FROM event WHERE enrolment = ? AND kind = 'submitted' ORDER BY sequence DESC LIMIT ?
            """, enrolment, limit
        ) { row -> DoneRun? in
            let stored = try row.string(0)
            guard let body = EncryptedBody.opened(stored, by: connection.encryption) else {
                let submitted = try row.instant(1)
                return EncryptedBody.run(of: stored).map { DoneRun(task: $0.task, submitted: submitted, answers: [:]) }
            }
            guard case .submitted(let task, _, let submission)? = try? StudyEvent(kind: "submitted", body: body) else {
                return nil
            }
            return DoneRun(
                task: task, submitted: submission.submitted, began: submission.began, answers: submission.answers)
        }.compactMap(\.self).reversed()
    }

    /// Ids of occurrences of which a run was begun, finished or not.
    func begunOccurrences(of enrolment: String) throws -> Set<String> {
        Set(
            try connection.rows(
                "SELECT DISTINCT occurrence FROM run WHERE enrolment = ? AND occurrence IS NOT NULL", enrolment
            ) { try $0.string(0) })
    }

    /// When occurrences were opened first since they were submitted last, by id.
    func firstOpenings(of enrolment: String) throws -> [String: Instant] {
        let rows = try connection.rows(
            """
            SELECT r.occurrence, min(r.opened) FROM run AS r LEFT JOIN (
                SELECT occurrence, max(opening) AS opening FROM run
                WHERE enrolment = ? AND submitted IS NOT NULL GROUP BY occurrence
            ) AS done ON done.occurrence = r.occurrence
            WHERE r.enrolment = ? AND r.occurrence IS NOT NULL AND r.opening > coalesce(done.opening, 0)
            GROUP BY r.occurrence
            """, enrolment, enrolment
        ) { (try $0.string(0), try $0.instant(1)) }
        return Dictionary(uniqueKeysWithValues: rows)
    }

    /// When occurrences that are open were put off last, by id; what was returned since, and so prompted as if for the
    /// first time, was not put off.
    func putOffs(of enrolment: String) throws -> [String: Instant] {
        let rows = try connection.rows(
            """
            SELECT id, wall FROM (
                SELECT o.id AS id, e.wall AS wall, max(e.sequence) AS last FROM event AS e
                JOIN occurrence AS o ON o.enrolment = e.enrolment AND o.id = json_extract(e.body, '$.occurrence')
                WHERE e.kind = 'promptPutOff' AND e.enrolment = ?1 AND o.outcome IS NULL GROUP BY o.id
            ) WHERE NOT EXISTS (
                SELECT 1 FROM event AS p WHERE p.kind = 'prompted' AND p.sequence > last
                    AND p.enrolment = ?1 AND json_extract(p.body, '$.occurrence.id') = id
            )
            """, enrolment
        ) { (try $0.string(0), try $0.instant(1)) }
        return Dictionary(uniqueKeysWithValues: rows)
    }

    /// How many runs that answered no occurrence were submitted; and how many were left, or broken off when the device
    /// went off.
    func selfStartedRuns(of enrolment: String) throws -> (submitted: Int, left: Int) {
        try connection.first(
            """
            SELECT count(submitted), count(CASE WHEN submitted IS NULL THEN left_at END) FROM run
            WHERE enrolment = ? AND occurrence IS NULL
            """, enrolment
        ) { (Int(try $0.int(0)), Int(try $0.int(1))) } ?? (0, 0)
    }

    /// True where answers of that enrolment were deleted: what is confirmed later is deleted too.
    func hasErasedAnswers(of enrolment: String) throws -> Bool {
        try connection.hasRow("SELECT 1 FROM event WHERE enrolment = ? AND kind = 'erased' LIMIT 1", enrolment)
    }

    func isWithdrawn(_ enrolment: String) throws -> Bool {
        try connection.hasRow("SELECT 1 FROM enrolment WHERE id = ? AND withdrawn IS NOT NULL", enrolment)
    }

    /// When that participant switched prompts off or on, the newest, oldest first.
    func promptSwitches(of enrolment: String, limit: Int) throws -> [(on: Bool, at: Instant)] {
        try connection.newestEvents("promptsSwitched", of: enrolment, limit: limit).reversed().compactMap { row in
            guard case .promptsSwitched(let on) = row.event else { return nil }
            return (on, row.stamp.wall)
        }
    }

    /// The name of the zone that the wall clock of that enrolment's participant was last in; nil where
    /// the log does not say.
    func lastZone(of record: EnrolmentRecord) throws -> String? {
        // A hundred: newest rows that cannot be read must not hide those before them.
        let changes = try connection.newestEvents("zoneChanged", of: record.id, limit: 100)
        return if case .zoneChanged(_, let to, _)? = changes.first?.event { to } else { record.zone }
    }

    /// The last pause of the sensors in that enrolment that was not ended; nil = there is none.
    func sensorPause(of enrolment: String) throws -> SensorPause? {
        guard let row = try connection.newestEvents("sensorsPaused").first, row.stamp.enrolment == enrolment,
            try connection.newestEvents("sensorsResumed").allSatisfy({ $0.sequence < row.sequence }),
            case .sensorsPaused(let time, let seconds) = row.event
        else { return nil }
        let began = try DeviceHistory(connection).anchors(ofBoot: row.stamp.bootID).best?.instant(at: time)
        return SensorPause(bootID: row.stamp.bootID, began: time, length: .seconds(seconds), instant: began)
    }

    /// Everything the server said under that name, the latest `limit`, oldest first.
    func serverFacts(_ name: String, of enrolment: String, limit: Int) throws -> [ServerFactView] {
        try connection.rows(
            "SELECT text, wall FROM server_fact WHERE enrolment = ? AND name = ? ORDER BY sequence DESC LIMIT ?",
            enrolment, name, limit
        ) { ServerFactView(text: try $0.string(0), noted: try $0.instant(1)) }.reversed()
    }

    func consent(of enrolment: String) throws -> ConsentStatus {
        let newest = try connection.newestEvents("consented", of: enrolment).first
        let recorded = newest.flatMap { row -> ConsentStatus.Recorded? in
            guard case .consented(_, let version, let choice) = row.event else { return nil }
            return ConsentStatus.Recorded(version: version, choice: choice, noted: row.stamp.wall)
        }
        let wanted = try serverFacts(ServerFact.consent, of: enrolment, limit: 1).last
        return ConsentStatus(recorded: recorded, wanted: wanted?.text, since: wanted?.noted)
    }

    func hasLeft(study: String) throws -> Bool {
        try connection.rows("SELECT record FROM enrolment WHERE withdrawn IS NOT NULL") { row in
            try StoredJSON.value(EnrolmentRecord.self, from: row.string(0)).studyID
        }.contains(study)
    }

    /// Tasks that the server has retired from the version of the study that is followed.
    func retiredTasks(of enrolment: String) throws -> Set<String> {
        Set(
            try connection.rows(
                """
                SELECT text FROM server_fact WHERE enrolment = ? AND name = ? AND sequence > coalesce(
                    (SELECT max(sequence) FROM event WHERE kind = 'studyUpdated' AND enrolment = ?), 0)
                """, enrolment, ServerFact.retired, enrolment
            ) { try $0.string(0) })
    }

    /// What the server said last under that name; nil where it said nothing.
    func serverFact(_ name: String, of enrolment: String) throws -> String? {
        try serverFacts(name, of: enrolment, limit: 1).last?.text
    }
}

/// The enrolment the device is in, and its switches.
package struct EnrolmentState: Sendable, Hashable {
    /// Who takes part in what, and where the study came from.
    package let record: EnrolmentRecord
    /// False after the participant switched prompts off; true again at each enrolment.
    package let arePromptsOn: Bool
    /// Nil while the participant takes part.
    package let withdrawn: Instant?
}

/// What a study's server said, as the log has it; `studyd messages` shows it.
package struct ServerFactView: Sendable, Hashable {
    /// A message as the server wrote it, a status word, the name of a text.
    package let text: String
    package let noted: Instant
}
