// SPDX-License-Identifier: Apache-2.0
import Base

/// What is recorded for runs, between the recorders and the submission: what is to be registered,
/// and what to be taken off the disk. Pure.
///
/// As with voice memos: a file is registered in the same transaction as the submission it belongs
/// to, and never without one.
struct PendingRecordings: Sendable {
    /// What is to become of files that have come.
    enum Fate: Sendable {
        /// Their run goes on, or its submission takes them.
        case kept
        case discarded([SealedRecording])
        /// Their run was submitted without them.
        case owed([SealedRecording])
    }

    /// Ids that were started and have not ended, by run.
    private var running: [String: Set<String>] = [:]
    private var ended: [String: [TaskRecorded]] = [:]
    /// Of runs that went on after a restart: what was recorded before.
    private var earlier: [String: [SealedRecording]] = [:]
    private var left: Set<String> = []
    private var submitted: Set<String> = []
    /// Numbers of files that were given out: a file may belong to several recordings.
    private var given: Set<Int> = []

    /// True when nothing of that run is still being written.
    func isComplete(_ run: String) -> Bool { running[run, default: []].isEmpty }

    mutating func start(_ recordings: [TaskRecording]) {
        for recording in recordings { running[recording.run, default: []].insert(recording.id) }
    }

    /// A run goes on for which these files were written before a restart.
    mutating func adopt(_ files: [SealedRecording], of run: String) { earlier[run, default: []] += files }

    mutating func end(_ recorded: TaskRecorded) -> Fate {
        let run = recorded.recording.run
        running[run]?.remove(recorded.recording.id)
        defer { forget(run) }
        if left.contains(run) { return .discarded(fresh(recorded.files)) }
        if submitted.contains(run) { return .owed(fresh(recorded.files)) }
        ended[run, default: []].append(recorded)
        return .kept
    }

    /// The run was submitted: what was recorded for it, and the files to be registered. What has
    /// not ended yet is owed.
    mutating func submit(_ run: String) -> (
        recorded: [TaskRecorded], earlier: [SealedRecording], files: [SealedRecording]
    ) {
        let recorded = ended.removeValue(forKey: run) ?? []
        let before = earlier.removeValue(forKey: run) ?? []
        submitted.insert(run)
        let files = fresh(before + recorded.flatMap(\.files))
        forget(run)
        return (recorded, before, files)
    }

    /// No run is open any more: the files of all that were, and what ends later is discarded too.
    mutating func leave() -> [SealedRecording] {
        let open = Set(ended.keys).union(running.keys).union(earlier.keys).subtracting(submitted)
        left.formUnion(open)
        let files = open.sorted().flatMap { run in
            (earlier.removeValue(forKey: run) ?? []) + (ended.removeValue(forKey: run) ?? []).flatMap(\.files)
        }
        let discarded = fresh(files)
        for run in open { forget(run) }
        return discarded
    }

    private mutating func fresh(_ files: [SealedRecording]) -> [SealedRecording] {
        files.filter { given.insert($0.number).inserted }
    }

    /// Once nothing more can come of a run that is over.
    private mutating func forget(_ run: String) {
        guard isComplete(run), left.contains(run) || submitted.contains(run) else { return }
        running[run] = nil
        left.remove(run)
        submitted.remove(run)
        if running.isEmpty, ended.isEmpty, earlier.isEmpty { given = [] }
    }
}
