// SPDX-License-Identifier: Apache-2.0
import Recording
import Store
import StudyModel
import Times

/// A submission that waits for the last files recorded for its run, and what came after it.
struct HeldSubmission: Sendable {
    let submission: Submission
    let memos: [SealedRecording]
    var row: StudyCommit
    /// Rows of the same enrolment keep their order.
    var later: [StudyCommit] = []
    /// Committed without the missing files then.
    let deadline: MonotonicTime

    /// Well over the recorders' patience, and below that of the panel.
    static let patience = Duration.seconds(8)
}

/// What is recorded while tasks are done, and the results of their runs.
extension StudyLoop {
    func startRecorders(_ recordings: [TaskRecording]) {
        shelf.start(recordings)
        if let measuring { return measuring.startTask(recordings) }
        for recording in recordings {
            _ = shelf.end(
                TaskRecorded(
                    recording: recording, files: [], failures: recording.recorder.kinds.map { .notMeasured($0) }))
        }
    }

    /// The run was left: nothing recorded for it is kept.
    func discardTaskFiles() {
        for file in shelf.leave() { parts.folder.discard(file) }
    }

    func take(_ recorded: TaskRecorded, of owner: EnrolmentRecord?) {
        switch shelf.end(recorded) {
        case .kept: break
        case .discarded(let files): for file in files { parts.folder.discard(file) }
        case .owed(let files): if !files.isEmpty { register(files, of: owner) }
        }
        if let held, isComplete(held.submission) { release() }
    }

    /// Commits a submission together with what was recorded for its run, as soon as all of that is sealed.
    func commit(_ row: StudyCommit, with submission: Submission, memos: [SealedRecording]) {
        release()
        let deadline = parts.stamps.moment.monotonic + HeldSubmission.patience
        held = HeldSubmission(submission: submission, memos: memos, row: row, deadline: deadline)
        if isComplete(submission) { release() }
    }

    /// Commits what is held, with the files that are there; nothing happens where nothing is held.
    func release() {
        guard var held else { return }
        self.held = nil
        if let run = held.submission.course?.id {
            let (recorded, earlier, files) = shelf.submit(run)
            held.row.add(registration(of: files, of: study?.record))
            if let study, let task = study.loaded.study.task(held.submission.task) {
                let result = RunResult(
                    submission: held.submission, task: task, enrolment: study.record.id, zone: parts.stamps.zone,
                    recorded: recorded, earlier: earlier, memos: held.memos)
                held.row.results = [result.entry].compactMap(\.self)
            }
        }
        for row in [held.row] + held.later { commit(row) }
    }

    private func isComplete(_ submission: Submission) -> Bool {
        submission.course.map { shelf.isComplete($0.id) } ?? true
    }

    /// Files that an earlier start left: kept for a run that goes on or was submitted, discarded for one that was not.
    func settle(_ files: [SealedRecording], resumed: String?) async throws {
        guard !files.isEmpty, let latest = try await parts.database.latestEnrolment()?.record else { return }
        for file in files {
            guard let note = file.description.task else { continue }
            let opening = note.run.split(separator: "-").last.flatMap { Int($0) } ?? 0
            if note.run == resumed {
                shelf.adopt([file], of: note.run)
            } else if note.run.hasPrefix(latest.id + "-"),
                try await parts.database.submittedOpenings(of: note.task, in: latest.id).contains(opening)
            {
                register([file], of: latest)
            } else {
                parts.folder.discard(file)
            }
        }
    }
}
