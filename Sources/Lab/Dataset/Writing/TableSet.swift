// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import Exports
import SystemKit

/// The tables of one dataset while they are written: a participant's rows go to each of them in
/// turn, so that one participant at a time is in memory. `DatasetExport` adds every participant, then the
/// codebook and the issues, and then calls `finish`.
final class TableSet {
    private let answers: TableWriter<Of<StudySubmission>>
    private let longAnswers: TableWriter<Of<Tables.AnswerRow>>
    private let prompts: TableWriter<Of<StudyPrompt>>
    private let compliance: TableWriter<Of<ComplianceDay>>
    private let recordings: TableWriter<Of<StudyRecording>>
    private let coverage: TableWriter<Of<CoverageDay>>
    /// Epochs, wear and positions are nil where no recording is read.
    private let epochs: TableWriter<Of<EpochRow>>?
    private let wear: TableWriter<Of<WearDay>>?
    private let positions: TableWriter<Of<PositionRow>>?
    private let missing: TableWriter<Of<MissingItem>>
    private let clock: TableWriter<Of<ClockNote>>
    private let events: TableWriter<Of<EventRow>>
    private let files: TableWriter<Of<OtherFile>>
    private let participants: TableWriter<ParticipantRecord>
    private let codebook: TableWriter<Codebook.Item>
    private let issues: TableWriter<DatasetIssue>

    private let words: CodebookIndex

    /// Without `hasMinutes` there are no tables of what recordings say minute by minute.
    init(_ folder: DatasetFolder, items: [String], _ words: CodebookIndex, hasMinutes: Bool) throws {
        self.words = words
        answers = try TableWriter(Tables.answers(items), folder)
        longAnswers = try TableWriter(Tables.longAnswers, folder)
        prompts = try TableWriter(Tables.prompts, folder)
        compliance = try TableWriter(Tables.compliance, folder)
        recordings = try TableWriter(Tables.recordings, folder)
        coverage = try TableWriter(Tables.coverage, folder)
        epochs = hasMinutes ? try TableWriter(Tables.epochs, folder) : nil
        wear = hasMinutes ? try TableWriter(Tables.wear, folder) : nil
        positions = hasMinutes ? try TableWriter(Tables.positions, folder) : nil
        missing = try TableWriter(Tables.missing, folder)
        clock = try TableWriter(Tables.clock, folder)
        events = try TableWriter(Tables.events, folder)
        files = try TableWriter(Tables.files, folder)
        participants = try TableWriter(Tables.participants, folder)
        codebook = try TableWriter(Tables.codebook, folder)
        issues = try TableWriter(Tables.issues, folder)
    }

    func add(_ record: ParticipantRecord, _ minutes: ParticipantEpochs?) throws {
        let person = record.participant
        try participants.add(record)
        for submission in record.submissions where submission.repeats == nil {
            try answers.add(Of(person, submission))
            for answer in submission.answers {
                let label = words.label(of: answer, in: submission)
                try longAnswers.add(Of(person, .init(submission: submission, answer: answer, label: label)))
            }
        }
        for prompt in record.prompts { try prompts.add(Of(person, prompt)) }
        for day in ComplianceDay.days(of: record.prompts) { try compliance.add(Of(person, day)) }
        for recording in record.recordings { try recordings.add(Of(person, recording)) }
        for day in CoverageDay.days(of: record) { try coverage.add(Of(person, day)) }
        for item in record.missing { try missing.add(Of(person, item)) }
        for note in ClockNote.notes(of: record.recordings) { try clock.add(Of(person, note)) }
        for event in record.events { try events.add(Of(person, EventRow(event))) }
        for recording in record.recordings where recording.isOfEvents { try addPresses(of: recording, record) }
        for file in record.files { try files.add(Of(person, file)) }
        if let minutes { try add(minutes, of: person) }
    }

    private func add(_ minutes: ParticipantEpochs, of person: Participant) throws {
        for row in minutes.rows { try epochs?.add(Of(person, row)) }
        for day in WearDay.days(of: minutes.rows) { try wear?.add(Of(person, day)) }
        for row in minutes.positions { try positions?.add(Of(person, row)) }
    }

    func add(_ codebook: Codebook, _ issues: [DatasetIssue]) throws {
        for item in codebook.items { try self.codebook.add(item) }
        for issue in issues { try self.issues.add(issue) }
    }

    /// Closes the tables. Returns their descriptions for a Data Package.
    func finish() throws -> [JSONText] {
        [
            try participants.finish(), try answers.finish(), try longAnswers.finish(), try prompts.finish(),
            try compliance.finish(), try recordings.finish(), try coverage.finish(), try epochs?.finish(),
            try wear?.finish(), try positions?.finish(), try missing.finish(), try clock.finish(),
            try events.finish(), try files.finish(), try codebook.finish(), try issues.finish(),
        ].compactMap(\.self)
    }

    /// A damaged file gives no presses; that it is damaged is reported elsewhere.
    private func addPresses(of recording: StudyRecording, _ record: ParticipantRecord) throws {
        guard
            let file = try? RecordedFile(recording.source, named: recording.name, described: recording.description),
            let presses = try? ButtonLog.presses(file)
        else { return }
        let offset = recording.start?.offset ?? 0
        for press in presses where record.window.contains(press.time, offset: offset) {
            try events.add(Of(record.participant, EventRow(press, in: recording)))
        }
    }
}

/// One table while it is written.
final class TableWriter<Row> {
    private let table: DatasetTable<Row>
    private let file: TableFile
    private let folder: DatasetFolder
    private let keyPlaces: [Int]
    /// No row so far lacks a part of its key.
    private var isKeyed = true

    init(_ table: DatasetTable<Row>, _ folder: DatasetFolder) throws {
        (self.table, self.folder) = (table, folder)
        keyPlaces = table.columns.indices.filter { table.key.contains(table.columns[$0].name) }
        file = try TableFile(folder, table.file)
        try file.write(table.header)
    }

    func add(_ row: Row) throws {
        let cells = table.cells(row)
        isKeyed = isKeyed && !keyPlaces.contains { cells[$0].isEmpty }
        try file.write(CSVLine.text(cells))
    }

    func finish() throws -> JSONText {
        try file.finish()
        let entry = folder.entry(table.file)
        return table.json(bytes: entry?.bytes ?? 0, sha256: entry?.sha256 ?? "", isKeyed: isKeyed)
    }
}
