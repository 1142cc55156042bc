// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import Exports
import SystemKit

/// Writes a study as a dataset of the Brain Imaging Data Structure, one recording at a time. The
/// same input gives the same bytes; a second run writes what is new.
///
/// `study-receiver export` calls `run` once, after `DatasetExport.survey`. A participant is `sub`, an
/// enrolment `ses`, a recording's number `run`. What BIDS has no place for is named in `sourcedata`.
///
/// Source: bids-specification 1.10, "Motion", "Behavioral experiments" and "Modality agnostic
/// files".
package struct BIDSExport {
    private let dataset: any StudyDataset
    private let folder: DatasetFolder
    private let labels: BIDSLabels
    private let questions: BIDSQuestions
    private let progress: (Double) -> Void

    /// `progress` gets the share of the recordings' bytes that is done, 0...1.
    package init(
        _ dataset: any StudyDataset, to folder: DatasetFolder, progress: @escaping (Double) -> Void = { _ in }
    ) throws {
        self.dataset = dataset
        self.folder = folder
        self.progress = progress
        labels = BIDSLabels(dataset.everyone)
        // Questions need no recording: `unopened` decrypts none.
        questions = try BIDSQuestions(of: dataset.unopened, reserved: BIDSEvents.reserved)
    }

    /// What is gathered while one participant after the other is written; `finish` writes it.
    private struct Draft {
        var participants: BIDSParticipants
        var lists = BIDSLists()
        var reporting = ReportingTable()
        /// Labels of the tasks that something was recorded for.
        var tasks: Set<String>
        var outcome = DatasetExport.Outcome()
        /// Of all recordings.
        let bytes: Int64
        var bytesDone: Int64 = 0

        var progress: Double { bytes == 0 ? 1 : min(1, Double(bytesDone) / Double(bytes)) }

        mutating func leaveOut(_ record: ParticipantRecord, _ recording: StudyRecording, _ refusal: RefusedRecording) {
            lists.leaveOut(record, recording.name, refusal.reason)
            // A hole is an absence that nothing explains (`MissingItem.isHole`).
            guard let hole = refusal.hole(recording) else { return }
            outcome.holes.append((participant: record.participant.id, item: hole))
            let text = "\(recording.name): \(refusal.reason)"
            outcome.issues.append(.init(.unreadable, record.participant.id, text))
        }
    }

    /// `bytes` are those of `DatasetExport.survey`.
    package func run(bytes: Int64) throws -> DatasetExport.Outcome {
        var draft = Draft(participants: BIDSParticipants(labels), tasks: [daily.label], bytes: bytes)
        var (issues, unlabelled) = (dataset.issues, UnlabelledAnswers(CodebookIndex(dataset.codebook)))
        for issue in issues { draft.lists.leaveOut(issue) }
        try dataset.forEachRecord { record in
            draft.participants.add(record)
            draft.lists.add(record)
            draft.reporting.add(record)
            unlabelled.add(record)
            for session in BIDSSession.all(of: record) { try write(session, of: record, &draft) }
            try writeSessions(record)
            issues += record.issues
            draft.outcome.holes += record.holes.map { (record.participant.id, $0) }
            // An export that is broken off continues from here.
            try folder.save()
        }
        for issue in unlabelled.issues.sorted() { draft.lists.leaveOut(issue) }
        issues += unlabelled.issues
        try finish(draft)
        draft.outcome.issues = (issues + draft.outcome.issues).uniqued().sorted()
        draft.outcome.newBytes = folder.newBytes
        return draft.outcome
    }

    private func finish(_ draft: Draft) throws {
        try draft.participants.table.write(to: folder, as: "participants")
        try folder.write(draft.lists.missing.text, to: "sourcedata/missing.tsv")
        try folder.write(draft.lists.leftOut.text, to: "sourcedata/left_out.tsv")
        for label in draft.tasks.sorted() { try folder.write(eventColumns(of: label), to: "task-\(label)_events.json") }
        try DatasetCode.write(to: folder, draft.reporting)
        try BIDSDocuments(dataset, labels).write(to: folder)
        try folder.finish()
    }

    private var daily: BIDSTask { .daily(in: dataset) }

    /// The JSON that describes every events file of a task.
    private func eventColumns(of label: String) -> JSONText {
        let task = label == daily.label ? daily.members : [JSONText.Member("TaskName", .string(label))]
        let shown: JSONText = .object([
            "StimulusPresentation": .object(["SoftwareName": .string("studyd")])
        ])
        return .object(task + shown.members + BIDSEvents.columns.map(\.json) + questions.json)
    }

    private func writeSessions(_ record: ParticipantRecord) throws {
        let sub = "sub-\(labels[record.participant.id])"
        var table = BIDSTable([
            .init("session_id", "One enrolment of one device."), .init("acq_time", "When it began, UTC."),
            .init("enrolment", "The device's name of it; n/a for what came with none."),
        ])
        for session in BIDSSession.all(of: record) {
            table.add([session.label, session.began?.instant.rfc3339Zulu(fractionDigits: 3), session.enrolment])
        }
        guard !table.rows.isEmpty else { return }
        try table.write(to: folder, as: "\(sub)/\(sub)_sessions")
    }

    // MARK: a session

    private func write(_ session: BIDSSession, of record: ParticipantRecord, _ draft: inout Draft) throws {
        let sub = "sub-\(labels[record.participant.id])"
        let names = BIDSNames(folder: "\(sub)/\(session.label)", stem: "\(sub)_\(session.label)")
        let recordings = record.recordings.filter { $0.enrolment == session.enrolment }
        let presses = try takePresses(of: recordings, record, &draft)
        let events = BIDSEvents(record, enrolment: session.enrolment, presses: presses, questions)
        var scans = BIDSScans()
        if let first = events.events.first {
            let name = "beh/\(names.stem)_task-\(daily.label)_events.tsv"
            let zero = Instant(seconds: first.time.instant.seconds)
            try folder.write(events.text(since: zero), to: "\(names.folder)/\(name)")
            scans.add(name, zero, nil)
        }
        try writeTables(plan(recordings, record, names, events, &draft), record, &scans, &draft)
        try scans.table.write(to: folder, as: "\(names.folder)/\(names.stem)_scans")
    }

    /// The plans of those recordings that BIDS has a place for; notes in `draft` why others are left out.
    private func plan(
        _ recordings: [StudyRecording], _ record: ParticipantRecord, _ names: BIDSNames, _ events: BIDSEvents,
        _ draft: inout Draft
    ) throws -> [BIDSPlan] {
        var planner = BIDSPlanner(dataset, names, events, in: folder)
        for recording in recordings {
            let before = planner.plans.count
            let refusal = try Self.refusingUnreadable(recording) { () throws -> RefusedRecording? in
                try planner.add(recording)
            }
            if let refusal { draft.leaveOut(record, recording, refusal) }
            if planner.plans.count == before { draft.bytesDone += recording.bytes }
        }
        return planner.plans
    }

    /// Writes the rows of several recordings at once, one on each processor; what describes them is written
    /// afterwards in the order of `plans`, so that the bytes are always the same. Reports progress in between.
    private func writeTables(
        _ plans: [BIDSPlan], _ record: ParticipantRecord, _ scans: inout BIDSScans, _ draft: inout Draft
    ) throws {
        for start in stride(from: 0, to: plans.count, by: 4 * Parallel.width) {
            let part = Array(plans[start..<min(plans.count, start + 4 * Parallel.width)])
            let tables = try Parallel.map(part) { plan in
                Result { try plan.isKept ? nil : plan.write() }
            }
            for (plan, table) in zip(part, tables) {
                let refusal = try Self.refusingUnreadable(plan.recording) { () throws -> RefusedRecording? in
                    try complete(plan, try table.get(), &scans, &draft)
                }
                if let refusal { draft.leaveOut(record, plan.recording, refusal) }
                draft.bytesDone += plan.recording.bytes
                progress(draft.progress)
            }
        }
    }

    /// Notes a table that was written, and writes what belongs to it. Returns why its recording cannot
    /// be trusted.
    private func complete(
        _ plan: BIDSPlan, _ table: DatasetFolder.Entry?, _ scans: inout BIDSScans, _ draft: inout Draft
    ) throws -> RefusedRecording? {
        if !plan.isKept {
            guard let table else { return .damaged }
            try folder.note(plan.name, table, isNew: true)
            try folder.write(plan.json, to: plan.sidecar)
        }
        for (name, text) in plan.beside { try folder.write(text, to: name) }
        scans.add(plan.table, plan.start, plan.recording)
        draft.tasks.insert(plan.task)
        draft.outcome.tables += 1
        draft.outcome.recordings += 1
        return nil
    }

    /// Runs `body`. An error of the recording's own file is a reason to leave it out; any other error ends
    /// the export.
    private static func refusingUnreadable(
        _ recording: StudyRecording, _ body: () throws -> RefusedRecording?
    ) throws -> RefusedRecording? {
        do { return try body() } catch let error as FileError where error.path == recording.source {
            // `code` is errno; 0 = the file was read, and is not what its name says.
            return RefusedRecording("\(error)", isHole: error.code != 0)
        }
    }

    /// The presses of a session, for its events; leaves out what cannot be read.
    private func takePresses(
        of recordings: [StudyRecording], _ record: ParticipantRecord, _ draft: inout Draft
    ) throws -> [(press: ButtonPress, time: StudyTime)] {
        var all: [(press: ButtonPress, time: StudyTime)] = []
        for recording in recordings where recording.description?.kind == "buttons" {
            let refusal = try Self.refusingUnreadable(recording) { () throws -> RefusedRecording? in
                let presses = try ButtonLog.presses(BIDSPlan.open(recording))
                // A press at an unknown time has no place in BIDS; its recording is named among what is left out.
                for press in presses {
                    guard let instant = press.time else { continue }
                    let time = StudyTime(instant, offset: recording.start?.offset)
                    if record.window.contains(instant, offset: time.offset ?? 0) { all.append((press, time)) }
                }
                let unknown = presses.count { $0.time == nil }
                guard unknown > 0 else { return nil }
                let words = Plural.of(unknown, "press", "presses")
                return RefusedRecording("\(words) at an unknown time of day", isHole: false)
            }
            if let refusal { draft.leaveOut(record, recording, refusal) }
            draft.outcome.recordings += 1
        }
        return all
    }
}
