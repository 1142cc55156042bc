// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import Exports
import SystemKit

/// Writes each enrolment of a study as an XDF file: its signals and presses, and its prompts and
/// answers as markers, all on one clock. `study-receiver export` calls `run` once, after
/// `DatasetExport.survey`.
package struct XDFExport {
    private let dataset: any StudyDataset
    private let folder: DatasetFolder
    private let window: ExportWindow
    private let progress: (Double) -> Void

    /// Samples outside `window` are left out. `progress` gets the share of the recordings' bytes
    /// that is done, 0...1.
    package init(
        _ dataset: any StudyDataset, to folder: DatasetFolder, window: ExportWindow,
        progress: @escaping (Double) -> Void = { _ in }
    ) {
        (self.dataset, self.folder, self.window, self.progress) = (dataset, folder, window, progress)
    }

    /// `bytes`: of all recordings in the window, as the survey found them.
    package func run(bytes: Int64) throws -> DatasetExport.Outcome {
        var (outcome, done) = (DatasetExport.Outcome(), Int64(0))
        var issues = dataset.issues
        try dataset.forEachRecord { record in
            issues += record.issues
            outcome.holes += record.holes.map { (record.participant.id, $0) }
            for session in BIDSSession.all(of: record) {
                let (files, refused, holes) = try Self.files(record, session.enrolment)
                issues += refused
                outcome.holes += holes.map { (record.participant.id, $0) }
                let size = record.recordings.reduce(0) { $1.enrolment == session.enrolment ? $0 + $1.bytes : $0 }
                try write(record, session.enrolment, files) { share in
                    progress(min(1, (Double(done) + share * Double(size)) / Double(max(1, bytes))))
                }
                done += size
                outcome.recordings += files.count
                outcome.tables += 1
            }
            try folder.save()
        }
        try folder.finish()
        outcome.issues = issues.uniqued().sorted()
        outcome.newBytes = folder.newBytes
        return outcome
    }

    /// The recordings that can be placed on one clock, and what is wrong with the others; those that are no
    /// longer what arrived are holes.
    private static func files(
        _ record: ParticipantRecord, _ enrolment: String?
    ) throws -> (files: [RecordedFile], refused: [DatasetIssue], holes: [MissingItem]) {
        var (files, refused, holes): ([RecordedFile], [DatasetIssue], [MissingItem]) = ([], [], [])
        for recording in record.recordings where recording.enrolment == enrolment {
            let refusal: RefusedRecording?
            do {
                refusal = try add(recording, to: &files)
            } catch let error as FileError where error.path == recording.source {
                // `code` is errno; 0 = the file was read, and is not what its name says.
                refusal = RefusedRecording("cannot be read: \(error.reason)", isHole: error.code != 0)
            }
            guard let refusal else { continue }
            let text = "\(recording.name) \(refusal.reason); it is not in the XDF file"
            refused.append(.init(refusal.kind, record.participant.id, text))
            if let hole = refusal.hole(recording) { holes.append(hole) }
        }
        return (files.sorted { ($0.description?.number ?? 0) < ($1.description?.number ?? 0) }, refused, holes)
    }

    /// Adds the recording's file; returns why that cannot be, nil where it was added.
    private static func add(_ recording: StudyRecording, to files: inout [RecordedFile]) throws -> RefusedRecording? {
        if recording.start == nil { return RefusedRecording("has no time of day", isHole: false, .leftOut) }
        guard try recording.isWhole else { return .damaged }
        let file = try RecordedFile(recording.source, named: recording.name, described: recording.description)
        guard ExportCatalog.standard.formats(of: file.content).contains(.xdf) else {
            return RefusedRecording("is \(file.content.title)", isHole: false, .leftOut)
        }
        // Throws for a file without an intact block, which would end the export of the others.
        if file.content == .motion { _ = try MotionSource([file]) }
        files.append(file)
        return nil
    }

    private func write(
        _ record: ParticipantRecord, _ enrolment: String?, _ files: [RecordedFile], progress: (Double) -> Void
    ) throws {
        let name = "\(PathName.safe(record.participant.id))/\(PathName.safe(enrolment ?? "unknown")).xdf"
        let file = try TableFile(folder, name)
        let output = ExportOutput(name: name) { bytes throws(FileError) in
            do { try file.write(bytes) } catch let error as FileError { throw error } catch {
                throw FileError(path: name, message: "\(error)")
            }
        }
        let markers = [
            XDFMarkers("prompts", Self.prompts(record, enrolment)),
            XDFMarkers("answers", Self.answers(record, enrolment)),
        ]
        _ = try XDFExporter.export(files, window, markers: markers, to: output, progress: progress)
        try output.finish()
        try file.finish()
    }

    private static func prompts(_ record: ParticipantRecord, _ enrolment: String?) -> [(time: Instant, text: String)] {
        var events: [(time: Instant, text: String)] = []
        for prompt in record.prompts where prompt.enrolment == enrolment {
            if let time = prompt.presented { events.append((time.instant, "prompt \(prompt.task)")) }
            if let time = prompt.opened { events.append((time.instant, "opened \(prompt.task)")) }
            let reason = prompt.reason.map { " (\($0))" } ?? ""
            events.append(((prompt.ended ?? prompt.due).instant, "\(prompt.outcome) \(prompt.task)\(reason)"))
        }
        return events.sorted { ($0.time.nanoseconds, $0.text) < ($1.time.nanoseconds, $1.text) }
    }

    private static func answers(_ record: ParticipantRecord, _ enrolment: String?) -> [(time: Instant, text: String)] {
        var events: [(time: Instant, text: String)] = []
        for submission in record.submissions where submission.enrolment == enrolment && submission.repeats == nil {
            for answer in submission.answers where !answer.value.isEmpty {
                let time = answer.answered ?? submission.answered
                events.append((time.instant, "\(answer.item) = \(answer.value)"))
            }
        }
        return events.sorted { ($0.time.nanoseconds, $0.text) < ($1.time.nanoseconds, $1.text) }
    }
}
