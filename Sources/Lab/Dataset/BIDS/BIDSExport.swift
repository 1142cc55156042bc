// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import Exports
import SystemKit

/// Writes a study as a dataset of the Brain Imaging Data Structure, one recording at a time. The
/// same input gives the same bytes; a second run writes what is new.
///
/// A participant is `sub`, an enrolment `ses`, a recording's number `run`. What BIDS has no place
/// for is named in `sourcedata`.
///
/// Source: bids-specification 1.10, "Motion", "Behavioral experiments" and "Modality agnostic
/// files".
package struct BIDSExport {
    /// Opens a recording of the dataset.
    package typealias Opening = (StudyRecording) throws -> RecordedFile

    private let dataset: any StudyDataset
    private let folder: BIDSFolder
    private let labels: BIDSLabels
    private let questions: BIDSQuestions
    private let open: Opening

    /// `participants` are those of the dataset that are wanted.
    package init(_ dataset: some StudyDataset, to path: String, open: @escaping Opening) throws {
        self.dataset = dataset
        self.open = open
        folder = BIDSFolder(path: path)
        labels = BIDSLabels(dataset.participants.map(\.id))
        questions = try BIDSQuestions(of: dataset, reserved: BIDSEvents.columns.map(\.name))
    }

    /// `progress` gets the share that is done, 0...1.
    package func run(progress: (Double) -> Void) throws {
        var (participants, lists, tasks) = (BIDSParticipants(labels), BIDSLists(), Set([daily.label]))
        var reporting = ReportingTable()
        for (place, participant) in dataset.participants.enumerated() {
            let record = try dataset.record(of: participant)
            participants.add(record)
            lists.add(record)
            reporting.add(record)
            for session in BIDSSession.all(of: record) {
                try write(record, session, &lists, &tasks)
            }
            try writeSessions(record)
            progress(Double(place + 1) / Double(dataset.participants.count))
        }
        try folder.write("participants.tsv", participants.table.text)
        try folder.write("participants.json", participants.table.json)
        try folder.write("sourcedata/missing.tsv", lists.missing.text)
        try folder.write("sourcedata/left_out.tsv", lists.leftOut.text)
        for label in tasks.sorted() { try folder.write("task-\(label)_events.json", events(of: label)) }
        try folder.write("code/reporting.md", reporting.text)
        try BIDSDocuments(dataset, labels).write(to: folder)
    }

    // MARK: a session

    private func write(
        _ record: ParticipantRecord, _ session: BIDSSession, _ lists: inout BIDSLists, _ tasks: inout Set<String>
    ) throws {
        let sub = "sub-\(labels[record.participant.id])"
        let names = BIDSNames(folder: "\(sub)/\(session.label)", stem: "\(sub)_\(session.label)")
        let recordings = record.recordings.filter { $0.enrolment == session.enrolment }
        let presses = try presses(of: recordings, record, &lists)
        let events = BIDSEvents(record, enrolment: session.enrolment, presses: presses, questions)
        var scans = BIDSScans()
        if let first = events.events.first {
            let name = "beh/\(names.stem)_task-\(daily.label)_events.tsv"
            let zero = Instant(seconds: first.time.instant.seconds)
            try folder.write("\(names.folder)/\(name)", events.text(since: zero))
            scans.add(name, zero, nil)
        }
        var runs: Set<String> = []
        for recording in recordings {
            let reason = try write(recording, names, events, &scans, &tasks, &runs)
            if let reason { lists.leaveOut(record, recording.name, reason) }
        }
        try folder.write("\(names.folder)/\(names.stem)_scans.tsv", scans.table.text)
        try folder.write("\(names.folder)/\(names.stem)_scans.json", scans.table.json)
    }

    private func presses(
        of recordings: [StudyRecording], _ record: ParticipantRecord, _ lists: inout BIDSLists
    ) throws -> [ButtonPress] {
        var all: [ButtonPress] = []
        for recording in recordings where recording.description?.kind == "buttons" {
            let presses = try ButtonLog.presses(open(recording))
            let unknown = presses.count { $0.time == nil }
            if unknown > 0 { lists.leaveOut(record, recording.name, "\(unknown) presses at an unknown time of day") }
            all += presses
        }
        return all
    }

    /// Returns why there is no place for it; nil where there is.
    private func write(
        _ recording: StudyRecording, _ names: BIDSNames, _ events: BIDSEvents, _ scans: inout BIDSScans,
        _ tasks: inout Set<String>, _ runs: inout Set<String>
    ) throws -> String? {
        guard let description = recording.description else { return "came without a description" }
        if description.kind == "buttons" { return nil }
        let (task, measure) = (self.task(of: description), BIDSLabels.plain(description.identifier))
        let run = "run-\(description.number.padded(6))"
        guard runs.insert("\(task.label) \(measure) \(run)").inserted else { return "another has the same number" }
        let file = try open(recording)
        let start: Instant?
        let table: String
        if let motion = try BIDSMotion(file, description) {
            let stem = "motion/\(names.stem)_task-\(task.label)_tracksys-\(measure)_\(run)"
            table = stem + "_motion.tsv"
            start = motion.start
            try folder.write("\(names.folder)/\(stem)_channels.tsv", motion.channelTable)
            try folder.write("\(names.folder)/\(stem)_events.tsv", Self.during(description, start, events))
            try folder.write(
                "\(names.folder)/\(table)", describedBy: "\(names.folder)/\(stem)_motion.json",
                as: motion.json(task, source: recording), motion.write)
        } else if let series = try BIDSSeries(file, description) {
            let stem = "beh/\(names.stem)_task-\(task.label)_acq-\(measure)_\(run)_beh"
            table = stem + ".tsv"
            start = series.start
            try folder.write(
                "\(names.folder)/\(table)", describedBy: "\(names.folder)/\(stem).json",
                as: series.json(task, source: recording), series.write)
        } else {
            return "\(file.content.title) has no place in BIDS"
        }
        scans.add(table, start, recording)
        tasks.insert(task.label)
        return nil
    }

    /// What happened while it was recorded.
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

    /// What every events file of a task is described by.
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
