// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import Exports

/// The tables of one dataset while they are written: a participant's rows go to each of them in
/// turn, so that one participant at a time is in memory. `DatasetExport` adds every participant, then the
/// codebook and the issues, and then calls `finish`.
final class TableSet {
    /// A table that has rows of participants.
    private struct Part {
        let add: (ParticipantRecord, ParticipantEpochs?) throws -> Void
        let finish: () throws -> JSONText
    }

    /// In the order in which a Data Package lists them; the codebook and the issues come last.
    private let parts: [Part]
    private let codebook: TableWriter<Codebook.Item>
    private let issues: TableWriter<DatasetIssue>

    /// Without `hasMinutes` there are no tables of what recordings say minute by minute.
    init(_ folder: DatasetFolder, items: [String], _ words: CodebookIndex, hasMinutes: Bool) throws {
        codebook = try TableWriter(Tables.codebook, folder)
        issues = try TableWriter(Tables.issues, folder)
        let participants = try TableWriter(Tables.participants, folder)
        var parts = [Part(add: { record, _ in try participants.add(record) }, finish: participants.finish)]
        func add<Value>(
            _ table: DatasetTable<Of<Value>>, _ rows: @escaping (ParticipantRecord, ParticipantEpochs?) -> [Value]
        ) throws {
            let writer = try TableWriter(table, folder)
            let addRows: (ParticipantRecord, ParticipantEpochs?) throws -> Void = { record, minutes in
                for value in rows(record, minutes) { try writer.add(Of(record.participant, value)) }
            }
            parts.append(Part(add: addRows, finish: writer.finish))
        }
        try add(Tables.answers(items)) { record, _ in record.submissions.filter { $0.repeats == nil } }
        try add(Tables.longAnswers) { record, _ in TableSet.answers(of: record, words) }
        try add(Tables.prompts) { record, _ in record.prompts }
        try add(Tables.compliance) { record, _ in ComplianceDay.days(of: record.prompts) }
        try add(Tables.recordings) { record, _ in record.recordings }
        try add(Tables.coverage) { record, _ in CoverageDay.days(of: record) }
        if hasMinutes {
            try add(Tables.epochs) { _, minutes in minutes?.rows ?? [] }
            try add(Tables.wear) { _, minutes in WearDay.days(of: minutes?.rows ?? []) }
            try add(Tables.positions) { _, minutes in minutes?.positions ?? [] }
        }
        try add(Tables.missing) { record, _ in record.missing }
        try add(Tables.clock) { record, _ in ClockNote.notes(of: record.recordings) }
        try add(Tables.events) { record, _ in record.events.map { EventRow($0) } + TableSet.presses(of: record) }
        try add(Tables.files) { record, _ in record.files }
        self.parts = parts
    }

    func add(_ record: ParticipantRecord, _ minutes: ParticipantEpochs?) throws {
        for part in parts { try part.add(record, minutes) }
    }

    func add(_ codebook: Codebook, _ issues: [DatasetIssue]) throws {
        for item in codebook.items { try self.codebook.add(item) }
        for issue in issues { try self.issues.add(issue) }
    }

    /// Closes the tables. Returns their descriptions for a Data Package.
    func finish() throws -> [JSONText] {
        try parts.map { try $0.finish() } + [codebook.finish(), issues.finish()]
    }

    private static func answers(of record: ParticipantRecord, _ words: CodebookIndex) -> [Tables.AnswerRow] {
        record.submissions.filter { $0.repeats == nil }.flatMap { submission in
            submission.answers.map { answer in
                Tables.AnswerRow(
                    submission: submission, answer: answer, label: words.label(of: answer, in: submission))
            }
        }
    }

    /// A damaged file gives no presses; that it is damaged is reported elsewhere.
    private static func presses(of record: ParticipantRecord) -> [EventRow] {
        record.recordings.filter(\.isOfEvents).flatMap { recording -> [EventRow] in
            guard
                let file = try? RecordedFile(
                    recording.source, named: recording.name, described: recording.description),
                let presses = try? ButtonLog.presses(file)
            else { return [] }
            let offset = recording.start?.offset ?? 0
            return presses.filter { record.window.contains($0.time, offset: offset) }
                .map { EventRow($0, in: recording) }
        }
    }
}
