// SPDX-License-Identifier: Apache-2.0
import Agent
import Base
import Device
import Study
import SystemKit

/// The folder of recordings in memory: files with contents, and what the log says of them. What
/// must be true of them is asked after every crash.
struct TrialDisk {
    /// One file. A power cut keeps it, or takes all of it where it was open.
    private struct File {
        let content: [UInt8]
        var sealed: SealedRecording
        /// Its recorder has ended, and all of it lies on the medium.
        var isEnded = false
        var isSealed = false
    }

    private var files: [Int: File] = [:]
    /// Files that the log names, proven after a crash.
    private var kept: [Int: File] = [:]
    private var next = 1
    /// In the log, which it stays in for ever: each file once.
    private var registered: [Int: RecordingRecord] = [:]
    /// Not looked at since they were logged.
    private var unproven: Set<Int> = []
    /// Spoken answers that a submission on the disk names, and that no crash has proven yet.
    private var named: Set<String> = []
    /// Spoken answers by their ids; and those that could not be recorded, which the log may
    /// name all the same.
    private var memos: [String: Int] = [:]
    private var failed: Set<String> = []
    /// Given to the core as waiting for the clock.
    private(set) var waiting: Set<Int> = []

    /// Files of tasks and spoken answers that the log knows.
    var count: (all: Int, memos: Int) { (registered.count, registered.values.count { $0.itemClass == .answers }) }

    // MARK: - Recorders

    /// A file of a recorder that has begun.
    mutating func begin(_ recording: TaskRecording) -> Int {
        add(
            .accelerometer, "task:\(recording.id)",
            RecordingDescription.TaskNote(
                task: recording.task, run: recording.run, step: recording.step,
                recorders: [recording.recorder.identifier]))
    }

    /// A spoken answer that is being recorded.
    mutating func begin(memo id: String) -> Int {
        let number = add(.sound, VoiceMemo.prefix + id, nil)
        memos[id] = number
        return number
    }

    private mutating func add(_ kind: MeasureKind, _ identifier: String, _ task: RecordingDescription.TaskNote?) -> Int
    {
        let (number, content) = (next, Array("\(next) \(identifier)".utf8))
        next += 1
        let source = SourceDescription(
            kind: kind, device: "trial", location: "trial", channels: [Channel(name: "x", unit: .pcm, scale: 1)],
            nominalRate: 100, fullScale: 1)
        let context = SegmentContext(
            number: number, source: source,
            measure: MeasureConfiguration(identifier: identifier, format: .csv, task: task),
            origin: RecordingOrigin(study: "S", participant: nil, deviceID: 1, bootID: "trial", zone: .utc),
            start: .zero, anchor: nil)
        var description = RecordingDescription(
            context, fileName: "\(number).csv", contentType: "text/csv", countedUnit: .samples)
        description.sha256 = (try? Digest(of: content))?.description ?? ""
        description.bytes = content.count
        files[number] = File(
            content: content,
            sealed: SealedRecording(
                number: number, path: "\(number).csv", descriptionPath: "\(number).json", description: description))
        return number
    }

    mutating func end(_ number: Int) { files[number]?.isEnded = true }

    /// It never changes again; nil where it is gone.
    mutating func seal(_ number: Int) -> SealedRecording? {
        waiting.remove(number)
        files[number]?.isEnded = true
        files[number]?.isSealed = true
        return files[number]?.sealed
    }

    /// A spoken answer that could not be recorded after all.
    mutating func fail(memo id: String) {
        failed.insert(id)
        if let number = memos[id] { files[number] = nil }
    }

    // MARK: - The core and the log

    mutating func discard(_ recording: SealedRecording) throws {
        guard registered[recording.number] == nil else {
            throw CoreTrial.Broken(
                description: "\(recording.description.identifier) is in the log and was taken off the disk")
        }
        guard files.removeValue(forKey: recording.number) != nil else {
            throw CoreTrial.Broken(description: "\(recording.description.identifier) was taken off the disk twice")
        }
    }

    /// Rows are on the disk.
    mutating func record(_ events: [StudyEvent]) throws {
        for event in events {
            switch event {
            case .recordingSealed(let record):
                guard let number = Int(record.id), registered.updateValue(record, forKey: number) == nil else {
                    throw CoreTrial.Broken(description: "recording \(record.id) is in the log twice")
                }
                unproven.insert(number)
            case .submitted(_, _, let submission):
                for case .recording(let id) in submission.answers.values { named.insert(id) }
            default: break
            }
        }
    }

    /// It can be listened to.
    func hear(_ recording: SealedRecording) throws {
        guard (files[recording.number] ?? kept[recording.number])?.isSealed == true else {
            throw CoreTrial.Broken(description: "\(recording.description.identifier) is to be heard and is not there")
        }
    }

    // MARK: - A crash

    /// What is open loses its end, or all that there is of it, where `loses` says so.
    mutating func crash(loses: () -> Bool) {
        for (number, file) in files.sorted(by: { $0.key < $1.key }) where !file.isEnded && loses() {
            files[number] = nil
        }
        waiting = []
    }

    /// What the next start finds: files of runs that the log does not know, sealed, and those that
    /// wait for the clock.
    mutating func recover(waits: () -> Bool) -> (found: [SealedRecording], waiting: [RecordingDescription]) {
        var (found, waiting): ([SealedRecording], [RecordingDescription]) = ([], [])
        for (number, file) in files.sorted(by: { $0.key < $1.key }) where registered[number] == nil {
            files[number]?.isEnded = true
            if !file.isSealed, waits() {
                self.waiting.insert(number)
                waiting.append(file.sealed.description)
            } else {
                files[number]?.isSealed = true
                found.append(file.sealed)
            }
        }
        return (found, waiting)
    }

    /// After a start: every file that the log names is there once, with its contents, every spoken
    /// answer of a submission is among them, and nothing else is left but what belongs to the run
    /// that goes on, to rows on their way, or waits for the clock.
    mutating func check(of enrolment: String, open run: String?, onTheirWay: Set<Int>) throws {
        for number in unproven {
            guard let file = files[number], let record = registered[number] else {
                throw CoreTrial.Broken(description: "recording \(number) is in the log and not on the disk")
            }
            guard file.isSealed, record.bytes == Int64(file.content.count),
                record.sha256 == (try Digest(of: file.content)).description
            else { throw CoreTrial.Broken(description: "recording \(number) is not what the log says of it") }
            kept[number] = files.removeValue(forKey: number)
        }
        unproven = []
        // Who left before a crash is not asked for what was not registered yet.
        named = named.filter { $0.hasPrefix(enrolment + "-") }
        for id in named where !failed.contains(id) {
            guard let number = memos[id], files[number] != nil || kept[number] != nil else {
                throw CoreTrial.Broken(description: "the spoken answer \(id) was submitted, and is nowhere")
            }
            guard registered[number] != nil || onTheirWay.contains(number) || waiting.contains(number) else {
                throw CoreTrial.Broken(
                    description: "the spoken answer \(id) was submitted, and the log has no file of it")
            }
        }
        named = named.filter { id in !failed.contains(id) && memos[id].map { registered[$0] == nil } ?? true }
        for (number, file) in files where registered[number] == nil && !onTheirWay.contains(number) {
            let isOfOpenRun = run != nil && file.sealed.description.task?.run == run
            guard isOfOpenRun || waiting.contains(number) else {
                throw CoreTrial.Broken(
                    description: "\(file.sealed.description.identifier) belongs to no run and is still on the disk")
            }
        }
    }

    /// All of it, once more: what the log has of recordings is what was registered, and each file
    /// lies there with its contents.
    func checkAll(_ views: [RecordingView]) throws {
        guard Set(views.compactMap { Int($0.recording.id) }) == Set(registered.keys), views.count == registered.count
        else {
            throw CoreTrial.Broken(
                description: "\(views.count) recordings follow from the log, \(registered.count) were registered")
        }
        for view in views {
            guard let file = Int(view.recording.id).flatMap({ kept[$0] }), view.removed == nil,
                view.recording.sha256 == (try Digest(of: file.content)).description
            else {
                throw CoreTrial.Broken(description: "recording \(view.recording.id) is not what the log says of it")
            }
        }
    }
}
