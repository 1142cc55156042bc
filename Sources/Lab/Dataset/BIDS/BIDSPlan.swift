// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import SystemKit

/// A recording that becomes a table: everything but its rows, which take most of the time. `BIDSExport` makes
/// the plans of a session in order, and then calls `write`, on several threads, of those that are not kept.
struct BIDSPlan: Sendable {
    /// What the rows are made of: samples of motion (`BIDSMotion`), or anything else (`BIDSSeries`).
    enum Kind: Sendable { case motion, series }

    let recording: StudyRecording
    let description: RecordingDescription
    let kind: Kind
    /// The table's path from the session's folder.
    let table: String
    /// Paths from the dataset's folder: of the table, and of the JSON beside it.
    let name: String
    let sidecar: String
    let json: JSONText
    /// Small tables beside it, by their names in the dataset.
    var beside: [(name: String, text: String)] = []
    /// When its first sample was taken, UTC; nil while the clock was unknown.
    let start: Instant?
    /// The label of its task (`BIDSTask`).
    let task: String
    /// An earlier export wrote the same table; it stays.
    var isKept = false
    private let path: String
    /// What an earlier export wrote at `path`.
    private let earlier: DatasetFolder.Entry?

    /// `stem` is the path of the table from the session's folder, without its ending.
    init(
        _ recording: StudyRecording, _ description: RecordingDescription, _ kind: Kind, _ names: BIDSNames,
        stem: String, json: JSONText, start: Instant?, task: String, in folder: DatasetFolder
    ) throws {
        (self.recording, self.description, self.kind) = (recording, description, kind)
        (self.json, self.start, self.task) = (json, start, task)
        table = stem + ".tsv"
        (name, sidecar) = ("\(names.folder)/\(stem).tsv", "\(names.folder)/\(stem).json")
        (path, earlier) = ("\(folder.path)/\(name)", folder.unchanged(name))
        isKept = try keepEarlier(in: folder)
    }

    /// Keeps the table of an earlier export if the JSON beside it, which names the recording that the table is
    /// made of, would be the same; both are then noted as files of this export. Returns whether they are kept.
    private func keepEarlier(in folder: DatasetFolder) throws -> Bool {
        let digest = try Digest(ofText: json.indentedText).description
        guard let earlier, let described = folder.unchanged(sidecar), described.sha256 == digest else { return false }
        try folder.note(name, earlier, isNew: false)
        try folder.note(sidecar, described, isNew: false)
        return true
    }

    /// Writes the rows, on any thread. Nil where the recording's bytes are no longer those that arrived.
    func write() throws -> DatasetFolder.Entry? {
        guard try recording.isWhole else { return nil }
        let file = try PieceFile(path, earlier: earlier, isDigested: false)
        let output = ExportOutput(name: name) { bytes throws(FileError) in
            do { try file.write(bytes) } catch let error as FileError { throw error } catch {
                throw FileError(path: path, message: "\(error)")
            }
        }
        let source = try Self.open(recording)
        switch kind {
        case .motion: try BIDSMotion(source, description)?.write(to: output)
        case .series: try BIDSSeries(source, description)?.write(to: output)
        }
        try output.finish()
        return try file.finish().entry
    }

    static func open(_ recording: StudyRecording) throws -> RecordedFile {
        try RecordedFile(recording.source, named: recording.name, described: recording.description)
    }
}
