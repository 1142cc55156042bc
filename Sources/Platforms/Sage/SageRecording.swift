// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// One file that a recorder or a spoken answer puts into the archive, or why there is none;
/// `SageRecordingCollector` makes them, `SageArchive` packs them. A recorder's is named in `asyncResults`
/// (`result`), a spoken answer's in the answer (`mark`).
struct SageRecording {
    /// Its file, with a name that is unique in the archive.
    struct File {
        let name: String
        let contentType: String
        let schema: String?
        let sources: [String]
        let form: RecordedPart.Form
        /// CLOCK_MONOTONIC of its first sample, in seconds, and UTC at the same moment.
        let startUptime: Double
        let start: Instant

        func uptime(_ at: Instant) -> Double { startUptime + (at - start).seconds }
    }

    /// One time that a recorder ran: files of the same start belong together.
    struct Start: Hashable {
        /// Index in `Submission.recorded`.
        let number: Int
        /// As the file names the action.
        let action: String
    }

    /// `motion`, `microphone_levels`.
    private(set) var identifier: String
    let sections: [String]
    let began: Instant
    let ended: Instant
    /// Nil = there is none.
    private(set) var file: File?
    /// Why there is no file, for the result; nil = nothing failed.
    private(set) var failure: (message: String, code: Int)?
    /// Key of the step that a spoken answer belongs to; nil = the file is a recorder's.
    private(set) var answer: String?
    /// Nil = the file is a spoken answer's.
    private(set) var start: Start?
    /// The only step path in the file of a recorder that is not told of steps (`SageAction.isBuiltIn`).
    private(set) var onlyPath: String?
    let zone: Zone

    /// Messages and values of `errorCode`; 1 and 2 come from recorders.
    static let tooLong = ("the archive takes no more sound, " + onDevice, 3)
    private static let tooMany = ("the archive takes no more files, " + onDevice, 3)
    private static let onDevice = "and the recording stays on the device: see `studyd recordings list` there"
    static let levelsAlone = (
        "this device keeps levels of sound and not the sound: its [[measure]] needs format = \"flac\"", 1
    )
    private static let unreadable = ("the recording could not be read when the archive was made", 4)

    /// Recordings in one archive, however few other files are in it.
    private static let mostFiles = 80

    /// All recordings of a run. No file gets a name that is `taken`; files named in `unreadable`, and those
    /// for which the archive has no room, become failures. `others` counts the archive's other files.
    static func all(
        _ submission: Submission, of task: SageTask, zone: Zone, unreadable: Set<String>, taken: Set<String> = [],
        others: Int = 0
    ) -> [SageRecording] {
        var collector = SageRecordingCollector(submission, of: task, zone: zone, taken: taken)
        let all = collector.recorded() + collector.spoken()
        let most = max(0, min(mostFiles, SageArchive.mostEntries - taken.count - others))
        let kept = Set(byWorth(all).prefix(most))
        return all.enumerated().map { place, recording in
            guard let name = recording.file?.name else { return recording }
            if unreadable.contains(name) { return recording.failed(Self.unreadable) }
            return kept.contains(place) ? recording : recording.failed(Self.tooMany)
        }
    }

    /// Indices of the recordings with a file, the most valuable first: the last one of each path, which is all that
    /// the apps keep, then the ones before those, and so on.
    private static func byWorth(_ all: [SageRecording]) -> [Int] {
        var later: [String: Int] = [:]
        var ranked: [(later: Int, place: Int)] = []
        for (place, recording) in all.enumerated().reversed() where recording.file != nil {
            let count = later[recording.path, default: 0]
            later[recording.path] = count + 1
            ranked.append((count, place))
        }
        return ranked.sorted { ($0.later, -$0.place) < ($1.later, -$1.place) }.map(\.place)
    }

    /// This entry with its file; `ending` is added to the identifier.
    func with(_ file: File, ending: String = "") -> SageRecording {
        var recording = self
        recording.identifier += ending
        recording.file = file
        return recording
    }

    func failed(_ failure: (String, Int), ending: String = "") -> SageRecording {
        var failed = self
        failed.identifier += ending
        (failed.file, failed.failure) = (nil, failure)
        return failed
    }

    /// The name, with a number where it is taken.
    static func unique(_ stem: String, _ ending: String, _ taken: inout Set<String>) -> String {
        var name = stem + ending
        var number = 2
        while !taken.insert(name).inserted {
            name = "\(stem)-\(number)\(ending)"
            number += 1
        }
        return name
    }

    /// When it was started, which `startDate`, `startUptime` and the zero of its records' `timestamp` all name
    /// (MobilePassiveData-SDK ab5a11d, `SampleRecorder.swift`:688): of sound, which has no such records, its first
    /// sample. A file that was written before a restart, or whose clock differs, begins before `began`.
    var started: Instant {
        guard let file else { return began }
        return file.form == .asItIs ? file.start : min(began, file.start)
    }

    /// `section/name`.
    var path: String { (sections + [identifier]).joined(separator: "/") }

    /// What marks a spoken answer in its `questionData`.
    var mark: JSONText {
        .object(
            [.init("identifier", .string(identifier))]
                + (file.map {
                    [.init("relativePath", .string($0.name)), .init("contentType", .string($0.contentType))]
                } ?? error))
    }

    private var error: [JSONText.Member] {
        [
            .init("errorDescription", .string(failure?.message ?? "nothing was recorded")),
            .init("errorDomain", .string("studyd")), .init("errorCode", .integer(Int64(failure?.code ?? 2))),
        ]
    }

    /// As `ResultData.json` has files and errors.
    var result: JSONText {
        func head(_ type: String) -> [JSONText.Member] {
            [
                .init("type", .string(type)), .init("identifier", .string(identifier)),
                .init("startDate", .string(SageDate.text(started, zone))),
                .init("endDate", .string(SageDate.text(max(started, ended), zone))),
            ]
        }
        if let file {
            return .object(
                head("file") + [
                    .init("relativePath", .string(file.name)), .init("contentType", .string(file.contentType)),
                    .init("startUptime", .decimal(file.uptime(started))),
                ] + (file.schema.map { [.init("jsonSchema", .string($0))] } ?? []))
        }
        return .object(head("error") + error)
    }

    /// The file with its markers: the step that was open when it began, and each that came while it
    /// ran.
    func part(_ presented: [(at: Instant, path: String)]) -> RecordedPart? {
        guard let file else { return nil }
        let step = presented.last { $0.at <= began } ?? presented.first
        var marks =
            (onlyPath ?? step?.path).map {
                [RecordedPart.Mark(uptime: file.uptime(started), path: $0, date: text(started))]
            } ?? []
        for visit in presented where onlyPath == nil && visit.at > began && visit.at <= ended {
            marks.append(.init(uptime: file.uptime(visit.at), path: visit.path, date: text(visit.at)))
        }
        // A second is added because the two clocks of `file` may differ by that much.
        return RecordedPart(
            files: file.sources, form: file.form, marks: marks, end: file.uptime(max(ended, began)) + 1)
    }

    private func text(_ at: Instant) -> String { SageDate.text(at, zone) }
}
