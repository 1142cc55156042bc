// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit

/// What open files have in memory, made durable for all of them by one write and one flush. `RecorderLoop` has
/// one.
///
/// The same bytes are written to the files themselves when they end, and when the journal is full, which then
/// begins again. After a power cut `RecordingFolder.recover` copies it into the files before it looks
/// at them. Used on the recorder's thread only.
package final class RecordingJournal {
    private let folder: RecordingFolder
    /// In bytes.
    private let capacity: Int
    private var file: File?
    private var name: JournalName?
    private var end = 0
    /// How often the journal began again, and the number of the next entry since.
    private var (round, sequence): (UInt32, UInt32) = (1, 0)
    /// An entry could not be written; earlier ones may still be needed.
    private var isBroken = false

    /// The journal of one run of the agent; its file is made with the first entry.
    package init(in folder: RecordingFolder, capacity: Int = 128 << 10) {
        self.folder = folder
        self.capacity = capacity
    }

    /// What recorders do each time their thread is awake: takes what waits in the rings, makes all of
    /// it durable where one of them says that it is time, and returns what was sealed.
    package func drain(
        _ recorders: [any SampleRecorder], at now: MonotonicTime, anchors: [ClockAnchor]
    ) -> [SealedRecording] {
        for recorder in recorders { recorder.take(at: now, anchors: anchors) }
        if recorders.contains(where: \.isSyncDue) { makeDurable(recorders, at: now) }
        return recorders.flatMap { $0.settle() }
    }

    /// Called once nothing is open; the journal is not used again. It stays for the next start where
    /// a full disk has not taken all that is in it.
    package func remove(after recorders: [any SampleRecorder]) {
        guard let name, !isNeeded(by: recorders) else { return }
        (file, self.name) = (nil, nil)
        try? folder.folder.remove(name.description)
    }

    /// By one journal entry; by flushing all files where the entry does not fit, or where a recorder has first
    /// samples, which go into the file itself (`additions` is nil).
    private func makeDurable(_ recorders: [any SampleRecorder], at now: MonotonicTime) {
        let additions = recorders.map(\.additions)
        if !additions.contains(nil), append(additions.flatMap { $0 ?? [] }) {
            for recorder in recorders { recorder.noteJournal(at: now) }
        } else {
            // The kernel gets and begins to write everything before the first flush, so that a file
            // system with a journal commits once.
            for recorder in recorders { recorder.sync(.begin) }
            for recorder in recorders.reversed() { recorder.sync(.commit) }
            if !isNeeded(by: recorders) { restart() }
        }
    }

    private func isNeeded(by recorders: [any SampleRecorder]) -> Bool { recorders.contains(where: \.needsJournal) }

    /// Entries of earlier rounds no longer count; new ones overwrite them.
    private func restart() {
        (end, sequence, isBroken) = (0, 0, false)
        round &+= 1
    }

    /// False where the files themselves have to be synchronised.
    private func append(_ additions: [FileAddition]) -> Bool {
        let additions = additions.filter { !$0.bytes.isEmpty }
        guard let first = additions.map(\.number).min() else { return true }
        guard !isBroken else { return false }
        do throws(FileError) {
            let entry = JournalEntry(round: round, sequence: sequence, additions: additions)
            guard let bytes = try entry.bytes(), bytes.count <= capacity - end else { return false }
            let file = try opened(first)
            try file.write(bytes, at: end)
            // With metadata: the file system would commit the time of change by itself seconds later; so
            // both share one flush.
            try file.sync(metadata: true)
            end += bytes.count
            sequence += 1
            return true
        } catch {
            (file, isBroken) = (nil, true)
            return false
        }
    }

    /// Written out to its full size at once, so that an entry changes neither size nor blocks.
    private func opened(_ first: Int) throws(FileError) -> File {
        if let file { return file }
        let name = self.name ?? JournalName(first: first)
        self.name = name
        let file = try File(folder.folder.file(name.description), .updateOrCreate)
        let size = try file.size()
        if size < capacity {
            try file.write([UInt8](repeating: 0, count: capacity - size), at: size)
            try file.sync(metadata: true)
            try folder.folder.sync()
        }
        self.file = file
        return file
    }
}

extension RecordingFolder {
    /// Copies what journals of earlier runs have into the files that are still open, and removes the
    /// journals. Doing it twice does no harm. Returns the numbers of files that do not have all of it
    /// on the medium: they wait for the next start, and so does their journal.
    func replayJournals(before first: Int, _ faults: inout [FileError]) throws(FileError) -> Set<Int> {
        var unreplayed: Set<Int> = []
        for name in try folder.names(where: { JournalName($0).map { $0.first < first } ?? false }) {
            do throws(FileError) {
                let missed = try replay(JournalEntry.all(in: File(folder.file(name), .read)), &faults)
                if missed.isEmpty { try folder.remove(name) }
                unreplayed.formUnion(missed)
            } catch {
                faults.append(error)
            }
        }
        return unreplayed
    }

    private func replay(_ entries: [JournalEntry], _ faults: inout [FileError]) throws(FileError) -> Set<Int> {
        var missed: Set<Int> = []
        let additions = Dictionary(grouping: entries.flatMap(\.additions), by: \.number)
        for name in try folder.names(where: { $0.hasSuffix(".open") }) {
            guard let ours = RecordingName(name), let own = additions[ours.number],
                let draft = try? RecordingDescription(name, in: folder),
                // A finished file has all of it, and perhaps other times.
                draft.state == .open, draft.name == ours, RecordingName(draft.relativePath) == ours,
                !draft.relativePath.contains("/"), folder.contains(draft.partialName)
            else { continue }
            do throws(FileError) {
                try add(own, to: File(folder.file(draft.partialName), .update))
            } catch {
                faults.append(error)
                missed.insert(ours.number)
            }
        }
        return missed
    }

    private func add(_ additions: [FileAddition], to file: File) throws(FileError) {
        for addition in additions {
            guard try file.size() >= addition.offset else { continue }
            try file.write(Array(addition.bytes), at: addition.offset)
        }
        try file.syncOrRewrite(metadata: true)
    }
}
