// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import Study
import SystemKit

/// Writes separate files for the runs of tasks, from the frames of the measures that run anyway.
///
/// `RecorderLoop` has one, on the recorder thread. Recordings that start together share the file of a source. A file
/// is kept open until the last sample of its time has left the chip's queue and is part of a whole
/// block, six seconds at most.
final class TaskRecorders {
    /// How long to wait for a chip's last samples: they come in bursts.
    private static let timeout = Duration.seconds(6)
    /// A hole up to this long, and what is missing up to this share of the time, is no failure.
    private static let longestHole = Duration.seconds(1)
    private static let largestShare = 0.05
    /// Of a receiver, which may be set to a sentence every few seconds.
    private static let longestSilence = Duration.seconds(10)

    /// One source, recorded once more.
    private final class File {
        /// Index in `sources` and `recorders`.
        let source: Int
        let input: RecorderInput
        let recorder: any SampleRecorder
        /// Ids of the recordings that have not stopped; at the last one the file ends.
        var wanted: Set<String>
        var stopped: MonotonicTime?
        var sealed: [SealedRecording] = []
        var isDone = false

        init(source: Int, input: RecorderInput, recorder: any SampleRecorder, wanted: Set<String>) {
            self.source = source
            self.input = input
            self.recorder = recorder
            self.wanted = wanted
        }
    }

    private struct Entry {
        let recording: TaskRecording
        let files: [File]
        let failures: [RunRecording.Failure]
        let began: MonotonicTime
        var stopped: MonotonicTime?
        /// Measuring ended before it was to stop.
        var isCutShort = false

        var hasEnded: Bool { stopped != nil && files.allSatisfy(\.isDone) }
    }

    private let sources: [RecorderThread.Source]
    private let recorders: [any SampleRecorder]
    private let origin: RecordingOrigin
    private let folder: RecordingFolder
    private var entries: [Entry] = []

    /// For the measures of these recorders, each of the source at the same place.
    init(
        _ sources: [RecorderThread.Source], _ recorders: [any SampleRecorder], origin: RecordingOrigin,
        folder: RecordingFolder
    ) {
        self.sources = sources
        self.recorders = recorders
        self.origin = origin
        self.folder = folder
    }

    var isEmpty: Bool { entries.isEmpty }

    /// Files wait for their last samples: `drain` is to be called soon.
    var isEnding: Bool { entries.contains { $0.stopped != nil } }

    /// What the chips measured before `time` does not belong to them; what they measured since may still wait in
    /// the rings of the measures.
    func start(_ recordings: [TaskRecording], at time: MonotonicTime) {
        var files: [Int: File] = [:]
        var faults: [Int: String] = [:]
        for index in sources.indices {
            let wanting = recordings.filter { $0.recorder.kinds.contains { sources[index].gives($0) } }
            guard let first = wanting.first else { continue }
            do { files[index] = try file(of: index, for: wanting, like: first) } catch { faults[index] = "\(error)" }
            files[index]?.recorder.begin(at: time)
        }
        for recording in recordings {
            let failures = recording.recorder.kinds.compactMap { kind -> RunRecording.Failure? in
                guard let index = sources.firstIndex(where: { $0.gives(kind) }) else { return .notMeasured(kind) }
                return faults[index].map { .init(kind: kind, isMeasured: true, message: $0) }
            }
            let own = files.sorted { $0.key < $1.key }.map(\.value).filter { $0.wanted.contains(recording.id) }
            entries.append(Entry(recording: recording, files: own, failures: failures, began: time))
        }
    }

    /// The end of their time; `drain` returns them once their files are sealed.
    func stop(_ ids: [String], at now: MonotonicTime) {
        for index in entries.indices where ids.contains(entries[index].recording.id) {
            entries[index].stopped = entries[index].stopped ?? now
            for file in entries[index].files {
                file.wanted.remove(entries[index].recording.id)
                guard file.wanted.isEmpty, file.stopped == nil else { continue }
                file.stopped = now
                file.recorder.end(after: now)
            }
        }
    }

    /// After the measures were drained: takes their frames to the files, and gives
    /// back what has ended.
    func drain(at now: MonotonicTime, anchors: [ClockAnchor]) -> [TaskRecorded] {
        for file in open {
            file.sealed += file.recorder.drain(at: now, anchors: anchors)
            guard let stopped = file.stopped else { continue }
            if file.recorder.hasEnded || now - stopped >= Self.timeout { seal(file, at: now, anchors) }
        }
        return removeEnded()
    }

    /// Measuring ends, and with it every recording.
    func stop(at now: MonotonicTime, anchors: [ClockAnchor]) -> [TaskRecorded] {
        for index in entries.indices where entries[index].stopped == nil { entries[index].isCutShort = true }
        stop(entries.map(\.recording.id), at: now)
        for file in open { seal(file, at: now, anchors) }
        return removeEnded()
    }

    private var open: [File] {
        var seen: Set<ObjectIdentifier> = []
        return entries.flatMap(\.files).filter { !$0.isDone && seen.insert(ObjectIdentifier($0)).inserted }
    }

    private func file(of index: Int, for recordings: [TaskRecording], like first: TaskRecording) throws -> File {
        let source = sources[index]
        let names = recordings.map(\.recorder.identifier)
        var measure = source.measure
        measure.isReadAgain = true  // on the device, for the request that carries it
        measure.identifier = "task:\(first.run)/\(names.joined(separator: "+"))"
        measure.task = .init(task: first.task, run: first.run, step: first.step, recorders: names)
        let input = source.input.emptyCopy()
        let recorder = try measure.recorder(of: input, source: source.source, origin: origin, folder: folder)
        guard recorders[index].mirror(into: input) else {
            throw FileError.format(path: measure.identifier, problem: "its frames are of a different kind")
        }
        return File(source: index, input: input, recorder: recorder, wanted: Set(recordings.map(\.id)))
    }

    private func seal(_ file: File, at now: MonotonicTime, _ anchors: [ClockAnchor]) {
        file.sealed += file.recorder.stop(at: now, anchors: anchors)
        recorders[file.source].endMirror(into: file.input)
        file.isDone = true
    }

    private func removeEnded() -> [TaskRecorded] {
        let ended = entries.filter(\.hasEnded)
        entries.removeAll(where: \.hasEnded)
        return ended.map { entry in
            TaskRecorded(
                recording: entry.recording, files: entry.files.flatMap(\.sealed).sorted { $0.number < $1.number },
                failures: entry.failures + entry.files.flatMap { shortfall(of: $0, for: entry) })
        }
    }

    /// Why a measure that runs gave no file, or one that lacks part of the recording's time.
    private func shortfall(of file: File, for entry: Entry) -> [RunRecording.Failure] {
        guard let problem = problem(of: file, for: entry) else { return [] }
        let message =
            file.recorder.fault.map { "\($0)" }
            ?? (file.recorder.waitingFiles > 0
                ? "the clock is not known yet: the file is sealed at the next start that knows it" : problem)
        return entry.recording.recorder.kinds.filter { sources[file.source].gives($0) }.map {
            .init(kind: $0, isMeasured: true, message: message)
        }
    }

    private func problem(of file: File, for entry: Entry) -> String? {
        if file.sealed.isEmpty { return "no samples arrived during the task" }
        return entry.isCutShort ? "measuring ended during the task" : holes(in: file, for: entry)
    }

    /// How much of the recording's time has no samples; nil where no more than the limits is missing.
    private func holes(in file: File, for entry: Entry) -> String? {
        guard let stopped = entry.stopped, stopped > entry.began else { return nil }
        let length = stopped - entry.began
        let holes = Self.holes(in: file.sealed.map(\.description), entry.began..<stopped)
        let missing = holes.reduce(Duration.zero, +)
        let rate = max(file.recorder.source.nominalRate, 1e-3)
        let limit =
            file.recorder.countedUnit == .bytes ? Self.longestSilence : Self.longestHole + .seconds(2 / rate)
        let isIncomplete = holes.contains { $0 > limit } || missing > max(limit, length * Self.largestShare)
        guard isIncomplete else { return nil }
        return "\(Decimals.text(missing.seconds, 1)) s of \(Decimals.text(length.seconds, 1)) s were not recorded"
    }

    /// The stretches of that time without samples, by what the files of one source list.
    private static func holes(in files: [RecordingDescription], _ time: Range<MonotonicTime>) -> [Duration] {
        var holes: [Duration] = []
        var reached = time.lowerBound
        for file in files.sorted(by: { $0.startUptime < $1.startUptime }) {
            // A gap that ended the file is listed, too.
            let gaps = file.gaps.filter { $0.endUptime <= file.endUptime }
            let seconds = [file.startUptime] + gaps.flatMap { [$0.startUptime, $0.endUptime] } + [file.endUptime]
            let edges = seconds.map { MonotonicTime(nanoseconds: 0) + .seconds($0) }
            for place in stride(from: 0, to: edges.count - 1, by: 2) {
                holes.append(min(edges[place], time.upperBound) - reached)
                reached = max(reached, min(edges[place + 1], time.upperBound))
            }
        }
        return (holes + [time.upperBound - reached]).filter { $0 > .zero }
    }
}

extension RecorderThread.Source {
    /// By its channels: a chip may give two kinds in one stream.
    fileprivate func gives(_ kind: TaskRecorder.Kind) -> Bool {
        let unit: Device.Unit? =
            switch kind {
            case .accelerometer: .standardGravity
            case .gyroscope: .degreesPerSecond
            case .magnetometer: .microtesla
            case .position, .sound, .steps: nil
            }
        guard let unit else { return source.kind.rawValue == kind.rawValue }
        return source.channels.contains { $0.unit == unit }
    }
}
