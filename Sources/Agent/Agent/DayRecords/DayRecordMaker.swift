// SPDX-License-Identifier: Apache-2.0
import Base
import Database
import Study
import SystemKit

/// Makes the records of days (`DayRecord`) for `DayRecordService`, which asks by way of `StudyDatabase`. How far they
/// have come is read from the outbox: what was queued is in the log, so no record is made twice and none is left out.
struct DayRecordMaker {
    private let store: OpenStore
    private let recordings: RecordingStore

    init(_ store: OpenStore, _ recordings: RecordingStore) { (self.store, self.recordings) = (store, recordings) }

    /// The first day of which no manifest was queued for that destination; nil = of none.
    func next(for destination: String) throws -> ReportMemory.Day? {
        guard let (origin, enrolment) = try latest(DayRecord.manifest, for: destination),
            let day = DayRecord.day(of: origin)
        else { return nil }
        return ReportMemory.Day(enrolment: enrolment, day: day.daysSinceEpoch + 1)
    }

    func manifest(
        _ day: LocalDate, _ span: (start: Instant, end: Instant), of record: EnrolmentRecord, to destination: String,
        _ routes: LabRoutes, signedBy key: Ed25519.PrivateKey?
    ) throws -> [OutboxDraft] {
        let entries = try ProducedItems(store, recordings).items(
            of: record.id, from: span.start, to: span.end, routes.asSeen(from: destination))
        return try DayManifest(record: record, day: day, entries: entries).signed(by: key).enumerated().map {
            DayRecord.draft(DayRecord.manifestName(day, part: $0 + 1), $1, of: record, to: destination)
        }
    }

    /// The next rows of the log, and the enrolment that they are of, which is `last` or an earlier one; nil
    /// where that destination has all of them.
    func segment(
        upTo last: EnrolmentRecord, to destination: String, zone: Zone, signedBy key: Ed25519.PrivateKey?
    ) throws -> (draft: OutboxDraft, enrolment: String)? {
        let known = try latest(DayRecord.log, for: destination).flatMap { DayRecord.lastRow(of: $0.origin) } ?? 0
        guard let segment = try LogSegment(after: known, in: store.log),
            let record = try enrolment(at: segment.rows.lowerBound, upTo: last)
        else { return nil }
        let prompts = try PromptOutcomes(store).outcomes(of: record.id, after: known, limit: LogSegment.mostRows)
            .filter { segment.rows.contains($0.row) }.map { $0.json(in: zone) }
        let draft = DayRecord.draft(
            DayRecord.logName(segment.rows),
            try segment.encoded(of: record, prompts: prompts, trial: try trial(of: record), signedBy: key),
            of: record, to: destination)
        return (draft, record.id)
    }

    /// The enrolment that was the latest when that row was written; rows before the first are the first
    /// one's. Nil for one that began after `last`.
    private func enrolment(at row: Int64, upTo last: EnrolmentRecord) throws -> EnrolmentRecord? {
        let enrolments = try EnrolmentHistory(store).beginnings()
        let index = enrolments.lastIndex { $0.row <= row } ?? enrolments.startIndex
        guard let end = enrolments.firstIndex(where: { $0.record.id == last.id }), index <= end else { return nil }
        return enrolments[index].record
    }

    /// What a lab needs besides the log to recompute the rules' decisions; nil without rules. The seed is left
    /// out until the enrolment is over.
    private func trial(of record: EnrolmentRecord) throws -> JSONText? {
        guard let rules = record.rules else { return nil }
        let file = try DecisionHistory(store).rules(of: record.id).map { String(decoding: $0, as: UTF8.self) }
        let isOver = try EnrolmentHistory(store).isWithdrawn(record.id)
        let local = [
            Int64(record.local.date.daysSinceEpoch), record.local.time.nanoseconds,
        ].map { JSONText.integer($0) }
        return .object([
            "id": .string(record.id), "studyID": .string(record.studyID), "participant": .string(record.participant),
            "instant": .integer(record.instant.nanoseconds), "local": .array(local),
            "zone": record.zone.map { .string($0) }, "fileDigest": .string(record.fileDigest), "rules": .string(rules),
            "file": file.map { .string($0) },
            "seed": isOver ? .string(record.seed) : nil,
        ])
    }

    /// The record of that kind that was queued last. Recordings are passed over: they have no request.
    private func latest(_ kind: String, for destination: String) throws -> (origin: String, enrolment: String)? {
        try store.connection.first(
            """
            SELECT json_extract(item, '$.origin'), enrolment FROM outbox
            WHERE destination = ? AND class = ? AND request IS NOT NULL
            AND substr(json_extract(item, '$.origin'), 1, ?) = ? ORDER BY sequence DESC LIMIT 1
            """, destination, ItemClass.events.rawValue, kind.utf8.count, kind
        ) { (try $0.string(0), try $0.string(1)) }
    }
}
