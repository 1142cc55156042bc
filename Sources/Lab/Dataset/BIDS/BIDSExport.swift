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
    private let folder: BIDSFolder
    private let labels: BIDSLabels
    private let questions: BIDSQuestions
    private let progress: (Double) -> Void

    /// `progress` gets the share of the recordings' bytes that is done, 0...1.
    package init(
        _ dataset: any StudyDataset, to folder: DatasetFolder, progress: @escaping (Double) -> Void = { _ in }
    ) throws {
        self.dataset = dataset
        self.folder = BIDSFolder(folder: folder)
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
        var bytesDone: Int64 = 0

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
        var draft = Draft(participants: BIDSParticipants(labels), tasks: [daily.label])
        var (issues, unlabelled) = (dataset.issues, UnlabelledAnswers(CodebookIndex(dataset.codebook)))
        for issue in issues { draft.lists.leaveOut(issue) }
        try dataset.forEachRecord { record in
            draft.participants.add(record)
            draft.lists.add(record)
            draft.reporting.add(record)
            unlabelled.add(record)
            for session in BIDSSession.all(of: record) { try write(record, session, &draft, of: bytes) }
            try writeSessions(record)
            issues += record.issues
            draft.outcome.holes += record.holes.map { (record.participant.id, $0) }
            // An export that is broken off continues from here.
            try folder.folder.save()
        }
        for issue in unlabelled.issues.sorted() { draft.lists.leaveOut(issue) }
        issues += unlabelled.issues
        try finish(draft)
        draft.outcome.issues = (issues + draft.outcome.issues).uniqued().sorted()
        draft.outcome.newBytes = folder.folder.newBytes
        return draft.outcome
    }

    private func finish(_ draft: Draft) throws {
        try folder.write("participants.tsv", draft.participants.table.text)
        try folder.write("participants.json", draft.participants.table.json)
        try folder.write("sourcedata/missing.tsv", draft.lists.missing.text)
        try folder.write("sourcedata/left_out.tsv", draft.lists.leftOut.text)
        for label in draft.tasks.sorted() { try folder.write("task-\(label)_events.json", events(of: label)) }
        try DatasetCode.write(to: folder.folder, draft.reporting)
        try BIDSDocuments(dataset, labels).write(to: folder)
        try folder.folder.finish()
    }

    // MARK: a session

    private func write(
        _ record: ParticipantRecord, _ session: BIDSSession, _ draft: inout Draft, of bytes: Int64
    ) throws {
        let sub = "sub-\(labels[record.participant.id])"
        let names = BIDSNames(folder: "\(sub)/\(session.label)", stem: "\(sub)_\(session.label)")
        let recordings = record.recordings.filter { $0.enrolment == session.enrolment }
        let presses = try presses(of: recordings, record, &draft)
        let events = BIDSEvents(record, enrolment: session.enrolment, presses: presses, questions)
        var scans = BIDSScans()
        if let first = events.events.first {
            let name = "beh/\(names.stem)_task-\(daily.label)_events.tsv"
            let zero = Instant(seconds: first.time.instant.seconds)
            try folder.write("\(names.folder)/\(name)", events.text(since: zero))
            scans.add(name, zero, nil)
        }
        try write(plans(of: recordings, record, names, events, &draft), record, &scans, &draft, of: bytes)
        try folder.write("\(names.folder)/\(names.stem)_scans.tsv", scans.table.text)
        try folder.write("\(names.folder)/\(names.stem)_scans.json", scans.table.json)
    }

    /// The plans of those recordings that BIDS has a place for; notes in `draft` why others are left out.
    private func plans(
        of recordings: [StudyRecording], _ record: ParticipantRecord, _ names: BIDSNames, _ events: BIDSEvents,
        _ draft: inout Draft
    ) throws -> [BIDSPlan] {
        var (plans, runs): ([BIDSPlan], [String: [UInt32]]) = ([], [:])
        for recording in recordings {
            let before = plans.count
            let refusal = try Self.refusingUnreadable(recording) { () throws -> RefusedRecording? in
                try addPlan(recording, names, events, &plans, &runs)
            }
            if let refusal { draft.leaveOut(record, recording, refusal) }
            if plans.count == before { draft.bytesDone += recording.bytes }
        }
        return plans
    }

    /// Writes the rows of several recordings at once, one on each processor; what describes them is written
    /// afterwards in the order of `plans`, so that the bytes are always the same. Reports progress in between.
    private func write(
        _ plans: [BIDSPlan], _ record: ParticipantRecord, _ scans: inout BIDSScans, _ draft: inout Draft,
        of bytes: Int64
    ) throws {
        for start in stride(from: 0, to: plans.count, by: 4 * Parallel.width) {
            let part = Array(plans[start..<min(plans.count, start + 4 * Parallel.width)])
            let tables = try Parallel.map(part) { plan in
                Result { try plan.isKept ? nil : plan.write() }
            }
            for (plan, table) in zip(part, tables) {
                let refusal = try Self.refusingUnreadable(plan.recording) { () throws -> RefusedRecording? in
                    try finish(plan, try table.get(), &scans, &draft)
                }
                if let refusal { draft.leaveOut(record, plan.recording, refusal) }
                draft.bytesDone += plan.recording.bytes
                progress(bytes == 0 ? 1 : min(1, Double(draft.bytesDone) / Double(bytes)))
            }
        }
    }

    /// Notes a table that was written, and writes what belongs to it. Returns why its recording cannot
    /// be trusted.
    private func finish(
        _ plan: BIDSPlan, _ table: DatasetFolder.Entry?, _ scans: inout BIDSScans, _ draft: inout Draft
    ) throws -> RefusedRecording? {
        if !plan.isKept {
            guard let table else { return .damaged }
            try folder.folder.note(plan.name, table, isNew: true)
            try folder.write(plan.sidecar, plan.json)
        }
        for (name, text) in plan.beside { try folder.write(name, text) }
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

    private func presses(
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

    /// Appends the recording's plan to `plans`, or returns why BIDS has no place for it. A recording of presses
    /// gets no plan and no refusal: its presses are among the events. `runs` has the devices by task, measure
    /// and run: every device numbers its own recordings, so that two devices may have a run of one name.
    private func addPlan(
        _ recording: StudyRecording, _ names: BIDSNames, _ events: BIDSEvents, _ plans: inout [BIDSPlan],
        _ runs: inout [String: [UInt32]]
    ) throws -> RefusedRecording? {
        guard let description = recording.description else {
            return RefusedRecording("came without a description", isHole: false)
        }
        if description.kind == "buttons" { return nil }
        let task = self.task(of: description)
        let run = "run-\(description.number.padded(6))"
        var measure = BIDSLabels.plain(description.identifier)
        let devices = runs["\(task.label) \(measure) \(run)", default: []]
        guard !devices.contains(description.deviceNumber) else {
            return RefusedRecording("another has the same number", isHole: true)
        }
        runs["\(task.label) \(measure) \(run)"] = devices + [description.deviceNumber]
        // The second device with this run gets `x2` behind the measure.
        if !devices.isEmpty { measure += "x\(devices.count + 1)" }
        let file = try BIDSPlan.open(recording)
        if let motion = try BIDSMotion(file, description) {
            let stem = "motion/\(names.stem)_task-\(task.label)_tracksys-\(measure)_\(run)"
            var plan = try BIDSPlan(
                recording, description, .motion, table: stem + "_motion.tsv",
                name: "\(names.folder)/\(stem)_motion.tsv", sidecar: "\(names.folder)/\(stem)_motion.json",
                json: motion.json(task, source: recording), start: motion.start, task: task.label, in: folder)
            plan.beside = [
                ("\(names.folder)/\(stem)_channels.tsv", motion.channelTable),
                ("\(names.folder)/\(stem)_events.tsv", Self.during(description, motion.start, events)),
            ]
            plans.append(plan)
        } else if let series = try BIDSSeries(file, description) {
            let stem = "beh/\(names.stem)_task-\(task.label)_acq-\(measure)_\(run)_beh"
            plans.append(
                try BIDSPlan(
                    recording, description, .series, table: stem + ".tsv", name: "\(names.folder)/\(stem).tsv",
                    sidecar: "\(names.folder)/\(stem).json", json: series.json(task, source: recording),
                    start: series.start, task: task.label, in: folder))
        } else {
            return RefusedRecording("\(file.content.title) has no place in BIDS", isHole: false)
        }
        return nil
    }

    /// The events table of what happened during a recording.
    private static func during(_ description: RecordingDescription, _ start: Instant?, _ events: BIDSEvents) -> String {
        guard let start else { return events.text(since: .epoch) { _ in false } }
        let length = max(0, min(1e9, description.endUptime - description.startUptime))
        let end = start + .nanoseconds(Int64(length * 1e9))
        return events.text(since: start) { $0.time.instant >= start && $0.time.instant <= end }
    }

    // MARK: tasks

    private var instructions: String { BIDSCell.text(dataset.codebook.instructions) }
    private var daily: BIDSTask {
        BIDSTask(
            label: "dailylife", name: "daily life",
            description: "The participant lives as usual, wears the device and answers the study's prompts.",
            instructions: instructions)
    }

    private func task(of description: RecordingDescription) -> BIDSTask {
        guard let note = description.task else { return daily }
        let name = dataset.codebook.items.first { $0.task == note.task }?.taskName ?? note.task
        return BIDSTask(
            label: BIDSLabels.plain(note.task), name: name.isEmpty ? note.task : name,
            description: "Recorded while the participant did this task of the study.", instructions: instructions)
    }

    /// The JSON that describes every events file of a task.
    private func events(of label: String) -> JSONText {
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
        try folder.write("\(sub)/\(sub)_sessions.tsv", table.text)
        try folder.write("\(sub)/\(sub)_sessions.json", table.json)
    }
}

/// The parts that the names of a session's files have in common.
private struct BIDSNames {
    let folder: String
    let stem: String
}
