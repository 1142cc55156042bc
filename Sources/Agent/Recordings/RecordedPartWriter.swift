// SPDX-License-Identifier: Apache-2.0
import AgentCore
import Recording
import Store
import StudyModel
import SystemKit

/// Writes what recorders of a run recorded into the archive of its request. Reads the recordings folder; blocks on the disk.
package struct RecordedPartWriter: Sendable {
    private let folder: String

    /// For recordings of that folder.
    package init(folder: String) { self.folder = folder }

    /// The drafts with their requests packed and encrypted; others stay as they are. The same run for two destinations is the same bytes.
    package func packed(_ drafts: [OutboxDraft]) -> [OutboxDraft] {
        var done: [String: WireRequest] = [:]
        return drafts.map { draft in
            guard case .request(let request) = draft.content, request.archive != nil else { return draft }
            let ready = done[draft.origin] ?? ArchivePacker.sealed(request, recorded: write)
            done[draft.origin] = ready
            return OutboxDraft(
                origin: draft.origin, itemClass: draft.itemClass, destination: draft.destination,
                content: .request(ready), isLast: draft.isLast, followsAnswers: draft.followsAnswers)
        }
    }

    /// The request with its body.
    package func packed(_ request: WireRequest) -> WireRequest { ArchivePacker.sealed(request, recorded: write) }

    /// One file of the archive.
    private func write(_ part: RecordedPart, to output: ExportOutput) throws(RecordingError) {
        let paths = part.files.map { "\(folder)/\($0)" }
        let marks = part.marks.map { StepMark(uptime: $0.uptime, path: $0.path, date: $0.date) }
        guard let first = paths.first else { return }
        switch part.form {
        case .asItIs: try copy(first, to: output)
        case .motion(let sensors):
            var files: [RecordedFile] = []
            for path in paths { files.append(try RecordedFile(path)) }
            var log = MotionLog(
                files, sensors: sensors.compactMap(MotionLog.Sensor.init), marks: marks, until: part.end, to: output)
            try log.write()
        case .levels:
            var log = LevelLog(try RecordedFile(first), marks: marks, to: output)
            try log.write()
        case .track(let withPlaces, let step):
            try SageJSONLocationExporter.log(
                RecordedFile(first), marks: marks, until: part.end, withPlaces: withPlaces, movingIn: step, to: output)
        }
    }

    /// Whether any of them carries an archive that is to be packed.
    static func isNeeded(for drafts: [OutboxDraft]) -> Bool {
        drafts.contains { if case .request(let request) = $0.content { request.archive != nil } else { false } }
    }

    private func copy(_ path: String, to output: ExportOutput) throws(RecordingError) {
        let file = try DiskFile(path, .read)
        var place = 0
        while true {
            let bytes = try file.read(65_536, at: place)
            if bytes.isEmpty { return }
            output.bytes(bytes)
            try output.drain()
            place += bytes.count
        }
    }
}
