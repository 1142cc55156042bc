// SPDX-License-Identifier: Apache-2.0
import Base

/// Files recorded for runs, until they are registered in the log with their submission or deleted. A
/// run is named as in `StudyConductor.runName`. Pure.
///
/// A file is registered in the same transaction as the submission it belongs to, or after it, and
/// never without one. The `end` of a recording may come after its run's `submit` or `leave`.
struct PendingRecordings: Sendable {
    /// What is to become of the files of a recording that has ended.
    enum Fate: Sendable {
        /// Their run goes on, or its submission takes them.
        case kept
        case discarded([SealedRecording])
        /// Their run was submitted without them: they are registered now.
        case owed([SealedRecording])
    }

    /// Ids that were started and have not ended, by run.
    private var running: [String: Set<String>] = [:]
    /// Recordings of open runs that have ended, by run.
    private var ended: [String: [TaskRecorded]] = [:]
    /// Files from before a restart, of runs that went on after it.
    private var earlier: [String: [SealedRecording]] = [:]
    /// Runs that are over though a recording of theirs has not ended.
    private var left: Set<String> = []
    private var submitted: Set<String> = []
    /// Numbers of files that were returned already, since a file may belong to several recordings.
    private var given: Set<Int> = []

    /// True when nothing of that run is still being written.
    func isComplete(_ run: String) -> Bool { running[run, default: []].isEmpty }

    mutating func start(_ recordings: [TaskRecording]) {
        for recording in recordings { running[recording.run, default: []].insert(recording.id) }
    }

    /// These files were written before a restart, for a run that goes on.
    mutating func adopt(_ files: [SealedRecording], of run: String) { earlier[run, default: []] += files }

    mutating func end(_ recorded: TaskRecorded) -> Fate {
        let run = recorded.recording.run
        running[run]?.remove(recorded.recording.id)
        defer { forget(run) }
        if left.contains(run) { return .discarded(takeFresh(recorded.files)) }
        if submitted.contains(run) { return .owed(takeFresh(recorded.files)) }
        ended[run, default: []].append(recorded)
        return .kept
    }

    /// The run was submitted: returns what was recorded for it, and the files to be registered now.
    /// Recordings that have not ended are `owed` when they do.
    mutating func submit(_ run: String) -> (
        recorded: [TaskRecorded], earlier: [SealedRecording], files: [SealedRecording]
    ) {
        let recorded = ended.removeValue(forKey: run) ?? []
        let before = earlier.removeValue(forKey: run) ?? []
        submitted.insert(run)
        let files = takeFresh(before + recorded.flatMap(\.files))
        forget(run)
        return (recorded, before, files)
    }

    /// No run is open any more: returns the files of runs that were not submitted, to be deleted; what
    /// ends later of those is `discarded`.
    mutating func leave() -> [SealedRecording] {
        let open = Set(ended.keys).union(running.keys).union(earlier.keys).subtracting(submitted)
        left.formUnion(open)
        let files = open.sorted().flatMap { run in
            (earlier.removeValue(forKey: run) ?? []) + (ended.removeValue(forKey: run) ?? []).flatMap(\.files)
        }
        let discarded = takeFresh(files)
        for run in open { forget(run) }
        return discarded
    }

    /// Those of the files that were not returned before, which counts them as returned.
    private mutating func takeFresh(_ files: [SealedRecording]) -> [SealedRecording] {
        files.filter { given.insert($0.number).inserted }
    }

    /// Forgets a run that is over, once nothing more of it can come.
    private mutating func forget(_ run: String) {
        guard isComplete(run), left.contains(run) || submitted.contains(run) else { return }
        running[run] = nil
        left.remove(run)
        submitted.remove(run)
        if running.isEmpty, ended.isEmpty, earlier.isEmpty { given = [] }
    }
}
