// SPDX-License-Identifier: Apache-2.0
import Base
import Exports
import SystemKit

/// Writes a dataset as tables with its recordings beside them, and for a Data Package what
/// describes them. `study-receiver export` calls `survey` first, then `run`.
package struct DatasetExport {
    package struct Outcome: Sendable {
        package var tables = 0
        package var recordings = 0
        /// Bytes of files that were made or replaced.
        package var newBytes: Int64 = 0
        package var issues: [DatasetIssue] = []
        package var holes: [(participant: String, item: MissingItem)] = []
    }

    private let dataset: any StudyDataset
    private let folder: DatasetFolder
    private let isPackage: Bool
    private let unblinds: Bool
    private let holdsRecordings: Bool
    private let progress: (Double) -> Void

    /// `unblinds` = with the seeds of the draws. Without `holdsRecordings` no recording is read: recordings are
    /// listed, but neither copied nor evaluated minute by minute. `progress` gets the share of the recordings'
    /// bytes that is done, 0...1.
    package init(
        _ dataset: any StudyDataset, to folder: DatasetFolder, isPackage: Bool, unblinds: Bool = false,
        holdsRecordings: Bool = true, progress: @escaping (Double) -> Void = { _ in }
    ) {
        (self.dataset, self.folder, self.isPackage, self.progress) = (dataset, folder, isPackage, progress)
        (self.unblinds, self.holdsRecordings) = (unblinds, holdsRecordings)
    }

    /// The holes, and how many bytes there are to place. Writes nothing.
    package static func survey(
        _ dataset: any StudyDataset
    ) throws -> (holes: [(participant: String, item: MissingItem)], bytes: Int64) {
        var (holes, bytes): ([(participant: String, item: MissingItem)], Int64) = ([], 0)
        try dataset.forEachRecord { record in
            holes += record.holes.map { (record.participant.id, $0) }
            bytes += record.recordings.reduce(0) { $0 + $1.bytes } + record.files.reduce(0) { $0 + $1.bytes }
        }
        return (holes, bytes)
    }

    /// `bytes` are those of `survey`.
    package func run(bytes: Int64) throws -> Outcome {
        var (outcome, reporting) = (Outcome(), ReportingTable())
        let words = CodebookIndex(dataset.codebook)
        let tables = try TableSet(folder, items: try dataset.items(), words, hasMinutes: holdsRecordings)
        var done: Int64 = 0
        let placer = FilePlacer(folder: folder) { count in
            done += count
            progress(bytes == 0 ? 1 : min(1, Double(done) / Double(bytes)))
        }
        var (issues, unlabelled) = (dataset.issues, UnlabelledAnswers(words))
        // Recordings are evaluated on all processors, one participant on each; rows are added in order.
        var placed: [ParticipantRecord] = []
        func addPlaced() throws {
            let all = holdsRecordings ? try Parallel.map(placed) { ParticipantEpochs(of: $0) } : []
            for (place, record) in placed.enumerated() {
                let minutes = holdsRecordings ? all[place] : nil
                try tables.add(record, minutes)
                reporting.add(record)
                unlabelled.add(record)
                issues += record.issues + (minutes?.issues ?? [])
                outcome.recordings += record.recordings.count
                outcome.holes += record.holes.map { (record.participant.id, $0) }
            }
            placed = []
        }
        try dataset.forEachRecord { whole in
            var record = whole
            try place(&record, placer)
            placed.append(record)
            // A run that is interrupted continues from here.
            try folder.save()
            if placed.count == Parallel.width { try addPlaced() }
        }
        try addPlaced()
        outcome.issues = (issues + unlabelled.issues).uniqued().sorted()
        try tables.add(dataset.codebook, outcome.issues)
        let resources = try tables.finish() + TrialExport.write(dataset, to: folder, unblinds: unblinds)
        outcome.tables = resources.count
        if isPackage {
            try folder.write(json(resources), to: "datapackage.json")
            try DatasetCode.write(to: folder, reporting, hasMinutes: holdsRecordings)
        }
        try folder.finish()
        outcome.newBytes = folder.newBytes
        return outcome
    }

    /// Places the files of a participant. Those that cannot be placed move from the record's lists to `missing`.
    private func place(_ record: inout ParticipantRecord, _ placer: FilePlacer) throws {
        let participant = record.participant
        let repeated = record.submissions.count { $0.repeats != nil }
        if repeated > 0 {
            let text = "\(Plural.of(repeated, "submission")) came twice, word for word; each is counted once"
            record.issues.append(.init(.repeated, participant.id, text))
        }
        try placeRecordings(of: &record, placer)
        try placeFiles(of: &record, placer)
    }

    private func placeRecordings(of record: inout ParticipantRecord, _ placer: FilePlacer) throws {
        let participant = record.participant
        var (kept, taken): ([StudyRecording], Set<String>) = ([], [])
        for recording in record.recordings {
            let path = "recordings/" + recording.place(of: participant)
            guard !taken.contains(path) else {
                note("\(recording.name) came twice with different contents; the second is left out", &record)
                record.missing.append(
                    MissingItem(
                        kind: .recording, enrolment: recording.enrolment, day: recording.start?.day,
                        name: recording.name, sha256: recording.sha256, bytes: recording.bytes,
                        state: "another of its name is here", why: nil, isHole: true))
                continue
            }
            let result =
                holdsRecordings
                ? try placer.place(recording.source, as: path, bytes: recording.bytes, sha256: recording.sha256)
                : FilePlacer.look(for: recording.source)
            guard note(result, recording.name, &record) else { continue }
            taken.insert(path)
            kept.append(recording)
            try placeDescription(of: recording, &record, placer)
        }
        record.recordings = kept
    }

    private func placeDescription(
        of recording: StudyRecording, _ record: inout ParticipantRecord, _ placer: FilePlacer
    ) throws {
        guard holdsRecordings, let source = recording.descriptionSource else { return }
        let place = recording.descriptionPlace(of: record.participant)
        let sum = try? Digest(ofFile: source).description
        let result: FilePlacer.Result =
            try sum.map { try placer.place(source, as: "recordings/" + place, bytes: 0, sha256: $0) } ?? .gone
        let name = place.split(separator: "/").last.map(String.init) ?? place
        // The record already has an issue for a description that cannot be read.
        if recording.description != nil { _ = note(result, name, &record) }
    }

    private func placeFiles(of record: inout ParticipantRecord, _ placer: FilePlacer) throws {
        let participant = record.participant
        var files: [OtherFile] = []
        for file in record.files {
            let result =
                holdsRecordings
                ? try placer.place(file, as: "files/" + file.place(of: participant)) : FilePlacer.look(for: file.source)
            if note(result, file.name, &record) { files.append(file) }
        }
        record.files = files
    }

    /// Adds an issue and a hole for a file that was not placed. Returns whether it was.
    private func note(_ result: FilePlacer.Result, _ name: String, _ record: inout ParticipantRecord) -> Bool {
        let state: String
        switch result {
        case .placed: return true
        case .damaged: state = "damaged here: its SHA-256 is no longer the one that was noted"
        case .unreadable(let reason): state = "not readable here: \(reason)"
        case .gone: state = "no longer here"
        }
        note("\(name) is \(state)", &record)
        record.missing.append(
            MissingItem(kind: .file, enrolment: nil, day: nil, name: name, state: state, why: nil, isHole: true))
        return false
    }

    private func note(_ text: String, _ record: inout ParticipantRecord) {
        record.issues.append(.init(.unreadable, record.participant.id, text))
    }

    private func json(_ resources: [JSONText]) -> JSONText {
        // Data Package: `^([-a-z0-9._/])+$`.
        let name = PathName.safe(dataset.study).lowercased().replacing("%", with: "-").replacing("~", with: "-")
        return .object([
            "profile": .string("data-package"), "name": .string("studyd-" + name),
            "title": .string(dataset.codebook.title ?? dataset.study),
            "description": dataset.codebook.instructions.map { .string($0) },
            "version": .string("\(Tables.version).0.0"), "created": .string(dataset.latest.rfc3339Zulu()),
            "study": .string(dataset.study), "ethics": dataset.codebook.ethics.map { .string($0) },
            "software": .string("studyd " + ProgramVersion.text), "resources": .array(resources),
        ])
    }
}
