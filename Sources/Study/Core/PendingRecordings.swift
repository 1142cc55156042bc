// SPDX-License-Identifier: Apache-2.0
import Base

/// Files recorded for runs, until they are registered in the log with their submission or deleted. A run is
/// named as in `StudyConductor.runName`. Part of `RunFiles`. Pure.
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

    private struct Run {
        enum State { case open, submitted, left }

        var state = State.open
        /// Ids of recordings that were started and have not ended.
        var running: Set<String> = []
        var ended: [TaskRecorded] = []
        /// Files from before a restart.
        var earlier: [SealedRecording] = []

        var files: [SealedRecording] { earlier + ended.flatMap(\.files) }
    }

    /// Open runs, and those that are over though a recording of theirs has not ended.
    private var runs: [String: Run] = [:]
    /// Numbers of files that were returned already, since a file may belong to several recordings.
    private var returned: Set<Int> = []

    /// True when nothing of that run is still being written.
    func isComplete(_ run: String) -> Bool { runs[run]?.running.isEmpty ?? true }

    mutating func start(_ recordings: [TaskRecording]) {
        for recording in recordings { runs[recording.run, default: Run()].running.insert(recording.id) }
    }

    /// These files were written before a restart, for a run that goes on.
    mutating func adopt(_ files: [SealedRecording], of run: String) { runs[run, default: Run()].earlier += files }

    mutating func end(_ recorded: TaskRecorded) -> Fate {
        let name = recorded.recording.run
        var run = runs[name] ?? Run()
        defer { store(run, as: name) }
        run.running.remove(recorded.recording.id)
        switch run.state {
        case .open:
            run.ended.append(recorded)
            return .kept
        case .submitted: return .owed(takeFresh(run.earlier + recorded.files))
        case .left: return .discarded(takeFresh(run.earlier + recorded.files))
        }
    }

    /// The run was submitted: returns what was recorded for it, and the files to be registered now.
    /// Recordings that have not ended are `owed` when they do.
    mutating func submit(_ name: String) -> (
        recorded: [TaskRecorded], earlier: [SealedRecording], files: [SealedRecording]
    ) {
        let run = runs[name] ?? Run()
        let files = takeFresh(run.files)
        store(Run(state: run.state == .left ? .left : .submitted, running: run.running), as: name)
        return (run.ended, run.earlier, files)
    }

    /// No run is open any more: returns the files of runs that were not submitted, to be deleted; what
    /// ends later of those is `discarded`.
    mutating func leave() -> [SealedRecording] {
        let open = runs.filter { $0.value.state != .submitted }.sorted { $0.key < $1.key }
        let files = takeFresh(open.flatMap(\.value.files))
        for (name, run) in open { store(Run(state: .left, running: run.running), as: name) }
        return files
    }

    /// Those of the files that were not returned before, which counts them as returned.
    private mutating func takeFresh(_ files: [SealedRecording]) -> [SealedRecording] {
        files.filter { returned.insert($0.number).inserted }
    }

    /// Keeps a run, unless it is over and nothing more of it can come.
    private mutating func store(_ run: Run, as name: String) {
        runs[name] = run.state != .open && run.running.isEmpty ? nil : run
        if runs.isEmpty { returned = [] }
    }
}
