// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import Glibc
import RecordingSchema
import SystemKit

/// Recovers one crashed disk with the agent's own code, and compares what comes out
/// with what was known.
struct CrashCheck {
    /// What may be lost at the most: samples of a sync interval, and of the open unit.
    static let limits: [String: Int] = [
        "accelerometer": RecordedRun.interval * RecordedRun.motionRate + 80,
        "magnetometer": RecordedRun.interval * RecordedRun.fieldRate + 1,
        "sound": RecordedRun.interval * RecordedRun.soundRate + 2 * 4096,
        // 70 to 75 bytes a second, and the sentence that was cut.
        "position": RecordedRun.interval * 75 + 75,
    ]
    /// The same of what is encrypted, which waits in memory, and that of the second in which it ends.
    static let encryptedLimits = limits.mapValues { $0 * (RecordedRun.patience + 1) / RecordedRun.interval }
    /// One second of samples: given to a ring, and the file not begun.
    static let second = [
        "accelerometer": RecordedRun.motionRate, "magnetometer": RecordedRun.fieldRate, "sound": RecordedRun.soundRate,
        "position": 75,
    ]

    /// What is wrong, in words.
    private(set) var faults: [String] = []
    /// Samples that are missing, by kind.
    private(set) var losses: [String: Int] = [:]
    private let path: String
    /// Nil = the run wrote in the clear.
    private let encryption: RecordingEncryption?

    /// Puts `files` into the empty folder `path`, recovers it, and looks. The folder is empty
    /// again afterwards.
    init(_ files: [String: [UInt8]], _ known: Knowledge, encryption: RecordingEncryption?, in path: String) {
        self.path = path
        self.encryption = encryption
        defer { clear() }
        do {
            for (name, bytes) in files { try File("\(path)/\(name)", .replace).write(bytes, at: 0) }
            let folder = try RecordingFolder(path, encryption: encryption)
            let recovery = try recover(folder, known)
            faults += recovery.faults.map { "recovery: \($0)" }
            let found = try folder.sealed()
            faults += found.faults.map { "description: \($0)" }
            faults += DescriptionSchema.faults(below: path).map { "description of the schema: \($0)" }
            try check(found.recordings, known)
            var recordings: [SealedRecording] = []
            for recording in found.recordings { recordings.append(try opened(recording)) }
            for recording in recordings where recording.kind == .accelerometer { try checkMotion(recording) }
            compare(recordings, recovery, known)
            try checkNames(folder)
            let again = try recover(folder, known)
            if !again.sealed.isEmpty || !again.removed.isEmpty { faults.append("a second recovery finds something") }
            try goOn(folder, after: (known.sealed.keys + found.recordings.map(\.number)).max() ?? 0)
        } catch {
            faults.append("thrown: \(error)")
        }
    }

    private func recover(_ folder: RecordingFolder, _ known: Knowledge) throws -> RecordingRecovery {
        try folder.recover(bootID: "c", zone: RecordedRun.zone) { boot in
            boot == "b" || known.knowsAnchor ? [RecordedRun.anchor(boot)] : []
        }
    }

    /// Nothing sealed is lost, and every file is good.
    private mutating func check(_ recordings: [SealedRecording], _ known: Knowledge) throws {
        let digests = Dictionary(recordings.map { ($0.number, $0.sha256) }) { first, _ in first }
        for (number, digest) in known.sealed where digests[number] != digest {
            faults.append("recording \(number) was sealed and is \(digests[number] == nil ? "gone" : "another")")
        }
        for recording in recordings {
            faults += try FileInspector.problems(of: recording.path).map { "recording \(recording.number): \($0)" }
        }
    }

    private var openedFolder: String { path + "-opened" }

    /// As the lab has it. Nothing of what is encrypted is in the clear on the disk.
    private mutating func opened(_ recording: SealedRecording) throws -> SealedRecording {
        guard encryption != nil, let lab = RecordedRun.lab else { return recording }
        if !RecordingOpener.isEncrypted(recording.path) {
            faults.append("recording \(recording.number) is in the clear")
        }
        let opener = try RecordingOpener([lab], into: openedFolder)
        let opened: SealedRecording
        do { opened = try opener.open(recording.path, described: recording.description) } catch {
            // Its first chunk was being written: it says of itself that there may be nothing.
            guard recording.description.age?.isCut == true, recording.description.samplesStored == 0 else {
                throw error
            }
            return recording
        }
        if opened.description.samplesStored < recording.description.samplesStored {
            faults.append("recording \(recording.number) holds less than its description says")
        }
        faults += try FileInspector.problems(of: opened.path).map { "recording \(recording.number), opened: \($0)" }
        return opened
    }

    /// The samples of a file follow each other as they were made.
    private mutating func checkMotion(_ recording: SealedRecording) throws {
        let reader = try CWAReader(File(recording.path, .read))
        var (expected, count): (Int?, Int) = (nil, 0)
        while let block = try reader.nextBlock() {
            for index in 0..<block.count {
                let value = Int((block.acceleration(index).x * 1000).rounded())
                if let expected, value != expected { faults.append("recording \(recording.number): a sample is wrong") }
                expected = (value + 1) % 2000
            }
            count += block.count
        }
        if count != recording.description.samplesStored { faults.append("recording \(recording.number): miscounted") }
    }

    /// What is missing is at most an interval and the open unit, and the descriptions say no less.
    private mutating func compare(_ recordings: [SealedRecording], _ recovery: RecordingRecovery, _ known: Knowledge) {
        for (boot, kinds) in known.given {
            for (kind, given) in kinds {
                let files = recordings.map(\.description).filter { $0.bootID == boot && $0.kind == kind }
                let stored = files.reduce(0) { $0 + $1.samplesStored }
                let removed = recovery.removedDrafts.filter { $0.kind == kind }.reduce(0) { $0 + $1.totalLost }
                let before = boot == "a" ? known.removed[kind] : nil
                let told = files.reduce(0) { $0 + $1.totalLost } + removed + ((before ?? nil) ?? 0)
                losses[kind] = max(losses[kind] ?? 0, given - stored)
                let limits = encryption == nil ? Self.limits : Self.encryptedLimits
                if given - stored > limits[kind] ?? 0 { faults.append("\(given - stored) of \(kind) are lost") }
                let isUnknown =
                    encryption != nil && known.isRecovering || before == .some(nil)
                    || (files + recovery.removedDrafts.filter { $0.kind == kind }).contains { $0.isLossUnknown == true }
                if !isUnknown, stored + told < given - (Self.second[kind] ?? 0) {
                    faults.append("of \(kind) \(given - stored) are lost, and \(told) are told of")
                }
            }
        }
    }

    private mutating func checkNames(_ folder: RecordingFolder) throws {
        for name in try folder.folder.names()
        where [".partial", ".open", ".tmp"].contains(where: name.hasSuffix) || name.hasPrefix("journal-") {
            faults.append("\(name) is left over")
        }
    }

    /// Recording goes on, under a number that was never used.
    private mutating func goOn(_ folder: RecordingFolder, after highest: Int) throws {
        let ring = FrameRing(capacity: 256, repeating: VectorFrame(values: .zero, count: 3))
        for index in 0..<160 {
            let time = MonotonicTime.zero + .milliseconds(10 * index)
            ring.push(VectorFrame(values: .zero, count: 3, time: time, isStamped: true))
        }
        let recorder = try MeasureConfiguration(identifier: "crash", format: .cwa).recorder(
            of: .vectors(ring), source: RecordedRun.accelerometer(), origin: RecordedRun.origin("c"), folder: folder)
        let sealed = recorder.stop(at: .zero + .seconds(2), anchors: [RecordedRun.anchor("b")])
        guard let first = sealed.first, first.description.samplesStored == 160, first.number > highest else {
            return faults.append(
                "recording does not go on: \(recorder.fault.map { "\($0)" } ?? "no file or its number")")
        }
    }

    private func clear() {
        for name in (try? DiskFolder(creating: path).names()) ?? [] { unlink("\(path)/\(name)") }
        FolderRemoval.remove(openedFolder)
    }
}
