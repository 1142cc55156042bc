// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// One file that a recorder or a spoken answer puts into the archive, or why there is none. A recorder's
/// is named in `asyncResults` (`result`), a spoken answer's in the answer (`mark`).
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
    let identifier: String
    let sections: [String]
    let began: Instant
    let ended: Instant
    /// Nil = there is none.
    private(set) var file: File?
    private var failure: (message: String, code: Int)?
    /// Key of the step that a spoken answer belongs to; nil = the file is a recorder's.
    private(set) var answer: String?
    /// Nil = the file is a spoken answer's.
    private(set) var start: Start?
    /// The only step path in the file of a recorder that is not told of steps (`SageAction.isBuiltIn`).
    private(set) var onlyPath: String?
    private let zone: Zone

    private static let schemas = "https://sage-bionetworks.github.io/mobile-client-json/schemas/v2/"
    /// Sound beyond this many bytes stays out of the archive, of which Bridge takes 50 MB: it is
    /// error 3.
    private static let mostSound = 40_000_000

    /// Messages and values of `errorCode`; 1 and 2 come from recorders.
    private static let tooLong = ("the archive takes no more sound, " + onDevice, 3)
    private static let tooMany = ("the archive takes no more files, " + onDevice, 3)
    private static let onDevice = "and the recording stays on the device: see `studyd recordings list` there"
    private static let levelsAlone = (
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
        var names = taken
        var sound = 0
        let all =
            recorded(submission, of: task, zone: zone, &names, &sound)
            + spoken(submission, of: task, zone: zone, &names, &sound)
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

    private func failed(_ failure: (String, Int)) -> SageRecording {
        var failed = self
        (failed.file, failed.failure) = (nil, failure)
        return failed
    }

    private static func spoken(
        _ submission: Submission, of task: SageTask, zone: Zone, _ names: inout Set<String>, _ sound: inout Int
    ) -> [SageRecording] {
        submission.order.compactMap { key in
            guard let step = task.steps[key], case .recording(let id)? = submission.answers[key] else { return nil }
            let times = submission.times[key] ?? submission.course?.visits.last { $0.step == key }?.times
            let presented = times?.presented ?? submission.submitted
            var spoken = SageRecording(
                identifier: step.identifier, sections: step.sections + (step.part.map { [$0] } ?? []), began: presented,
                ended: times?.answered ?? presented, answer: key, zone: zone)
            guard let file = submission.spoken[id] else {
                spoken.failure = ("the sound was not ready when the answers were submitted", 2)
                return spoken
            }
            guard sound + file.bytes <= mostSound else {
                spoken.failure = tooLong
                return spoken
            }
            sound += file.bytes
            let name = (spoken.sections + [step.identifier]).joined(separator: "_")
            spoken.file = File(
                name: Self.name(name, "flac", &names), contentType: file.contentType, schema: nil,
                sources: [file.path], form: .asItIs, startUptime: file.startUptime, start: file.start)
            return spoken
        }
    }

    private static func recorded(
        _ submission: Submission, of task: SageTask, zone: Zone, _ names: inout Set<String>, _ sound: inout Int
    ) -> [SageRecording] {
        // Named from the last to the first, so that the last one has the name without a number: in the apps its
        // file replaces the earlier ones.
        let results = submission.recorded.enumerated().reversed().map { number, recording -> [SageRecording] in
            guard let action = task.actions[recording.recorder] else { return [] }
            func result(_ identifier: String, _ file: File?, _ failure: (String, Int)?) -> SageRecording {
                SageRecording(
                    identifier: identifier, sections: action.sections, began: recording.began, ended: recording.ended,
                    file: file, failure: failure, start: Start(number: number, action: action.identifier),
                    onlyPath: action.isBuiltIn ? action.sections.last.map { "\(task.identifier)/\($0)" } : nil,
                    zone: zone)
            }
            var results: [SageRecording] = []
            // One entry for one file of the archive, made of `files`.
            func add(
                _ ending: String, _ files: [RunRecording.File], _ form: RecordedPart.Form, _ schema: String?,
                _ type: String = "application/json"
            ) {
                guard let first = files.min(by: { $0.startUptime < $1.startUptime }) else { return }
                // `SampleRecorder.filePrefix` has the innermost section alone.
                let name = Self.name(
                    (action.sections.suffix(1) + [action.identifier]).joined(separator: "_") + ending,
                    form == .asItIs ? "flac" : "json", &names)
                results.append(
                    result(
                        action.identifier + ending,
                        File(
                            name: name, contentType: type, schema: schema.map { schemas + $0 },
                            sources: files.map(\.path), form: form, startUptime: first.startUptime, start: first.start),
                        nil))
            }
            switch action.type {
            case "motion": add("", recording.files, .motion(action.sensors), "MotionRecord.json")
            case "distance":
                add(
                    "", recording.files,
                    .track(withPlaces: !action.isRelativeOnly, movingIn: action.motionStep), "DistanceRecord.json")
            default:
                add("_levels", recording.files, .levels, "AudioLevelRecord.json")
                for file in recording.files where action.savesAudio && file.contentType == "audio/flac" {
                    if sound + file.bytes <= mostSound {
                        sound += file.bytes
                        add("", [file], .asItIs, nil, "audio/flac")
                    } else {
                        results.append(result(action.identifier, nil, tooLong))
                    }
                }
                let isHeard = recording.files.contains { $0.contentType == "audio/flac" }
                if action.savesAudio, !isHeard, !recording.files.isEmpty {
                    results.append(result(action.identifier, nil, levelsAlone))
                }
            }
            return results
                + recording.failures.map {
                    result("\(action.identifier)_\($0.kind.rawValue)", nil, ($0.message, $0.code))
                }
        }
        return results.reversed().flatMap(\.self)
    }

    /// As SageResearch names log files: letters, digits, `-` and `_`, which also replaces `.` and blanks, 24 at most
    /// (MobilePassiveData-SDK ab5a11d, `FileUtility.swift`); a name that is taken gets a number.
    private static func name(_ text: String, _ ending: String, _ taken: inout Set<String>) -> String {
        let plain = text.unicodeScalars.compactMap { scalar -> Unicode.Scalar? in
            if scalar == "." || scalar == " " { return "_" }
            let isLetter = scalar.properties.isAlphabetic || scalar.properties.numericType != nil
            return isLetter || scalar == "-" || scalar == "_" ? scalar : nil
        }
        let stem = String(String.UnicodeScalarView(plain.prefix(24)))
        return unique(stem.isEmpty ? "_" : stem, ".\(ending)", &taken)
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
