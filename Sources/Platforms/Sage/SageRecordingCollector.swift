// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// Makes a submission's recordings into entries of its archive, with names and within its room for sound, for
/// `SageRecording.all`. Call each function once.
struct SageRecordingCollector {
    private static let schemas = "https://sage-bionetworks.github.io/mobile-client-json/schemas/v2/"
    /// Sound beyond this many bytes stays out of the archive, of which Bridge takes 50 MB: it is
    /// error 3.
    private static let mostSound = 40_000_000

    private let submission: Submission
    private let task: SageTask
    private let zone: Zone
    private var names: Set<String>
    /// Bytes of sound in the archive.
    private var sound = 0

    init(_ submission: Submission, of task: SageTask, zone: Zone, taken: Set<String>) {
        (self.submission, self.task, self.zone, names) = (submission, task, zone, taken)
    }

    /// What recorders recorded, and what they did not.
    mutating func recorded() -> [SageRecording] {
        // Named from the last to the first, so that the last one has the name without a number: in the apps its
        // file replaces the earlier ones.
        let entries = submission.recorded.enumerated().reversed().map { number, recording in
            self.entries(of: recording, number: number)
        }
        return entries.reversed().flatMap(\.self)
    }

    mutating func spoken() -> [SageRecording] { submission.order.compactMap { answer($0) } }

    // MARK: - Recorders

    private mutating func entries(of recording: RunRecording, number: Int) -> [SageRecording] {
        guard let action = task.actions[recording.recorder] else { return [] }
        let empty = SageRecording(
            identifier: action.identifier, sections: action.sections, began: recording.began, ended: recording.ended,
            start: SageRecording.Start(number: number, action: action.identifier),
            onlyPath: action.isBuiltIn ? action.sections.last.map { "\(task.identifier)/\($0)" } : nil, zone: zone)
        let files = recording.files
        var entries: [SageRecording?]
        switch action.type {
        case "motion": entries = [entry(empty, files, .motion(action.sensors), "MotionRecord.json")]
        case "distance":
            entries = [
                entry(
                    empty, files, .track(withPlaces: !action.isRelativeOnly, movingIn: action.motionStep),
                    "DistanceRecord.json")
            ]
        default:
            entries = [entry(empty, files, .levels, "AudioLevelRecord.json", ending: "_levels")]
            if action.savesAudio { entries += soundEntries(empty, files) }
        }
        return entries.compactMap(\.self)
            + recording.failures.map { empty.failed(($0.message, $0.code), ending: "_\($0.kind.rawValue)") }
    }

    /// One file of the archive, made of `files`; nil where there are none.
    private mutating func entry(
        _ empty: SageRecording, _ files: [RunRecording.File], _ form: RecordedPart.Form, _ schema: String?,
        ending: String = ""
    ) -> SageRecording? {
        guard let first = files.min(by: { $0.startUptime < $1.startUptime }) else { return nil }
        // `SampleRecorder.filePrefix` has the innermost section alone.
        let text = (empty.sections.suffix(1) + [empty.identifier]).joined(separator: "_") + ending
        let isSound = form == .asItIs
        return empty.with(
            .init(
                name: name(text, isSound ? "flac" : "json"), contentType: isSound ? "audio/flac" : "application/json",
                schema: schema.map { Self.schemas + $0 }, sources: files.map(\.path), form: form,
                startUptime: first.startUptime, start: first.start),
            ending: ending)
    }

    private mutating func soundEntries(_ empty: SageRecording, _ files: [RunRecording.File]) -> [SageRecording?] {
        let heard = files.filter { $0.contentType == "audio/flac" }
        if heard.isEmpty, !files.isEmpty { return [empty.failed(SageRecording.levelsAlone)] }
        return heard.map { takeSound($0) ? entry(empty, [$0], .asItIs, nil) : empty.failed(SageRecording.tooLong) }
    }

    /// Counts the sound of a file; false where the archive has no room for it.
    private mutating func takeSound(_ file: RunRecording.File) -> Bool {
        guard sound + file.bytes <= Self.mostSound else { return false }
        sound += file.bytes
        return true
    }

    // MARK: - Spoken answers

    private mutating func answer(_ key: String) -> SageRecording? {
        guard let step = task.steps[key], case .recording(let id)? = submission.answers[key] else { return nil }
        let times = submission.times[key] ?? submission.course?.visits.last { $0.step == key }?.times
        let presented = times?.presented ?? submission.submitted
        let empty = SageRecording(
            identifier: step.identifier, sections: step.sections + (step.part.map { [$0] } ?? []), began: presented,
            ended: times?.answered ?? presented, answer: key, zone: zone)
        guard let file = submission.spoken[id] else {
            return empty.failed(("the sound was not ready when the answers were submitted", 2))
        }
        guard takeSound(file) else { return empty.failed(SageRecording.tooLong) }
        return empty.with(
            .init(
                name: name((empty.sections + [step.identifier]).joined(separator: "_"), "flac"),
                contentType: file.contentType, schema: nil, sources: [file.path], form: .asItIs,
                startUptime: file.startUptime, start: file.start))
    }

    /// As SageResearch names log files: letters, digits, `-` and `_`, which also replaces `.` and blanks, 24 at most
    /// (MobilePassiveData-SDK ab5a11d, `FileUtility.swift`); a name that is taken gets a number.
    private mutating func name(_ text: String, _ ending: String) -> String {
        let plain = text.unicodeScalars.compactMap { scalar -> Unicode.Scalar? in
            if scalar == "." || scalar == " " { return "_" }
            let isLetter = scalar.properties.isAlphabetic || scalar.properties.numericType != nil
            return isLetter || scalar == "-" || scalar == "_" ? scalar : nil
        }
        let stem = String(String.UnicodeScalarView(plain.prefix(24)))
        return SageRecording.unique(stem.isEmpty ? "_" : stem, ".\(ending)", &names)
    }
}
