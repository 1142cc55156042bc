// SPDX-License-Identifier: Apache-2.0
import Device
import Study
import SystemKit

/// Packs and encrypts the requests that send a run's answers, with what was recorded in the run in their archives.
/// `CommitService` calls `packed` before they are queued. Reads the recordings folder; blocks on the disk.
package struct RequestPacker: Sendable {
    private let folder: String?
    private let opener: DeviceOpener?

    /// For recordings of that folder; nil = there are none. Encrypted ones are opened by `opener`.
    package init(folder: String?, opener: DeviceOpener? = nil) { (self.folder, self.opener) = (folder, opener) }

    /// The drafts with their requests packed and encrypted; others stay as they are. The same run
    /// for two destinations is the same bytes. A request that cannot be packed or encrypted is left
    /// out: a row says so, and one for each recording that cannot be read.
    package func packed(_ drafts: [OutboxDraft]) -> (drafts: [OutboxDraft], faults: [StudyEvent]) {
        var done: [String: WireRequest?] = [:]
        var faults: [StudyEvent] = []
        let packed = drafts.compactMap { draft -> OutboxDraft? in
            guard case .request(let request) = draft.content, request.isToBePacked else { return draft }
            let ready = done[draft.origin] ?? pack(request, draft.origin, &faults)
            done[draft.origin] = .some(ready)
            return ready.map {
                OutboxDraft(
                    origin: draft.origin, itemClass: draft.itemClass, destination: draft.destination,
                    content: .request($0), isLast: draft.isLast, followsAnswers: draft.followsAnswers)
            }
        }
        return (packed, faults)
    }

    private func pack(_ request: WireRequest, _ origin: String, _ faults: inout [StudyEvent]) -> WireRequest? {
        do {
            let packed = try ArchivePacker.packed(request, recorded: write)
            faults += packed.unreadable.sorted { $0.key < $1.key }.map { name, error in
                .fault(place: "delivery", message: "the archive of \(origin) is sent without \(name): \(error)")
            }
            return packed.request
        } catch {
            let message =
                "nothing is sent of \(origin), which could not be packed or encrypted: \(error); its answers are in the event log"
            faults.append(.fault(place: "delivery", message: message))
            return nil
        }
    }

    package func packed(_ request: WireRequest) throws -> WireRequest {
        try ArchivePacker.packed(request, recorded: write).request
    }

    private func write(_ part: RecordedPart, to output: ExportOutput) throws(FileError) {
        guard let folder else { throw .format(path: part.files.first ?? "", problem: "there is no recordings folder") }
        let paths = part.files.map { "\(folder)/\($0)" }
        guard let opener else { return try write(part, of: paths, to: output) }
        try opener.opened(paths) { opened throws(FileError) in try write(part, of: opened, to: output) }
    }

    private func write(_ part: RecordedPart, of paths: [String], to output: ExportOutput) throws(FileError) {
        let marks = part.marks.map { StepMark(uptime: $0.uptime, path: $0.path, date: $0.date) }
        guard let first = paths.first else {
            throw .format(path: part.files.first ?? "", problem: "no recording is named")
        }
        switch part.form {
        case .asItIs: try copy(first, to: output)
        case .motion(let sensors):
            var log = MotionLog(
                try Self.files(paths), sensors: sensors.compactMap(MotionLog.Sensor.init), marks: marks,
                until: part.end, to: output)
            try log.write()
        case .levels:
            var log = LevelLog(try Self.files(paths), marks: marks, to: output)
            try log.write()
        case .track(let withPlaces, let step):
            try SageJSONLocationExporter.log(
                Self.files(paths), marks: marks, until: part.end, withPlaces: withPlaces, movingIn: step, to: output)
        }
    }

    private static func files(_ paths: [String]) throws(FileError) -> [RecordedFile] {
        try paths.map { path throws(FileError) in try RecordedFile(path) }
    }

    /// Whether any of them is to be packed or encrypted.
    static func isNeeded(for drafts: [OutboxDraft]) -> Bool {
        drafts.contains { if case .request(let request) = $0.content { request.isToBePacked } else { false } }
    }

    private func copy(_ path: String, to output: ExportOutput) throws(FileError) {
        let file = try File(path, .read)
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
