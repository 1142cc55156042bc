// SPDX-License-Identifier: Apache-2.0
import PlatformKit
import StudyModel
import Times

/// One file that a recorder wrote into the archive, or why it wrote none: its result in `asyncResults`, and its entry.
struct SageRecording {
    /// Its file, whose name is unique in the archive.
    struct File {
        let name: String
        let contentType: String
        let schema: String?
        let sources: [String]
        let form: RecordedPart.Form
        /// CLOCK_MONOTONIC at its start, in seconds, and UTC at the same moment.
        let startUptime: Double
        let start: Instant
    }

    /// `motion`, `microphone_levels`.
    let identifier: String
    let sections: [String]
    let began: Instant
    let ended: Instant
    let file: File?
    let failure: RunRecording.Failure?
    private let zone: Zone

    private static let schemas = "https://sage-bionetworks.github.io/mobile-client-json/schemas/v2/"
    /// Sound beyond so many bytes stays out of the archive, of which Bridge takes 50 MB: it is error 3.
    private static let mostSound = 40_000_000

    /// All of a run; names are given in order.
    static func all(_ recordings: [RunRecording], of task: SageTask, zone: Zone) -> [SageRecording] {
        var names: Set<String> = []
        var sound = 0
        return recordings.flatMap { recording -> [SageRecording] in
            guard let action = task.actions[recording.recorder] else { return [] }
            func result(_ identifier: String, _ file: File?, _ failure: RunRecording.Failure?) -> SageRecording {
                SageRecording(
                    identifier: identifier, sections: action.sections, began: recording.began, ended: recording.ended,
                    file: file, failure: failure, zone: zone)
            }
            var results: [SageRecording] = []
            func add(
                _ ending: String, _ files: [RunRecording.File], _ form: RecordedPart.Form, _ schema: String?,
                _ type: String = "application/json"
            ) {
                guard let first = files.min(by: { $0.startUptime < $1.startUptime }) else { return }
                let name = Self.name(
                    (action.sections + [action.identifier]).joined(separator: "_") + ending,
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
                    sound += file.bytes
                    if sound <= mostSound {
                        add("", [file], .asItIs, nil, "audio/flac")
                    } else {
                        results.append(
                            result(
                                action.identifier, nil,
                                .init(kind: .sound, message: "the sound is too long for the archive", code: 3)))
                    }
                }
            }
            return results + recording.failures.map { result("\(action.identifier)_\($0.kind.rawValue)", nil, $0) }
        }
    }

    /// As SageResearch names log files: letters, digits, `-` and `_`, 24 at most; one that is taken gets a number.
    private static func name(_ text: String, _ ending: String, _ taken: inout Set<String>) -> String {
        let plain = text.unicodeScalars.map { scalar -> Character in
            let isPlain = scalar.isASCII && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar))
            return isPlain || scalar == "-" ? Character(scalar) : "_"
        }
        var name = "\(String(plain.prefix(24))).\(ending)"
        var number = 2
        while !taken.insert(name).inserted {
            name = "\(String(plain.prefix(24)))-\(number).\(ending)"
            number += 1
        }
        return name
    }

    /// As `ResultData.json` has files and errors.
    var result: JSONText {
        func head(_ type: String) -> [JSONText.Member] {
            [
                .init("type", .string(type)), .init("identifier", .string(identifier)),
                .init("startDate", .string(SageDate.text(began, zone))),
                .init("endDate", .string(SageDate.text(max(began, ended), zone))),
            ]
        }
        if let file {
            return .object(
                head("file") + [
                    .init("relativePath", .string(file.name)), .init("contentType", .string(file.contentType)),
                    .init("startUptime", .decimal(file.startUptime)),
                ] + (file.schema.map { [.init("jsonSchema", .string($0))] } ?? []))
        }
        return .object(
            head("error") + [
                .init("errorDescription", .string(failure?.message ?? "nothing was recorded")),
                .init("errorDomain", .string("studyd")), .init("errorCode", .integer(Int64(failure?.code ?? 2))),
            ])
    }

    /// The file with its markers: the step that was told when it began, and each that came while it ran.
    func part(_ told: [(at: Instant, path: String)]) -> RecordedPart? {
        guard let file else { return nil }
        func uptime(_ at: Instant) -> Double { file.startUptime + (at - file.start).seconds }
        let first = min(began, file.start)
        let step = told.last { $0.at <= began } ?? told.first
        var marks = step.map { [RecordedPart.Mark(uptime: uptime(first), path: $0.path, date: text(first))] } ?? []
        for visit in told where visit.at > began && visit.at <= ended && visit.at > first {
            marks.append(.init(uptime: uptime(visit.at), path: visit.path, date: text(visit.at)))
        }
        // A second more: what the clocks' readings of both ends may be apart.
        return RecordedPart(files: file.sources, form: file.form, marks: marks, end: uptime(max(ended, began)) + 1)
    }

    private func text(_ at: Instant) -> String { SageDate.text(at, zone) }
}
